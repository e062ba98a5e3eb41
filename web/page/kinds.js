/** What a file is by its name and type: who opens it. What it really is shows when it is read. */

const PICTURE = /\.(jpe?g|jfif|png|gif|webp|bmp|dib|tiff?|ico|avif|hei[cf]|jp2|j2k|svg)$/i;
const ZIP = /\.zip$/i;
const ZIP_TYPE = /^application\/(x-)?zip/;
const WORK = /\.(pagetrain|delta)$/i;
const OTHER_ARCHIVE = /\.(tar|t?gz|tgz|bz2|xz|7z|rar)$/i;

/** @param {{ name: string, type: string }} file @returns {"picture" | "zip" | "work" | "archive" | "other"}  a name without an ending may be a picture's */
export function kindOf({ name, type }) {
  if (type.startsWith("image/") || PICTURE.test(name)) return "picture";
  if (WORK.test(name)) return "work";
  if (ZIP.test(name) || ZIP_TYPE.test(type)) return "zip";
  if (OTHER_ARCHIVE.test(name)) return "archive";
  return type === "" && !/.\.[^.]+$/.test(name) ? "picture" : "other";
}
