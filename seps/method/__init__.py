"""The paper, in the order in which it runs: tokens, selection (equations 1 to 3), aggregation (4), alignment (5),
network (the above, in order), losses (6 and 7).

`explanation` tells one forward pass in full, and `attribution` splits its score among words and tokens. What if:
`effects` flips each patch's decision (by the arithmetic of `mask_flips`), `blanking` replaces each patch, `minimal`
finds how little keeps a rank and how little loses it. `pairwise` scores the pairs of a batch in training.
"""
