/**
 * Every message between page and worker. The page sends requests `{id, type, ...}`; the worker answers each with any number of
 * `progress` and then one `result` or `error` of the same id, in the order the requests came. `stop` alone has no answer of its own
 * and is heard between two steps of the request it names. `dead` means: this worker can no longer be used.
 *
 * @typedef {"auto" | "numpy"} Backend   auto: the fastest that runs here
 * @typedef {{path: string, content: Blob | WebAssembly.Module}} RuntimeFile   one file of runtime/, by its path there
 * @typedef {{width: number, height: number, channels: 3 | 4, data: Uint8Array | Uint8ClampedArray}} Pixels   RGB or RGBA, row by row
 * @typedef {Blob | Pixels} Picture   a file, or pixels without one
 * @typedef {{key: string, label: string, features: Float32Array, hash: string, group?: string}} CachedPicture   hash: of how it looks, see module/perceptual_hash.js;
 *   group: shared with others that were taken in one go
 * @typedef {{key: string, variant: string, features: Float32Array}} CachedRow   a further row of a picture, of a variant of it
 * @typedef {{mirror?: boolean, crop?: boolean}} Augment   which variants
 * @typedef {{epochs?: number, batchSize?: number, learningRate?: number, validation?: number, folds?: number, seed?: number,
 *   schedule?: "linear" | "cosine" | "constant", warmup?: number, gradientAccumulationSteps?: number, maxGradNorm?: number,
 *   patience?: number, monitor?: "accuracy" | "loss", classWeights?: "balanced" | Record<string, number>, labelSmoothing?: number, augment?: Augment}} TrainOptions
 *
 * Requests
 * @typedef {{id: number, type: "start", runtime: RuntimeFile[], manifest: string, artifacts: Record<string, Blob>, backend: Backend}} StartRequest
 * @typedef {{id: number, type: "open", manifest: string, artifacts: Record<string, Blob>, backend: Backend}} OpenRequest
 * @typedef {{id: number, type: "restore", labels: string[], pictures: CachedPicture[], rows: CachedRow[],
 *   head: Uint8Array | null, noneBelow: number | null}} RestoreRequest
 * @typedef {{id: number, type: "setClasses", labels: string[]}} SetClassesRequest
 * @typedef {{id: number, type: "renameClass", from: string, to: string}} RenameClassRequest
 * @typedef {{id: number, type: "look", picture: Picture}} LookRequest
 * @typedef {{id: number, type: "embed", pixels: Uint8Array}} EmbedRequest          what the model sees: RGB in the model's size
 * @typedef {{id: number, type: "put", key: string, label: string, features: Float32Array, hash: string, group?: string}} PutRequest
 * @typedef {{id: number, type: "augmentation", augment: Augment}} AugmentationRequest
 * @typedef {{id: number, type: "vary", picture: Picture, augment: Augment}} VaryRequest
 * @typedef {{id: number, type: "putRow", key: string, variant: string, features: Float32Array}} PutRowRequest
 * @typedef {{id: number, type: "answer", key: string, features: Float32Array, hash: string}} AnswerRequest
 * @typedef {{id: number, type: "similar", features: Float32Array, count: number}} SimilarRequest
 * @typedef {{id: number, type: "nearDuplicates"}} NearDuplicatesRequest
 * @typedef {{id: number, type: "setNoneBelow", probability: number | null}} SetNoneBelowRequest
 * @typedef {{id: number, type: "score", truth: string[], answers: string[]}} ScoreRequest   labels
 * @typedef {{id: number, type: "pixels", picture: Picture}} PixelsRequest
 * @typedef {{id: number, type: "remove", key: string, label: string}} RemoveRequest
 * @typedef {{id: number, type: "move", key: string, from: string, to: string}} MoveRequest
 * @typedef {{id: number, type: "train", options: TrainOptions}} TrainRequest
 * @typedef {{id: number, type: "exportModel", pictureInput: boolean}} ExportModelRequest
 * @typedef {{id: number, type: "openExported", file: Blob}} OpenExportedRequest
 * @typedef {{id: number, type: "askExported", picture: Blob}} AskExportedRequest
 * @typedef {{id: number, type: "endExported", facts: object | null}} EndExportedRequest   facts: for its receipt, null for none
 * @typedef {{id: number, type: "saveCheckpoint"}} SaveCheckpointRequest
 * @typedef {{id: number, type: "headOf", checkpoint: Blob}} HeadOfRequest   the answer: its trained part, as `restore` takes it
 * @typedef {{id: number, type: "saveDelta"}} SaveDeltaRequest
 * @typedef {{id: number, type: "applyDelta", delta: Blob}} ApplyDeltaRequest
 * @typedef {{type: "stop", id: number}} StopSignal     id: of the request to stop
 *
 * Requests to an embedding worker, which answers in the same way
 * @typedef {{id: number, type: "start", library: WebAssembly.Module, program: object, parameters: Blob}} EmbedderStartRequest
 * @typedef {{id: number, type: "embed", pixels: Uint8Array}} EmbedderRequest   the answer: Float32Array, the features
 *
 * Answers
 * @typedef {{id: number, type: "progress", progress: any}} ProgressMessage
 * @typedef {{id: number, type: "result", value: any}} ResultMessage
 * @typedef {{id: number, type: "error", error: ErrorFields}} ErrorMessage
 * @typedef {{type: "dead", reason: string}} DeadMessage
 * @typedef {{kind: string, code?: string, message: string, traceback?: string}} ErrorFields
 *
 * What the results and the progress hold
 * @typedef {{name: string, title: string, backend: string, featureBytes: number, parameterBytes: number}} Opened
 * @typedef {{labels: string[], head: Uint8Array}} Classes        head: the learnt rows as a checkpoint, for `restore`
 * @typedef {Classes & {noneBelow: number | null}} Applied   what a delta made
 * @typedef {{key: string, hash: string, features?: Float32Array, pixels?: Uint8Array}} Seen   features: if they are known; else pixels, for `embed`
 * @typedef {{key: string, duplicate: boolean}} Put
 * @typedef {{rows: number, missing: string[]}} Augmentation   rows: of each picture, its own too; missing: keys of pictures that lack some
 * @typedef {{key: string, variants: {variant: string, pixels: Uint8Array}[]}} Varied   those that have no row yet, for `embed`
 * @typedef {{label: string, probability: number}} Prediction
 * @typedef {{key: string, label: string}} Placed   a picture in a class
 * @typedef {{key: string, label: string, similarity: number}} Similar   similarity: the cosine between features, -1 to 1
 * @typedef {{labels: string[], pictures: Placed[], probabilities: Float32Array}} Judged   by heads that had not learnt from them: a row of
 *   probabilities for each picture, one after another, in the order of labels
 * @typedef {{file: string, offset: number, length: number}} FileSlice
 * @typedef {{parts: (FileSlice | Blob | Uint8Array)[]}} Exported   the model, in pieces to put one behind another
 * @typedef {{labels: string[], noneBelow: number | null, input: string, preprocessing: string, pictureInput: boolean}} OpenedExport
 *   what an exported file says of itself; preprocessing: JSON
 * @typedef {{entry: Uint8Array | null, sha256: string}} Sealed   entry: to put behind the file; sha256: of the whole then
 * @typedef {{accuracy: number, confusion: {labels: string[], counts: number[][]}, perClass: any[]}} Metrics
 * @typedef {{epoch: number, epochs: number, step: number, steps: number, loss: number, trainCount: number, validationCount: number, fold: number, folds: number,
 *            accuracy?: number, validationLoss?: number | null, validationAccuracy?: number | null, best?: boolean,
 *            sure?: Record<string, number>, stepMs: number, secondsLeft: number}} TrainProgress
 *   step, steps: over the whole run. From accuracy to sure: at the end of an epoch only. The head to keep learns from all pictures, trainCount;
 *   loss and accuracy are of these, found in the training steps, each before it. Heads beside it learn from all but those that they judge:
 *   validationCount are judged, validation… and sure are of them. folds: of a cross-validation, 0 for none. fold: whose step it was, 1 to folds,
 *   0 the head to keep: they take turns in every epoch
 * @typedef {{epochs: TrainProgress[], bestEpoch: number, validationAccuracy: number | null, validationLoss: number | null, stopped: boolean,
 *            trainCount: number, validationCount: number, folds: number, judged: Judged}} History   judged: at the best epoch
 * @typedef {{stage: "start", name: string, loaded: number, total: number, bytes: number}} StartProgress
 */

/** The types of all requests that are answered. */
export const REQUESTS = Object.freeze([
  "start", "open", "restore", "setClasses", "renameClass", "look", "embed", "put", "augmentation", "vary", "putRow", "answer", "similar", "nearDuplicates", "setNoneBelow", "score", "pixels", "remove", "move", "train", "exportModel", "openExported", "askExported", "endExported", "saveCheckpoint", "headOf", "saveDelta", "applyDelta",
]);

/** Those that an embedding worker answers. */
export const EMBEDDER_REQUESTS = Object.freeze(["start", "embed"]);

/** The types of all messages from the worker. */
export const ANSWERS = Object.freeze(["progress", "result", "error", "dead"]);
