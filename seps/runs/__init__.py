"""What every training run here shares; it knows none of the systems that are trained.

`recipe` reads and writes recipes, whose ranges are those of `seps.fields`; `lr_schedule` gives a step's learning rate;
`checkpoint` and `run_folder` keep what a run needs to go on; `run_log` writes metrics.csv, TensorBoard and pictures of
the curves; `bootstrap` gives confidence intervals.
"""
