"""Training of retrieval, and the losses of a step."""
