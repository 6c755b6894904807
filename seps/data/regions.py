"""Boxes and pixel masks on the grid of patches.

Boxes are (x0, y0, x1, y1) in fractions of width and height; a mask is (height, width) pixels; a grid is (H, W).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seps.data.entities import Box


def patch_overlap(boxes: Sequence[Box], grid: tuple[int, int]) -> NDArray[np.float64]:
    """Return the exact fraction of each patch's area that the union of the boxes covers: (H, W) in [0, 1].

    The edges of boxes and patches cut the image into rectangles, each in one patch and fully inside or outside a box.
    """
    edges = np.asarray(boxes, dtype=np.float64).reshape(-1, 2, 2)  # (K, corner, axis), axis 0 is x
    (columns, across), (rows, down) = (axis_parts(edges[:, :, axis], grid[1 - axis]) for axis in (0, 1))
    inside = (down[:, :, None] & across[:, None, :]).any(axis=0)  # (y parts, x parts), in any box
    return np.clip(rows @ inside @ columns.T, 0.0, 1.0)


def axis_parts(edges: NDArray[np.float64], cells: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Cut one axis at the edges of K boxes, (K, 2), and of `cells` patches.

    Returns:
        (cells, parts), the fraction of each cell per part, and (K, parts), whether the part is in each box.
    """
    cuts = np.unique(np.concatenate([np.linspace(0, 1, cells + 1), edges.ravel()]))
    middles, widths = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)  # (parts,)
    cell = np.floor(middles * cells).astype(int)  # (parts,)
    fractions = np.where(cell == np.arange(cells)[:, None], widths * cells, 0.0)
    return fractions, (edges[:, :1] < middles) & (middles < edges[:, 1:])


def centres_inside(boxes: Sequence[Box], grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return whether the centre of each patch is in a box or on its edge: (H, W)."""
    y, x = ((np.arange(cells) + 0.5) / cells for cells in grid)
    edges = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    left, top, right, bottom = (edge[:, None, None] for edge in edges.T)  # each (K, 1, 1)
    down = (top <= y[:, None]) & (y[:, None] <= bottom)  # (K, H, 1)
    return np.asarray((down & (left <= x) & (x <= right)).any(axis=0))


def mask_overlap(mask: NDArray[np.bool_], grid: tuple[int, int]) -> NDArray[np.float64]:
    """Return the fraction of each patch's area that the mask covers, exactly, also of broken pixels: (H, W)."""
    rows, columns = (pixel_shares(cells, pixels) for cells, pixels in zip(grid, mask.shape, strict=True))
    return np.clip(rows @ mask @ columns.T, 0.0, 1.0)


def pixel_shares(cells: int, pixels: int) -> NDArray[np.float64]:
    """Return the fraction of each cell of an axis that each pixel makes up: (cells, pixels), rows summing to 1."""
    cell, pixel = np.arange(cells)[:, None] * pixels, np.arange(pixels) * cells  # starts, in 1 / (cells * pixels)
    return np.clip(np.minimum(cell + pixels, pixel + cells) - np.maximum(cell, pixel), 0, None) / pixels


def mask_centres(mask: NDArray[np.bool_], grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return whether the centre of each patch is in a pixel of the mask or on its edge: (H, W)."""
    (up, down), (left, right) = (central_pixels(cells, pixels) for cells, pixels in zip(grid, mask.shape, strict=True))
    touching = np.stack([mask[np.ix_(rows, columns)] for rows in (up, down) for columns in (left, right)])  # (4, H, W)
    return np.asarray(touching.any(axis=0))


def central_pixels(cells: int, pixels: int) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return the pixels before and after each cell's centre on one axis, two (cells,); equal inside a pixel."""
    centres = (2 * np.arange(cells) + 1) * pixels  # in 1 / (2 * cells) of a pixel
    return (centres - 1) // (2 * cells), centres // (2 * cells)


def central_patches(grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the patch in the middle of the grid; of a side of even length, both middle rows or columns: (H, W)."""
    row, column = (abs(2 * np.arange(cells) - cells + 1) <= 1 for cells in grid)
    return row[:, None] & column


def energy_inside(weights: NDArray[np.floating], overlap: NDArray[np.float64]) -> float:
    """Return the fraction in [0, 1] of a map's weights inside a region (energy-based pointing game).

    Args:
        weights: (N,), not negative and not all 0; overlap: (N,) in [0, 1], the fraction of each patch in the region.
    """
    weights = weights.astype(np.float64)
    return float(weights @ overlap / weights.sum())
