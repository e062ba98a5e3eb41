/** The camera: off until it is asked for, and off again as soon as nobody looks at what it sees. Turning it on makes no request. */

import { say } from "./announcer.js";
import { changed, findClass, state, subscribe } from "./state.js";
import { texts } from "./texts/texts.js";

/** Enough for any model here; the camera that points away from the person, where there are two. */
const WANTED = { width: { ideal: 640 }, height: { ideal: 480 }, facingMode: { ideal: "environment" } };
const QUALITY = 0.92;

/** Browsers have no cameras at all for pages that came by plain http from another machine. */
const NOT_SECURE = "NotSecureError";

/** Errors' names -> ours; by others the browser says that it could not get a picture, as when another program has the camera. */
const CODES = { NotAllowedError: "refused", SecurityError: "refused", NotFoundError: "none", OverconstrainedError: "none", [NOT_SECURE]: "insecure" };

/** Milliseconds that a camera may take for its first pictures. */
const FIRST_MS = 15_000;

/** What the camera sees now; views put it where it is looked at. */
export const video = /** @type {HTMLVideoElement} */ (document.createElement("video"));
video.muted = true;
video.playsInline = true;

/** Each wish for the camera has a number: what arrives after it was taken back is let go. */
let wish = 0;

/** For a class, or to try. @param {number | "try"} use @param {string} [deviceId] a certain camera */
export async function turnOn(use, deviceId) {
  const { cameras, taken } = state.camera.use === use ? state.camera : OFF; // as it was with another one
  release();
  const mine = wish;
  state.camera = { ...OFF, phase: "asking", use, cameras, taken };
  changed();
  try {
    const stream = await open(deviceId);
    if (mine !== wish) return end(stream);
    state.camera.stream = stream;
    await show(stream);
    const here = await camerasHere();
    if (mine === wish) begin(stream, here);
  } catch (error) {
    if (mine === wish) await fail(error);
  }
  changed();
}

export function turnOff() {
  if (state.camera.phase === "off") return;
  const wasOn = state.camera.phase === "on";
  release();
  state.camera = OFF;
  if (wasOn) say(texts.camera.off);
  changed();
}

/** Off when nobody can see that it is on, or the class that it is on for is gone. */
export function listenForLeaving() {
  subscribe(() => isClassGone() && turnOff());
  navigator.mediaDevices?.addEventListener("devicechange", listAgain);
  document.addEventListener("visibilitychange", () => document.hidden && turnOff());
  addEventListener("pagehide", turnOff);
  document.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && turnOff());
}

export function isOnFor(use) {
  return state.camera.phase === "on" && state.camera.use === use;
}

function isClassGone() {
  const { phase, use } = state.camera;
  return phase !== "off" && use !== "try" && !findClass(use);
}

/** One was plugged in or out. That the one in use is gone its track tells. */
async function listAgain() {
  const { camera } = state;
  const cameras = await camerasHere();
  if (camera.phase !== "on" || camera !== state.camera) return;
  camera.cameras = cameras;
  changed();
}

/** The next of several cameras. */
export async function switchCamera() {
  const { phase, cameras, use, stream } = state.camera;
  if (phase !== "on") return;
  const at = cameras.indexOf(stream.getVideoTracks()[0].getSettings().deviceId);
  await turnOn(use, cameras[(at + 1) % cameras.length]);
}

/** The middle square of what it sees now, as a file: the square is what the model sees. Never mirrored, whatever the view shows. */
export async function photo(name) {
  const { videoWidth: width, videoHeight: height } = video;
  const side = Math.min(width, height);
  const canvas = new OffscreenCanvas(side, side);
  canvas.getContext("2d").drawImage(video, (width - side) / 2, (height - side) / 2, side, side, 0, 0, side, side);
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
  return new File([blob], name, { type: blob.type });
}

const OFF = state.camera;

function begin(stream, cameras) {
  const [track] = stream.getVideoTracks();
  track.addEventListener("ended", () => state.camera.stream === stream && fail(new Error(texts.camera.ended), "unplugged"));
  for (const type of ["mute", "unmute"]) track.addEventListener(type, () => state.camera.stream === stream && hush(track.muted));
  const mirrored = track.getSettings().facingMode !== "environment"; // the person moves as before a mirror
  state.camera = { ...state.camera, phase: "on", stream, cameras, mirrored, silent: track.muted };
  say(texts.camera.on);
}

/** It is covered, or the system keeps its pictures back: what the view shows is old. */
function hush(silent) {
  state.camera.silent = silent;
  say(silent ? texts.camera.silent : texts.camera.on);
  changed();
}

function open(deviceId) {
  if (!navigator.mediaDevices) throw new DOMException(texts.camera.notSecure(location.origin), NOT_SECURE);
  const wanted = deviceId ? { ...WANTED, facingMode: undefined, deviceId: { exact: deviceId } } : WANTED;
  return navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
}

/** Settles at the second frame after it plays: the first one of some cameras is black. Rejects when none come. */
async function show(stream) {
  video.srcObject = stream;
  const late = new Promise((_, reject) => setTimeout(reject, FIRST_MS, new DOMException(texts.camera.noFrame, "NotReadableError")));
  await Promise.race([showFirst(), late]);
}

async function showFirst() {
  await video.play();
  for (let n = 0; n < 2; n += 1) await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
}

/** @returns {Promise<string[]>} */
async function camerasHere() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter(({ kind }) => kind === "videoinput").map(({ deviceId }) => deviceId);
}

async function fail(error, code = CODES[error.name] ?? "busy") {
  const { use } = state.camera;
  release();
  const mine = wish;
  const listed = await camerasHere().catch(() => []);
  if (mine !== wish) return;
  state.camera = { ...OFF, phase: "failed", use, error: { code, name: error.name, message: error.message, listed: listed.length } };
  changed();
}

function release() {
  wish += 1;
  end(state.camera.stream);
  video.srcObject = null;
}

function end(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
