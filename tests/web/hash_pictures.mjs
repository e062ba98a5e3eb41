// node hash_pictures.mjs: JSON lines {width, height, rgb: base64} in, a hash a line out.
import { readFileSync } from "node:fs";
import { perceptualHash } from "../../web/module/perceptual_hash.js";

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { width, height, rgb } = JSON.parse(line);
  console.log(perceptualHash(new Uint8Array(Buffer.from(rgb, "base64")), { width, height }));
}
