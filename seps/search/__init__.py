"""Encode each image and caption once, score exactly, rank, and count recalls."""
