const AT_ONCE = 2 ** 20; // bytes of a blob in memory

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The CRC-32 of a blob, read piece by piece: polynomial 0x04C11DB7, reflected, as zip and PNG have it. Source: PNG specification, annex D. @param {Blob} blob */
export async function crc32(blob) {
  let crc = 0xffffffff;
  for (let start = 0; start < blob.size; start += AT_ONCE) {
    const bytes = new Uint8Array(await blob.slice(start, start + AT_ONCE).arrayBuffer());
    for (let index = 0; index < bytes.length; index += 1) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[index]) & 255];
  }
  return ~crc >>> 0;
}
