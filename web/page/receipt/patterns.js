/** Drawn pictures, to ask a file about where there are no photos: whatever the page answers to them, the file has to answer, too. */

import { newId } from "../state.js";
import { texts } from "../texts/texts.js";

const [WIDTH, HEIGHT] = [400, 300];
const COUNT = 12;

/** Each another, and the same ones each time. @returns {import("../state.js").Picture[]} */
export function patterns() {
  return Array.from({ length: COUNT }, (_, n) => {
    const name = texts.receipt.pattern(n + 1);
    return /** @type {any} */ ({ id: newId(), name, file: { name, size: WIDTH * HEIGHT, open: () => drawn(n) }, classId: null, thumb: undefined });
  });
}

/** A disc on two colours that run into each other: edges for one half of the network, colours for the other. @returns {Promise<Blob>} */
function drawn(n) {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext("2d");
  const hue = (360 * n) / COUNT;
  const ground = context.createLinearGradient(0, 0, WIDTH, HEIGHT);
  ground.addColorStop(0, `hsl(${hue} 60% 70%)`);
  ground.addColorStop(1, `hsl(${hue + 120} 60% 30%)`);
  context.fillStyle = ground;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = `hsl(${hue + 180} 80% 50%)`;
  context.arc(WIDTH * (0.3 + 0.4 * (n % 2)), HEIGHT / 2, 40 + 8 * n, 0, 2 * Math.PI);
  context.fill();
  return canvas.convertToBlob({ type: "image/png" });
}
