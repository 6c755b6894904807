"""Export of a model as ONNX graphs, for programs without PyTorch."""
