"""Explanation of a forward pass, and tests of the explanation.

`forward_pass` explains the score of one image and one caption in a `record`; `attribution` splits it among words and
tokens. Counterfactuals: `effects` flips each patch's decision (with the arithmetic of `mask_flips`), `blanking`
replaces each patch's embedding and `blurring` its pixels, `minimal` finds the smallest sets of patches that keep or
lose a rank. `classes` adds what the image backbone's classifier saw; `caption_words` joins word pieces to words;
`spread` measures how much of the patch scores depends on the caption.
"""
