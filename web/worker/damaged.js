// What is said of a file that came as its list describes it and still cannot be what set-up made.

/** @param {string} file its name @param {string} what is wrong with it, as the rest of a sentence */
function damaged(file, what) {
  const message = `${file} is damaged or of another build: ${what}`;
  return Object.assign(new Error(message), { fields: { kind: "FormatError", code: "damaged", message } });
}
