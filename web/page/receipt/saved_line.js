/** What is said, and stands there, after a file was saved: for as long as it is the file that is offered. */

import { say } from "../announcer.js";
import { h, setText } from "../elements.js";
import { texts } from "../texts/texts.js";

export function savedLine() {
  const node = h("p", { class: "note" });
  let last = null;
  const render = (file, name) => setText(node, last && last.file === file && last.name === name ? texts.take.saved(name) : "");
  return {
    node,
    render,
    note(file, name) {
      last = { file, name };
      say(texts.take.saved(name));
      render(file, name);
    },
  };
}
