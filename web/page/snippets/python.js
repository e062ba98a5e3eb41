/** The Python that runs a saved model as this page does: everything it needs to know is read from the file's metadata. */

/** @param {{ file: string, pictureInput: boolean }} about */
export const python = ({ file, pictureInput }) => `import json
import numpy as np
import onnxruntime
from PIL import Image, ImageOps

session = onnxruntime.InferenceSession(${JSON.stringify(file)})
name = session.get_inputs()[0].name
about = session.get_modelmeta().custom_metadata_map
labels = json.loads(about["pagetrain.labels"])
none_below = float(about.get("pagetrain.none_below", 0))
steps = {step["op"]: step for step in json.loads(about["pagetrain.preprocessing"])["steps"]}

def upright(path):
    image = ImageOps.exif_transpose(Image.open(path))
    if image.mode.startswith("I"):  # 16-bit gray: keep the upper 8 bits
        image = Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8))
    if image.has_transparency_data:
        ground = Image.new("RGBA", image.size, (*steps["to-rgb"]["background"], 255))
        image = Image.alpha_composite(ground, image.convert("RGBA"))
    return image.convert("RGB")
${pictureInput ? AS_IT_IS : PREPARED}
def predict(path):
    [probabilities] = session.run(["probabilities"], {name: prepare(path)})
    return sorted(zip(labels, probabilities[0].tolist()), key=lambda answer: -answer[1])

answers = predict("photo.jpg")
if answers[0][1] < none_below:
    print("none of these")
for label, probability in answers:
    print(f"{probability:6.1%}  {label}")`;

const AS_IT_IS = `
def prepare(path):  # the model itself resizes, crops and normalises
    return np.asarray(upright(path))
`;

const PREPARED = `
def prepare(path):
    image, resize, crop = upright(path), steps["resize-shortest"], steps["center-crop"]
    width, height = crop["width"], crop["height"]
    scale = [round(side * resize["size"] / min(image.size)) for side in image.size]
    size = (max(scale[0], width), max(scale[1], height))
    image = image.resize(size, Image.Resampling[resize["resample"].upper()])
    left, top = (size[0] - width) // 2, (size[1] - height) // 2
    pixels = np.asarray(image.crop((left, top, left + width, top + height)), np.float32)
    mean, std = (np.array(steps["normalize"][key], np.float32) for key in ("mean", "std"))
    tensor = ((pixels - mean) / std)[np.newaxis]
    return tensor.transpose(0, 3, 1, 2) if steps["layout"]["order"] == "NCHW" else tensor
`;
