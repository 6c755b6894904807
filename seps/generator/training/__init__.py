"""Training of a generator: data, losses, the stages of a run, and its reports."""
