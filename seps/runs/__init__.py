"""Shared parts of all training runs, independent of the trained system.

`recipe` reads and writes recipes with ranges from `seps.fields`; `lr_schedule` computes learning rates; `checkpoint`
and `run_folder` store what a run needs to resume; `run_log` writes metrics.csv, TensorBoard and plots; `bootstrap`
gives confidence intervals.
"""
