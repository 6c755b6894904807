// Checks a model's manifest before anything is fetched or made by it; an error names the field.

// Error messages are this prefix and the path of the wrong field; engine/onnx/remote.js turns them into a sentence.
export const BAD_MANIFEST = "manifest.json: ";

const NAME = /^\w[\w.-]{0,99}$/; // of a file in the model's folder
const whole = (low, high) => (value) => Number.isInteger(value) && value >= low && value <= high;
const isId = whole(0, 2 ** 31 - 1);
const listOf = (length, is) => (value) => Array.isArray(value) && value.length === length && value.every(is);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value) => Number.isFinite(value);
const isGraph = (graph) => isObject(graph) && isName(graph.file) && (graph.weights === undefined || isName(graph.weights));
const isName = (value) => typeof value === "string" && NAME.test(value);
const valuesPass = (is) => (value) => isObject(value) && Object.values(value).every(is);

// What each field must be, in the order in which they are read.
const FIELDS = {
  variant: (value) => value === "paper" || value === "released",
  grid: listOf(2, whole(1, 256)),
  has_cls: (value) => typeof value === "boolean",
  num_tokens: whole(1, 65536),
  coefficients: valuesPass(isNumber),
  class_names: (value) => value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string")),
  "captions.max_words": whole(3, 65536),
  "captions.cls_id": isId,
  "captions.sep_id": isId,
  "pixels.size": whole(1, 4096),
  "pixels.mean": listOf(3, isNumber),
  "pixels.std": listOf(3, (value) => isNumber(value) && value > 0),
  graphs: valuesPass(isGraph),
  "graphs.image.outputs.0.shape": (value) => Array.isArray(value) && value.slice(1).length === 2,
};

const fieldOf = (manifest, path) =>
  path.split(".").reduce((value, name) => (Object.hasOwn(Object(value), name) ? value[name] : undefined), manifest);

// Return the manifest if it is valid; else throw an error with BAD_MANIFEST and the path of the first wrong field.
export function checkedManifest(manifest) {
  for (const [path, passes] of Object.entries(FIELDS)) {
    if (!passes(fieldOf(manifest, path))) throw new Error(BAD_MANIFEST + path);
  }
  const [rows, columns] = manifest.grid;
  const [patches, channels] = manifest.graphs.image.outputs[0].shape.slice(1); // [CLS] among them where there is one
  if (!whole(1, 65536)(channels)) throw new Error(`${BAD_MANIFEST}graphs.image.outputs.0.shape`);
  if (patches !== rows * columns + Number(manifest.has_cls)) throw new Error(`${BAD_MANIFEST}grid`);
  return manifest;
}
