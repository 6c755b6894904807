"""Conversion of HuggingFace's parameter names of ViT and Swin (in the authors' checkpoints) to timm's."""

import re
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

RENAMED: tuple[tuple[str, str], ...] = (  # applied in order
    (r"^embeddings\.cls_token$", "cls_token"),
    (r"^embeddings\.position_embeddings$", "pos_embed"),
    (r"^embeddings\.patch_embeddings\.projection\.", "patch_embed.proj."),
    (r"^embeddings\.norm\.", "patch_embed.norm."),
    (r"^(encoder\.layer|layers)\.(?=\d+\.)", "blocks."),  # ViT
    (r"^encoder\.layers\.(?=\d+\.)", "layers."),  # Swin
    (r"\.attention\.((attention|self)\.query|q_proj)\.", ".attn.query."),
    (r"\.attention\.((attention|self)\.key|k_proj)\.", ".attn.key."),
    (r"\.attention\.((attention|self)\.value|v_proj)\.", ".attn.value."),
    (r"\.attention\.(output\.dense|o_proj)\.", ".attn.proj."),
    (r"\.attention\.(self|relative_position_bias)\.relative_position_", ".attn.relative_position_"),
    (r"\.intermediate\.dense\.", ".mlp.fc1."),
    (r"\.output\.dense\.", ".mlp.fc2."),
    (r"\.layernorm_before\.", ".norm1."),
    (r"\.layernorm_after\.", ".norm2."),
    (r"^layernorm\.", "norm."),
)
MERGING = re.compile(r"^layers\.(\d+)\.downsample\.")
ATTENTION = re.compile(r"^(.*\.attn)\.(query|key|value)\.(weight|bias)$")
PARTS = ("query", "key", "value")  # merged in timm's matrix in this order


def is_huggingface(keys: Iterable[str]) -> bool:
    """Return whether the parameter names of an image encoder are HuggingFace's."""
    return any(key.startswith("embeddings.") for key in keys)


def timm_tensors(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Rename the tensors of a HuggingFace ViT or Swin to timm's names; unknown names are unchanged."""
    renamed: dict[str, Tensor] = {}
    attention: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        name = timm_name(key)
        match = ATTENTION.match(name)
        place, part = (f"{match[1]}.qkv.{match[3]}", match[2]) if match else (name, "")
        group = attention.setdefault(place, {}) if match else renamed
        if (part or place) in group:
            raise ValueError(
                f"The image encoder has {key!r} twice, under names of transformers 4 and of transformers 5."
            )
        group[part or place] = tensor
    for place, parts in attention.items():
        missing = [part for part in PARTS if part not in parts]
        if missing:
            raise ValueError(f"The image encoder has no {missing[0]} for {place!r}.")
        shapes = {part: tuple(parts[part].shape) for part in PARTS}
        if len(set(shapes.values())) > 1:
            raise ValueError(f"The image encoder's parts of {place!r} differ in shape: {shapes}.")
        renamed[place] = torch.cat([parts[part] for part in PARTS])  # (3 D, D) or (3 D,)
    return renamed


def timm_name(key: str) -> str:
    """Return timm's name of a parameter, with separate query, key and value."""
    for pattern, replacement in RENAMED:
        key = re.sub(pattern, replacement, key)
    return MERGING.sub(lambda stage: f"layers.{int(stage[1]) + 1}.downsample.", key)
