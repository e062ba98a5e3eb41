import { invalidInput } from "../../shared/errors.js";
import { crc32 } from "./crc32.js";
import { damaged } from "./fields.js";

/**
 * Zips whose members are stored, not packed. Written, a zip refers to the blobs it is made of, and read, its members are slices of it: photos are
 * not copied, on either way. What packs and unpacks zips (zip.js, for those that people drop) copies.
 * Source: APPNOTE.TXT of the ZIP file format, 4.3 and 4.4; without ZIP64.
 */
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const CENTRAL = { signature: 0x02014b50, bytes: 46 };
const END = { signature: 0x06054b50, bytes: 22 };
const VERSION = 20; // of the format, which reading needs
const FIRST_DAY = 0x21; // 1 January 1980, so that the same members are the same bytes
const MOST_BYTES = 2 ** 32 - 1;
const MOST_MEMBERS = 2 ** 16 - 2;
const LONGEST_COMMENT = 2 ** 16 - 1;
const LONGEST_LIST = 32 * 2 ** 20;

/** @param {[string, Blob][]} members names in ASCII @returns {Promise<Blob>} */
export async function zipOf(members) {
  if (members.length > MOST_MEMBERS) throw invalidInput(`A project file holds up to ${MOST_MEMBERS} files, got ${members.length}: leave photos out.`);
  const parts = /** @type {BlobPart[]} */ ([]);
  const list = [];
  let end = 0;
  for (const [name, content] of members) {
    const fields = { crc: await crc32(content), size: content.size, offset: end, name: new TextEncoder().encode(name) };
    parts.push(localHeader(fields), fields.name, content);
    list.push(centralHeader(fields), fields.name);
    end += LOCAL.bytes + fields.name.length + content.size;
    if (end > MOST_BYTES) throw invalidInput("A project file holds up to 4 GB: leave photos out.");
  }
  const listBytes = list.reduce((sum, part) => sum + part.byteLength, 0);
  return new Blob([...parts, ...list, endHeader(members.length, listBytes, end)], { type: "application/zip" });
}

function localHeader({ crc, size, name }) {
  return header(LOCAL, [[4, 2, VERSION], [12, 2, FIRST_DAY], [14, 4, crc], [18, 4, size], [22, 4, size], [26, 2, name.length]]);
}

function centralHeader({ crc, size, offset, name }) {
  return header(CENTRAL, [[4, 2, VERSION], [6, 2, VERSION], [14, 2, FIRST_DAY], [16, 4, crc], [20, 4, size], [24, 4, size], [28, 2, name.length], [42, 4, offset]]);
}

function endHeader(count, bytes, offset) {
  return header(END, [[8, 2, count], [10, 2, count], [12, 4, bytes], [16, 4, offset]]);
}

/** All bytes that no field fills are 0. @param {{signature: number, bytes: number}} kind @param {number[][]} fields place, bytes, value */
function header({ signature, bytes }, fields) {
  const view = new DataView(new ArrayBuffer(bytes));
  view.setUint32(0, signature, true);
  for (const [place, size, value] of fields) size === 2 ? view.setUint16(place, value, true) : view.setUint32(place, value, true);
  return view.buffer;
}

/** The members of such a zip, from its list; their bytes are looked at when they are asked for. */
export class StoredZip {
  #blob;
  /** Where the list begins: members end before it. */
  #end;
  /** @type {Map<string, {crc: number, size: number, offset: number}>} */
  #members;

  /** @param {Blob} blob @returns {Promise<StoredZip>} rejects with a FormatError for what is none, or lies about itself */
  static async open(blob) {
    const { count, bytes, offset } = await endOf(blob);
    const list = new DataView(await blob.slice(offset, offset + bytes).arrayBuffer());
    const members = membersIn(list, count);
    const total = [...members.values()].reduce((sum, { size }) => sum + size, 0);
    if (total > offset) throw damaged("its members claim more bytes than it has");
    return new StoredZip(blob, offset, members);
  }

  constructor(blob, end, members) {
    this.#blob = blob;
    this.#end = end;
    this.#members = members;
  }

  /** @param {string} name */
  has(name) {
    return this.#members.has(name);
  }

  /** A slice of the zip. @param {string} name @returns {Promise<Blob>} */
  async slice(name) {
    const member = this.#members.get(name);
    if (!member) throw damaged(`${JSON.stringify(name.slice(0, 60))} is missing`);
    const { offset, size } = member;
    const start = new DataView(await this.#blob.slice(offset, Math.min(offset + LOCAL.bytes, this.#end)).arrayBuffer());
    if (start.byteLength < LOCAL.bytes || start.getUint32(0, true) !== LOCAL.signature) throw damaged(`${name} is not where the list says`);
    const begin = offset + LOCAL.bytes + start.getUint16(26, true) + start.getUint16(28, true);
    if (begin + size > this.#end) throw damaged(`${name} claims more bytes than there are`);
    return this.#blob.slice(begin, begin + size);
  }

  /** The same with its checksum compared. @param {string} name @param {number} [most] bytes @returns {Promise<Blob>} */
  async read(name, most = Infinity) {
    const content = await this.slice(name);
    if (content.size > most) throw damaged(`${name} is larger than any`);
    if ((await crc32(content)) !== this.#members.get(name)?.crc) throw damaged(`the checksum of ${name} is another`);
    return content;
  }
}

/** The record at the end: behind it there is only its comment. */
async function endOf(blob) {
  const from = Math.max(0, blob.size - END.bytes - LONGEST_COMMENT);
  const tail = new DataView(await blob.slice(from).arrayBuffer());
  for (let place = tail.byteLength - END.bytes; place >= 0; place -= 1) {
    if (tail.getUint32(place, true) !== END.signature || place + END.bytes + tail.getUint16(place + 20, true) !== tail.byteLength) continue;
    const [count, bytes, offset] = [tail.getUint16(place + 10, true), tail.getUint32(place + 12, true), tail.getUint32(place + 16, true)];
    if (offset + bytes !== from + place || bytes > LONGEST_LIST) throw damaged("the list of its members is not where it says");
    return { count, bytes, offset };
  }
  throw damaged("its end is missing");
}

function membersIn(list, count) {
  const members = new Map();
  let place = 0;
  for (let index = 0; index < count; index += 1) {
    if (place + CENTRAL.bytes > list.byteLength || list.getUint32(place, true) !== CENTRAL.signature) throw damaged("the list of its members breaks off");
    const lengths = [28, 30, 32].map((at) => list.getUint16(place + at, true));
    const next = place + CENTRAL.bytes + lengths[0] + lengths[1] + lengths[2];
    if (next > list.byteLength) throw damaged("the list of its members breaks off");
    const name = new TextDecoder().decode(new Uint8Array(list.buffer, place + CENTRAL.bytes, lengths[0]));
    const [flags, method] = [list.getUint16(place + 8, true), list.getUint16(place + 10, true)];
    const [crc, packed, size, offset] = [16, 20, 24, 42].map((at) => list.getUint32(place + at, true));
    if (flags & 1 || method !== 0) throw damaged("another program packed it anew or locked it", "packed");
    if (packed !== size) throw damaged("its members claim more bytes than it has");
    if (members.has(name)) throw damaged("it holds two members of one name");
    members.set(name, { crc, size, offset });
    place = next;
  }
  return members;
}
