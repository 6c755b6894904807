"""Export of a model as ONNX graphs, for programs without PyTorch: `graphs` defines them, `packing` compresses them,
`folder` compares each with the model and writes them with their metadata."""
