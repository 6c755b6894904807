"""The complete model: config, encoders and network, its files, the model hub, authors' checkpoints and ONNX graphs."""
