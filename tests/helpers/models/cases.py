"""Random models and inputs of any shape, and hypothesis strategies that draw them."""

import warnings
from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st

from seps import CaptionIndex, CrossSparseAggrNet, ImageIndex, ScoringEngine


@dataclass(frozen=True)
class Case:
    """Settings of a model and of a batch; `build` makes both from the seed."""

    images: int = 3
    captions: int = 4
    side: int = 4
    channels: int = 16
    words: int = 6
    dense_words: int = 0
    has_cls: bool = True
    sparse_ratio: float = 0.5
    aggr_ratio: float = 0.5
    paper: bool = True
    dual: bool = True
    beta: float = 0.25
    top_k: int = 5
    seed: int = 0
    logit_scale: float = 1.0

    def build(self, **options: Any) -> tuple[CrossSparseAggrNet, dict[str, Any]]:
        """A model in evaluation mode with random parameters, and the arguments of its forward."""
        torch.manual_seed(self.seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* make 0 aggregated")
            model = CrossSparseAggrNet(
                self.channels,
                self.side**2,
                self.sparse_ratio,
                self.aggr_ratio,
                use_paper_version=self.paper,
                use_dual_aggr=self.dual,
                beta=self.beta,
                top_k=self.top_k,
                **options,
            ).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.3 * torch.randn_like(parameter))
            model.aggr_net.scale.mul_(self.logit_scale)
        inputs: dict[str, Any] = {
            "img_embs": torch.randn(self.images, self.side**2 + self.has_cls, self.channels),
            "cap_embs": torch.randn(self.captions, self.words, self.channels),
            "cap_lens": torch.randint(1, self.words + 1, (self.captions,)),
        }
        if self.dense_words:
            inputs["dense_cap_embs"] = torch.randn(self.captions, self.dense_words, self.channels)
            inputs["dense_cap_lens"] = torch.randint(1, self.dense_words + 1, (self.captions,))
        return model, inputs


def one_pair(inputs: dict[str, Any], image: int, caption: int) -> dict[str, Any]:
    """The arguments of `explain` for one pair: its image, its caption's own words, its dense caption's own words."""
    pair = {
        "img_embs": inputs["img_embs"][image],
        "cap_embs": inputs["cap_embs"][caption, : inputs["cap_lens"][caption]],
    }
    if "dense_cap_embs" in inputs:
        pair["dense_cap_embs"] = inputs["dense_cap_embs"][caption, : inputs["dense_cap_lens"][caption]]
    return pair


def random_masks(case_seed: int, num_patches: int, dense: bool) -> dict[str, Any]:
    """A mask of any count from 1, and for a dense caption another: what `match`, `explain` and `score` take."""
    generator = torch.Generator().manual_seed(case_seed)
    masks: dict[str, Any] = {}
    for name in ("mask", "dense_mask") if dense else ("mask",):
        count = int(torch.randint(1, num_patches + 1, (), generator=generator))
        order = torch.randperm(num_patches, generator=generator)
        masks[name] = torch.zeros(num_patches, dtype=torch.bool).index_fill(0, order[:count], True)
    return masks


def indexed(
    model: CrossSparseAggrNet, inputs: dict[str, Any], **options: Any
) -> tuple[ScoringEngine, ImageIndex, CaptionIndex]:
    """An engine with options, and the inputs of a forward pass encoded for it."""
    engine = ScoringEngine(model, **options)
    captions = {name: value for name, value in inputs.items() if name != "img_embs"}
    return engine, engine.encode_images(inputs["img_embs"]), engine.encode_captions(**captions)


ratios = st.floats(0.05, 1.0)
cases = st.builds(
    Case,
    images=st.integers(1, 3),
    captions=st.integers(1, 3),
    side=st.integers(1, 6),
    channels=st.integers(5, 24),
    words=st.integers(1, 7),
    dense_words=st.sampled_from([0, 1, 9]),
    has_cls=st.booleans(),
    sparse_ratio=ratios,
    aggr_ratio=ratios,
    paper=st.booleans(),
    dual=st.booleans(),
    beta=st.floats(0.0, 0.5),
    top_k=st.integers(1, 7),
    seed=st.integers(0, 10_000),
    logit_scale=st.sampled_from([1.0, 1.0, 20.0]),
)
