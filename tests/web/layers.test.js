import assert from "node:assert/strict";
import test from "node:test";
import { checkedLayers, layersIn, partsFor } from "../../web/module/layers.js";

const program = { format: "pagetrain-embedding", version: 1, width: 8, height: 4, outputs: [{ shape: [2, 3] }] };

/** Parts whose file for "deep" is `pieces` one behind another. */
function partsWith(pieces) {
  let offset = 0;
  const places = {};
  for (const [name, text] of Object.entries(pieces)) {
    places[name] = { offset, bytes: text.length };
    offset += text.length;
  }
  const artifacts = { parameters: new Blob(["numbers"]), training_model: new Blob(["shallow"]), deep: new Blob(Object.values(pieces)) };
  return /** @type {any} */ ({ manifest: JSON.stringify({ layers: { deep: places } }), artifacts, embedding: { program: {}, backend: "simd", featureBytes: 8 }, runtime: ["same"] });
}

test("what may be chosen is the last layer and what the manifest names; anything else is refused by name", () => {
  assert.deepEqual(layersIn({}), ["last-layer"]);
  assert.deepEqual(layersIn({ layers: { deep: {}, lost: {}, toString: {} }, files: { deep: {}, parameters: {} } }), ["last-layer", "deep"]);
  assert.equal(checkedLayers("deep", ["last-layer", "deep"]), "deep");
  for (const wrong of ["deeper", "toString", undefined, null, 1]) {
    assert.throws(() => checkedLayers(wrong, ["last-layer", "deep"]), ({ kind, message }) => kind === "InvalidInputError" && /last-layer, deep/.test(message));
  }
});

test("other layers have their own manifest, graphs and program, and the same parameters, runtime and kernels", async () => {
  const whole = partsWith({ manifest: '{"name": "deep"}', training_model: "graph", embedding: JSON.stringify(program) });
  const { manifest, artifacts, embedding, runtime } = await partsFor(whole, "deep");
  assert.equal(manifest, '{"name": "deep"}');
  assert.equal(await artifacts.training_model.text(), "graph");
  assert.equal(artifacts.parameters, whole.artifacts.parameters);
  assert.deepEqual(embedding, { program, size: { width: 8, height: 4 }, backend: "simd", featureBytes: 24 });
  assert.equal(runtime, whole.runtime);
  assert.equal(await partsFor(whole, "last-layer"), whole);
});

test("without a program for them, or where embedding workers cannot be, Python does their work", async () => {
  const bare = partsWith({ manifest: "{}", training_model: "graph" });
  assert.equal((await partsFor(bare, "deep")).embedding, null);
  const whole = { ...partsWith({ manifest: "{}", embedding: JSON.stringify(program) }), embedding: null };
  assert.equal((await partsFor(whole, "deep")).embedding, null);
});
