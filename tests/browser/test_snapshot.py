"""The snapshot was taken under node; in a browser, which knows more of WebAssembly and has another name, it gives the same memory."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

RESTORED = """async (platform) => {
  const fetched = async (name) => (await fetch(`/runtime/${name}`)).arrayBuffer();
  const [packages, snapshot, library] = await Promise.all(['packages.tar', 'python.snapshot', 'python_stdlib.zip'].map(fetched));
  const wasm = await WebAssembly.compileStreaming(fetch('/runtime/pyodide.asm.wasm'));
  const check = `
    self.onmessage = async ({ data: { wasm, library, packages, snapshot } }) => {
      closeNetwork([{ path: 'pyodide.asm.wasm', content: wasm }, { path: 'python_stdlib.zip', content: library }], self);
      const create = _createPyodideModule;
      Snapshot.prototype.continued = ((continued) => function (_, files) {
        const creator = continued.call(this, create, files);
        return async (settings) => {
          const module = await creator(settings);
          const restore = module.API.restoreSnapshot;
          module.API.restoreSnapshot = () => {
            restore();
            const memory = module.HEAPU8.slice();
            const place = placeOfArgumentCounter(module);
            const counter = module.HEAP32[place];
            new Int32Array(memory.buffer)[place] = 0;
            const hex = (digest) => Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
            crypto.subtle.digest('SHA-256', memory).then((digest) => self.postMessage([hex(digest), this.head.sha256, counter > 0]));
            throw new Error('seen');
          };
          return module;
        };
      })(Snapshot.prototype.continued);
      Python.start(snapshot, packages).catch(() => {});
    };`;
  const text = await (await fetch('/runtime/worker.js')).text();
  const named = `Object.defineProperty(navigator, 'platform', { value: '${platform}' });`;
  const worker = new Worker(URL.createObjectURL(new Blob([named, text, check], { type: 'text/javascript' })));
  const answer = new Promise((resolve, reject) => { worker.onmessage = ({ data }) => resolve(data); worker.onerror = reject; });
  worker.postMessage({ wasm, library: new Blob([library]), packages: new Blob([packages]), snapshot: new Blob([snapshot]) });
  return answer;
}"""


@pytest.mark.parametrize("platform, counts", [("Linux x86_64", True), ("iPhone", False)])
def test_restored_memory_is_the_memory_that_was_taken(page: Page, shared_server: SimpleNamespace, platform: str, counts: bool) -> None:
    """Byte for byte, but for the pointer to the argument counter: Pyodide does without one on iOS, as engines do that have no WasmGC."""
    page.goto(shared_server.url + "favicon.svg")
    restored, taken, has_counter = page.evaluate(RESTORED, platform)
    assert restored == taken
    assert has_counter is counts
