"""A model as ONNX graphs, for programs without PyTorch: `graphs` has them, `packing` makes them small, `folder` writes
them and what a program needs beside them, each graph compared with the model before it is written."""
