// Picture bytes -> pixels, for the formats that Python does not decode itself. Never through a canvas: browsers may alter what is read back.

const ROOMY_PIXELS = 16e6; // a decoder that held more is let go: its memory never shrinks

/** libjpeg-turbo's algorithms as wasm: the same pixels as native Pillow. */
class JpegDecoder {
  #module;
  /** @type {any} */
  #instance = null;

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.#module = module;
  }

  /** Pixels as stored (EXIF not applied), or null if this decoder cannot; it is then made anew. @param {Uint8Array} data */
  async decode(data) {
    this.#instance ??= await this.#create();
    try {
      const { width, height, data: pixels } = this.#instance.decode(data, false);
      if (width * height > ROOMY_PIXELS) this.#instance = null;
      return { width, height, channels: 4, data: pixels };
    } catch {
      this.#instance = null;
      return null;
    }
  }

  #create() {
    const module = this.#module;
    return createJpegDecoder({
      instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
        return {};
      },
      locateFile: (name) => name, // else it makes a url of it, which a blob worker's address does not allow
      print: console.debug,
      printErr: console.debug,
    });
  }
}

/** Through the browser's own decoder, where it has one for `format` ("AVIF", "HEIC"). @param {Uint8Array} data @param {string} format */
async function decodeInBrowser(data, format) {
  const type = `image/${format.toLowerCase()}`;
  if (!self.ImageDecoder || !(await ImageDecoder.isTypeSupported(type))) {
    throw pictureError("unsupported-format", `This browser cannot read ${format} pictures: save it as JPEG or PNG and add that.`);
  }
  const decoder = new ImageDecoder({ data, type });
  try {
    return await pixelsOf((await decoder.decode()).image);
  } catch (error) {
    throw pictureError("damaged", `The ${format} picture is damaged (${error.message}): open and save it again, or leave it out.`);
  } finally {
    decoder.close();
  }
}

/** @param {VideoFrame} frame */
async function pixelsOf(frame) {
  const { width, height } = /** @type {DOMRectReadOnly} */ (frame.visibleRect);
  const data = new Uint8Array(width * height * 4);
  await frame.copyTo(data, { format: "RGBA" });
  frame.close();
  return { width, height, channels: 4, data };
}

/** An Error that crosses to the page as Python's own PictureError does. */
function pictureError(code, message) {
  return Object.assign(new Error(message), { fields: { kind: "PictureError", code, message } });
}
