import assert from "node:assert/strict";
import test from "node:test";
import { checkedContents } from "../../web/module/contents.js";

const base = { name: "net", fingerprint: "sha256:1" };
const here = { base, layersOffered: ["last-layer", "deep"] };
const picture = { key: "k", label: "a", hash: "0123456789abcdef", group: undefined, features: new Float32Array(2) };
const whole = { base, layers: "deep", labels: ["a", "b"], pictures: [picture, { ...picture, label: "b" }], head: new Uint8Array(1), noneBelow: 0.5 };

test("contents that fit come out as the records hold them: a picture that lies in two classes stands twice", () => {
  const { pictures, rows, ...rest } = checkedContents(whole, here);
  assert.deepEqual(rest, { layers: "deep", labels: ["a", "b"], head: whole.head, noneBelow: 0.5 });
  assert.deepEqual([...pictures.values()], whole.pictures);
  assert.equal(rows.size, 0);
  const { head, noneBelow } = checkedContents({ base, layers: "deep", labels: [], pictures: [] }, here);
  assert.deepEqual([head, noneBelow], [null, null]);
});

test("what does not fit is refused, and the message says what it is", () => {
  const wrong = [
    [undefined, /need base/],
    [{ ...whole, layers: "deeper" }, /deeper.*last-layer, deep/],
    [{ ...whole, labels: ["a", "a"] }, /two labels/],
    [{ ...whole, labels: "ab" }, /labels/],
    [{ ...whole, labels: ["b"] }, /picture 0 has the label "a"/],
    [{ ...whole, pictures: [picture, { ...picture, features: new Float32Array(3) }] }, /picture 1 has 3 features, and those before it 2/],
    [{ ...whole, pictures: [{ ...picture, features: [1, 2] }] }, /Float32Array/],
    [{ ...whole, pictures: [{ ...picture, hash: "zz" }] }, /16 hex digits/],
    [{ ...whole, pictures: [{ ...picture, key: "" }] }, /no key/],
    [{ ...whole, pictures: [null] }, /no key/],
    [{ ...whole, pictures: {} }, /pictures/],
    [{ ...whole, head: [1] }, /head/],
    [{ ...whole, noneBelow: Number.NaN }, /noneBelow/],
  ];
  for (const [contents, said] of wrong) {
    assert.throws(() => checkedContents(contents, here), ({ name, kind, message }) => name === "PagetrainError" && kind === "InvalidInputError" && said.test(message), String(said));
  }
});

test("another base model is refused by name, another build of the same one by its fingerprint", () => {
  const of = (other) => () => checkedContents({ ...whole, base: { ...base, ...other } }, here);
  assert.throws(of({ name: "other" }), ({ kind, code, message }) => kind === "StateError" && code === "base" && /"other", and this is "net"/.test(message));
  assert.throws(of({ fingerprint: "sha256:2" }), ({ code, message }) => code === "base" && /sha256:2, and here sha256:1/.test(message));
});
