"""A whole model: config, encoders and network together, its files, the hub, the authors' checkpoints, a run's own, and
ONNX graphs."""
