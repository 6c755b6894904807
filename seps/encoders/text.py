"""Caption encoder: token ids to word embeddings."""

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrize import register_parametrization

from seps.common.checks import Lengths, check_lengths
from seps.encoders.config import TextConfig
from seps.encoders.heads import ContextHead
from seps.encoders.tails import pass_words, text_layers
from seps.encoders.weights import text_backbone


class LowRank(nn.Module):
    """A low-rank difference (LoRA, arXiv 2106.09685) of a weight: `up` (rows, r) times `down` (r, columns)."""

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.zeros(rows, rank))
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5)

    def forward(self, weight: Tensor) -> Tensor:
        """Add the difference."""
        return weight + self.up @ self.down


def add_low_rank(bert: nn.Module, rank: int, layers: int) -> None:
    """Add a difference of this rank to every linear layer in the last layers of a BERT."""
    whole = text_layers(bert, 0)
    if layers > len(whole):
        raise ValueError(f"text.low_rank_layers is {layers}, but the text encoder has {len(whole)} layers.")
    for layer in whole[-layers:]:
        for part in [module for module in layer.modules() if isinstance(module, nn.Linear)]:
            register_parametrization(part, "weight", LowRank(part.out_features, part.in_features, rank))


class TextEncoder(nn.Module):
    """A transformers encoder of words with D_t = `width` channels, projected to C channels with optional context."""

    def __init__(self, config: TextConfig, embed_size: int) -> None:
        super().__init__()
        self.bert = text_backbone(config)
        self.width = int(self.bert.config.hidden_size)
        self.vocabulary = int(self.bert.config.vocab_size)
        self.fc = nn.Linear(self.width, embed_size)
        self.tail: list[nn.Module] | None = None
        self.frozen_layers = -1
        if config.low_rank:
            add_low_rank(self.bert, config.low_rank, config.low_rank_layers)
        self.context: ContextHead | None = None
        if config.context:
            self.context = ContextHead(self.width, self.width, embed_size, config.dropout)
        self.check_positions(config)

    def check_positions(self, config: TextConfig) -> None:
        """Raise ValueError if a config allows more words than the encoder has positions."""
        positions = getattr(self.bert.config, "max_position_embeddings", None)
        longest = max(config.max_words, config.max_dense_words)
        if positions is not None and longest > positions:
            raise ValueError(f"Captions may have {longest} tokens, but {config.encoder} has {positions} positions.")

    def freeze_layers(self, count: int) -> None:
        """Freeze the encoder's first `count` layers and train the others as part of the projection."""
        self.tail, self.frozen_layers = text_layers(self.bert, count), count
        self.bert.requires_grad_(False)
        for layer in self.tail:
            differences: list[nn.Module] = [part for part in layer.modules() if isinstance(part, LowRank)]
            for part in differences or [layer]:
                part.requires_grad_(True)

    def forward(self, ids: Tensor, lengths: Lengths) -> Tensor:
        """Compute word embeddings (B, L, C), zero at the padding, of ids (B, L) int64 with lengths (B,)."""
        return self.project(self.features(ids, lengths), lengths)

    def project(self, features: Tensor, lengths: Lengths) -> Tensor:
        """Project (B, L, D_t) from `features` to embeddings (B, L, C), zero at the padding."""
        features = self.finished(features, lengths)
        mask = self._mask(features[..., 0], lengths).unsqueeze(-1)  # (B, L, 1)
        if self.context is None:
            return self.fc(features) * mask
        summary = (features * mask).sum(dim=1) / mask.sum(dim=1)  # (B, D_t), the mean word
        return self.context(self.fc, features, summary) * mask

    def finished(self, features: Tensor, lengths: Lengths) -> Tensor:
        """Pass words after the frozen layers through the tail: (B, L, D_t); unchanged without a tail."""
        if self.tail is None:
            return features
        mask = self._mask(features[..., 0], lengths)  # (B, L)
        return pass_words(self.tail, features, mask) * mask.unsqueeze(-1)

    def features(self, ids: Tensor, lengths: Lengths) -> Tensor:
        """Return the words before the projection, (B, L, D_t), or with a tail those after the frozen layers."""
        mask = self._mask(ids, lengths)  # (B, L)
        output = self.bert(input_ids=ids, attention_mask=mask.long(), output_hidden_states=self.tail is not None)
        words = output.last_hidden_state  # (B, L, D_t)
        if self.tail is not None:
            words = output.hidden_states[-1 - len(self.tail)]
        return words * mask.unsqueeze(-1)

    @staticmethod
    def _mask(ids: Tensor, lengths: Lengths) -> Tensor:
        """Mark each caption's tokens: (B, L) bool."""
        if ids.ndim != 2:
            raise ValueError(f"ids has {ids.ndim} dimensions {tuple(ids.shape)}, but 2 are needed: (captions, tokens).")
        if torch.compiler.is_exporting():  # of a graph's lengths nothing is known yet
            counts = torch.as_tensor(lengths)
        else:
            counts = torch.tensor(check_lengths("lengths", lengths, "ids", ids), device=ids.device)
        return torch.arange(ids.shape[1], device=ids.device) < counts.unsqueeze(1)
