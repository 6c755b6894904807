"""What `seps.train` is made of.

In the order of a run: `command` (the command line), `settings` (the recipe), `loop` (the run), `cache` (frozen
features, once), `classes` (a backbone's classes as further pairs), `phrase_captions` (phrases as further captions),
`samplers` (what meets in a batch), `data_loader` (batches of features) and `pixels` (of pixels), `step` (a `batch` to
its losses):
`embedding`, `ranking` (by `pairwise`, over all processes: `gathering`), `objective`, and from the output of `selecting`
`maps`, `significance` and `decision`; `phrases` on patches. Then `loss_weights` (what changes as training goes on),
`run_state` (what a run goes on from), `curves` (what it shows), `watch` (what is amiss, in sentences), `memory` (how it
is handed out). Learning rates, checkpoints and metrics.csv come from `seps.runs`. `guide` has the training guide's
advice in one table, `ratio_weights` measures what it claims of the ratio weight, and `cheats` what a selector gets away
with. `pooled` trains the two-tower that SEPS is compared with.
"""
