"""What `seps.train` is made of.

In the order of a run: `settings` (the recipe), `cache` (frozen features, once), `feed` (batches), `step` (a batch to
its losses, with `objective`), `schedule` (what changes as training goes on), `checkpoint`, `records`.
"""
