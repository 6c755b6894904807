"""What `seps.train` is made of.

In the order of a run: `settings` (the recipe), `loop` (the run), `cache` (frozen features, once), `samplers` (what
meets in a batch), `data_loader` (batches of features) and `pixels` (of pixels), `step` (a batch to its losses):
`embedding`, `ranking` (by `pairwise`, over all processes: `gathering`), `objective`, and from what `selecting` selects
`maps`, `significance` and `decision`; `phrases` on patches. Then `loss_weights` (what changes as training goes on),
`run_state` (what a run goes on from), `curves` (what it shows), `watch` (what is amiss, in sentences). Learning rates,
checkpoints and metrics.csv are those of `seps.runs`. `guide` has the training guide's advice in one table. `pooled`
trains the two-tower that SEPS is compared with.
"""
