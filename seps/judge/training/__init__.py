"""Training of a judge: batches, losses, the run, and its reports."""
