/** The ready-made example: its photos come with the page, before that is sealed, and one click takes them in as if their zip had been dropped. */

import { takeIn } from "./intake.js";
import { lookThroughPicked } from "./listing.js";
import { pageFile } from "./offline/offline.js";
import { opened } from "./packed_file.js";
import { contentsOf } from "./zips.js";

const ZIP = "example/trash.zip";

/** Takes the photos in; answers whether they are here. */
export async function openExample() {
  const zip = await zipFile();
  if (zip) await lookThroughPicked([zip], takeIn);
  return zip !== null;
}

/** Some photos of each of its classes, to look at. @param {number} count @returns {Promise<{ name: string, photos: Blob[] }[]>} */
export async function glimpse(count) {
  const zip = await zipFile();
  if (!zip) return [];
  const { found } = await contentsOf(zip, [], () => {});
  const names = [...new Set(found.map(({ path }) => path[0]))];
  const some = (name) => found.filter(({ path }) => path[0] === name).slice(0, count);
  return Promise.all(names.map(async (name) => ({ name, photos: await Promise.all(some(name).map(({ file }) => opened(file))) })));
}

async function zipFile() {
  const content = await pageFile(ZIP);
  return content && new File([content], "trash.zip", { type: "application/zip" });
}
