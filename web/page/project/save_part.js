/** A button that makes a file of the work and saves it, and what came of that. The project, and what was learnt alone. */

import { say } from "../announcer.js";
import { h, icon, setAttribute, setText } from "../elements.js";
import { nameNow, noteOnDisk } from "../keeping/keeper.js";
import { changed } from "../state.js";
import { save, stemOf } from "../taking.js";
import { texts } from "../texts/texts.js";
import { button } from "../views/buttons.js";
import { detailsOf } from "../views/faults.js";
import { deltaBlob, projectBlob } from "./saving.js";

/**
 * @typedef {{ label: string, stem?: () => string, kind?: string, look?: (act: () => void) => HTMLElement }} Offer
 *   `stem`: of the file's name, if not the project's; `look`: another button than usual
 * @param {Offer & { withPhotos?: () => boolean, before?: () => Promise<boolean>, after?: () => void }} offer
 *   `before`: whether there is a project to save; `after`: it is saved
 */
export function saveProject({ withPhotos = () => true, before = async () => true, after = () => {}, ...offer }) {
  const make = async () => {
    if (!(await before())) return null;
    const whole = withPhotos();
    const { blob, left } = await projectBlob(whole);
    return { blob, note: left > 0 ? texts.work.photosLeft(left) : "", whole };
  };
  const saved = async ({ whole }) => {
    if (whole) await noteOnDisk();
    after();
  };
  return savePart({ ...offer, ending: "pagetrain", make, saved });
}

function projectStem() {
  return stemOf(nameNow()) || texts.take.defaultStem;
}

/** @param {Offer} offer */
export function saveDelta(offer) {
  return savePart({ ...offer, ending: "delta", make: async () => ({ blob: await deltaBlob(), note: "" }), saved: () => {} });
}

/** `make` answers null where there is nothing to save, which was said. */
function savePart({ label, stem = projectStem, kind = "", look = (act) => button(label, act, { kind, after: "drop" }), ending, make, saved }) {
  const told = h("p", { class: "note" });
  const details = detailsOf();
  const fault = h("div", { class: "take-item__fault", role: "alert", hidden: true });
  const act = look(run);
  const fileName = () => `${stem()}.${ending}`;
  /** @type {number | null} */
  let size = null;
  let isMaking = false;

  async function run() {
    if (isMaking) return say(texts.take.file(fileName(), null));
    isMaking = true;
    show();
    setText(told, "");
    changed();
    try {
      const made = await make();
      if (made) await finish(made);
    } catch (error) {
      console.error(error);
      details.render(error);
      show(h("p", { class: "note" }, icon("alert"), texts.work.notSaved), details.node);
    }
    isMaking = false;
    changed();
  }

  function show(...nodes) {
    fault.replaceChildren(...nodes);
    fault.hidden = nodes.length === 0;
  }

  async function finish(made) {
    const { blob, note } = made;
    const name = fileName();
    size = blob.size;
    save(blob, name);
    setText(told, texts.take.saved(name));
    say([texts.take.saved(name), note].filter(Boolean).join(" "));
    if (note) show(h("p", { class: "note" }, note));
    await saved(made);
  }

  return {
    act, told, fault,
    /** "my-model.pagetrain, 14.9 MB" */
    words: () => (size === null && !isMaking ? fileName() : texts.take.file(fileName(), isMaking ? null : size)),
    render: () => setAttribute(act, "aria-disabled", isMaking ? "true" : null),
  };
}
