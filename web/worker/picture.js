// One picture file -> the arguments of the bridge's calls that take a picture. Python judges first, then pixels are made where it asks for them.

const MAX_FILE_BYTES = 64 * 1024 * 1024; // picture.py's MAX_BYTES: what is larger is not even read

/**
 * @param {Blob} file @param {Python} python @param {JpegDecoder} jpeg
 * @returns {Promise<{data: Uint8Array, pixels: null | {width: number, height: number, channels: number, data: Uint8Array}}>}
 */
async function readPicture(file, python, jpeg) {
  const data = await readFile(file);
  const { format, decoder } = python.call("judge", { data });
  if (decoder === "jpeg") return { data, pixels: await jpeg.decode(data) };
  if (decoder === "browser") return { data, pixels: await decodeInBrowser(data, format) };
  return { data, pixels: null };
}

async function readFile(file) {
  if (file.size > MAX_FILE_BYTES) {
    throw pictureError("too-large", `The file has ${Math.round(file.size / 2 ** 20)} MB, the limit is ${MAX_FILE_BYTES / 2 ** 20} MB: make the picture smaller.`);
  }
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    throw pictureError("unreadable", `The file could not be read (${error.message}): it may have been moved or changed, add it again.`);
  }
}
