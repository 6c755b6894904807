"""Captions for images and images for captions, on one shared space of embeddings."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seps.generator.generator import ImageTextGenerator, load_generator, shipped_generators

__all__ = ["ImageTextGenerator", "load_generator", "shipped_generators"]


def __getattr__(name: str) -> Any:
    """Return the names above, imported when first asked for: diffusers and transformers take seconds."""
    if name in __all__:
        from seps.generator import generator

        return getattr(generator, name)
    raise AttributeError(f"module 'seps.generator' has no attribute {name!r}")
