"""Encode each image and caption once, score exactly, rank, and count recalls.

From the top down: `engine` (what people call), `blocks` (decisions, scores of many pairs), `fast` (tokens and words
multiplied in three orders), `index` (what is kept of each image and caption), `parallel` (slices, threads and buffers,
which engine and blocks share and which know no arithmetic); also `metrics`.

For galleries on disk: `stages` (a shortlist of many, scored exactly), `pooling` (the vectors that make the shortlist),
`store` (the table), `features` (stored quantities that depend only on the images), `schema` (the checks when
it is opened), `table_errors` (what may go wrong with it).
"""
