/**
 * The seal: a policy that is added to the running page once everything is fetched. From then on neither the page nor a worker started after
 * it reaches any server, its own included; policies only ever add up, so nothing can lift it. What is loaded keeps working: styles, modules,
 * blob pictures, storage, camera. A policy does not cover navigation, WebRTC and the service worker.
 */
export const SEAL = [
  "default-src 'none'", "script-src 'wasm-unsafe-eval'", "worker-src blob:", "img-src blob:", "connect-src 'none'", "form-action 'none'",
].join("; ");

/** @param {Document} page */
export function seal(page) {
  if (isSealed(page)) return;
  const meta = page.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = SEAL;
  page.head.append(meta);
}

/** @param {Document} page */
export function isSealed(page) {
  return Array.from(page.head.querySelectorAll("meta[http-equiv]")).some((meta) => meta.getAttribute("content") === SEAL);
}
