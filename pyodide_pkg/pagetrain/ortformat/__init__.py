"""ONNX Runtime's two flatbuffers files, read and written: models (.ort) and training checkpoints."""
