/** The pictures tried before, each a button that shows it again. */

import { h, icon, keyed, named, setAttribute, setText } from "../elements.js";
import { changed, isNone, state } from "../state.js";
import { wantThumbnail } from "../thumbnails.js";
import { show } from "../tries.js";
import { texts } from "../texts/texts.js";
import { wordsOf } from "./answer.js";
import { printOf } from "./frames.js";

const PRINT_SIDE = 480;
const SHOWN = 60;

/** The pictures tried so far, newest first, some at a time; each opens large. */
export function triedPart() {
  let shown = SHOWN;
  let goesOn = null; // where, as soon as it is there
  const list = h("ul", { class: "tried" });
  const more = h("button", { class: "link", type: "button", onclick: () => { goesOn = shown; shown += SHOWN; changed(); } });
  const fill = keyed(list, ({ id }) => id, tried);
  const node = h("section", { class: "earlier", "aria-labelledby": "h-earlier" }, h("h2", { class: "title title--s", id: "h-earlier" }, texts.try.earlier), list, more);
  return {
    node,
    render() {
      const { results } = state.tries;
      node.hidden = results.length < 2;
      fill(results.slice(0, shown));
      more.hidden = results.length <= shown;
      setText(more, texts.report.more(Math.min(SHOWN, results.length - shown)));
      if (goesOn !== null) list.children[goesOn]?.querySelector("button").focus();
      goesOn = null;
    },
  };
}

function tried(result) {
  const print = h("span", { class: "tried__print" });
  const name = named(result.name, { class: "tried__name clipped" });
  const label = named("", { class: "tried__label clipped" });
  const share = h("bdi", { class: "tried__share" });
  const node = h("li", {}, h("button", { class: "tried__button", type: "button", onclick: () => show(result.id) }, print, h("span", { class: "tried__words" }, label, share, name)));
  let drawn = "";
  return {
    node,
    render() {
      wantThumbnail(result, PRINT_SIDE);
      const best = result.answers?.[0];
      setText(label, best ? wordsOf(best) : (result.error ? texts.try.refusedTitle : texts.try.asking));
      setText(share, best && !isNone(best) ? texts.words.percent(best.probability) : "");
      setAttribute(node.firstChild, "aria-current", state.tries.shown === result.id ? "true" : null);
      node.classList.toggle("is-bad", result.error !== null);
      const now = `${result.thumb} ${result.error !== null}`;
      if (now !== drawn) print.replaceChildren(result.thumb ? printOf(result) : result.error ? icon("cross") : kindOf(result.name));
      drawn = now;
    },
  };
}

/** What stands for a picture that the browser cannot show: "TIFF". */
function kindOf(name) {
  return named(name.split(".").at(-1).slice(0, 5).toUpperCase(), { class: "edge" });
}
