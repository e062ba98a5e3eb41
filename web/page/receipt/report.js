/** What a person may send to us about a file that answers differently. It holds class names and numbers, no picture and no picture's name. */

/** @param {import("./checking.js").Check} check */
export function reportOf({ outcome: { differing, labels, file, pictures, same, largest, tolerance, pictureInput, checked, preprocessing } }) {
  const shares = (answers) => Object.fromEntries(answers.map(({ label, probability }) => [label, probability]));
  return JSON.stringify({
    pictures, same, largest, tolerance, pictureInput, bytes: file.size, checked: checked.toISOString(), browser: navigator.userAgent,
    labels, preprocessing: JSON.parse(preprocessing), differing: differing.map(({ here, there }) => ({ page: shares(here), file: shares(there) })),
  }, null, 2);
}
