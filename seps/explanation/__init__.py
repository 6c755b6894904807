"""One forward pass told in full, and put to the test.

`forward_pass` explains what the network does with one image and one caption, in a `record`; `attribution` splits its
score among words and tokens. What if: `effects` flips each patch's decision (by the arithmetic of `mask_flips`),
`blanking` replaces each patch's embedding and `blurring` its pixels, `minimal` finds how little keeps a rank and how
little loses it. `caption_words` joins the labels of tokens to words; `spread` tells how much of a score knows the
caption.
"""
