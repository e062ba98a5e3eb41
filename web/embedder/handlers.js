// The requests of an embedding worker: a program to hold, then pictures.

class Handlers {
  /** @type {Program | null} */
  #program = null;

  async start({ library, program, parameters }) {
    this.#program = await Program.create(library, program, parameters);
    const features = this.#program.run(new Uint8Array(program.width * program.height * 3)); // also has the browser optimise the kernels
    if (!features.every(Number.isFinite)) throw new Error("the program makes numbers that are not finite");
    return { value: {} };
  }

  embed({ pixels }) {
    if (!this.#program) throw new Error("no program was started");
    const features = this.#program.run(pixels);
    return { value: features, transfer: [features.buffer] };
  }
}
