"""A whole model: config, encoders and network together, its files, the model hub, and the authors' checkpoints."""
