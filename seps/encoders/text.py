"""Caption encoder: token ids to word embeddings."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seps.checks import Lengths, check_lengths
from seps.encoders.config import TextConfig
from seps.encoders.heads import ContextHead
from seps.encoders.low_rank import LowRank, add_low_rank, disable_differences
from seps.encoders.tails import pass_words, text_layers
from seps.encoders.weights import text_backbone


class TextEncoder(nn.Module):
    """A transformers encoder with a projection of its words.

    Args:
        config: the encoder.
        embed_size: C.

    Attributes:
        bert: the encoder, of any kind; fc: nn.Linear, D_t -> C; context: ContextHead, or None without context.
        width: D_t, channels of the encoder's words; vocabulary: number of embedded ids.
        tail, frozen_layers: the trained last layers and the number of layers before them, see `freeze_layers`; None and
            -1 if not split.

    Raises:
        ValueError: an encoder or weights that are not available; more words than the encoder has positions.
    """

    def __init__(self, config: TextConfig, embed_size: int) -> None:
        super().__init__()
        self.config = config
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
        """Freeze the encoder's first `count` layers and train the others as part of the projection.

        `features` then returns the words after the frozen layers. In layers with low-rank differences only these are
        trained.

        Raises:
            ValueError: an encoder that cannot be split there.
        """
        self.tail, self.frozen_layers = text_layers(self.bert, count), count
        self.bert.requires_grad_(False)
        for layer in self.tail:
            differences: list[nn.Module] = [part for part in layer.modules() if isinstance(part, LowRank)]
            for part in differences or [layer]:
                part.requires_grad_(True)

    def forward(self, ids: Tensor, lengths: Lengths) -> Tensor:
        """Compute word embeddings.

        Args:
            ids: (B, L) int64, from [CLS] to [SEP], then padding with any id of the vocabulary.
            lengths: (B,), tokens of each caption, 1 to L.

        Returns:
            (B, L, C), zero at the padding.

        Raises:
            ValueError: ids of another shape, or lengths that do not fit.
        """
        return self.project(self.features(ids, lengths), lengths)

    def with_plain(self, ids: Tensor, lengths: Lengths) -> tuple[Tensor, Tensor]:
        """Compute word embeddings, and the words of the pretrained encoder without low-rank differences.

        The layers before the first difference run only once.

        Args:
            ids, lengths: as for `forward`; so are the errors.

        Returns:
            (B, L, C), as `forward`, and (B, L, D_t); both zero at the padding.
        """
        mask = self._mask(ids, lengths)  # (B, L)
        output = self.bert(input_ids=ids, attention_mask=mask.long(), output_hidden_states=True)
        words = plain = output.last_hidden_state  # (B, L, D_t)
        if self.config.low_rank:
            shared = len(output.hidden_states) - 1 - self.config.low_rank_layers
            with disable_differences():
                plain = pass_words(text_layers(self.bert, shared), output.hidden_states[shared], mask)
        mask = mask.unsqueeze(-1)  # (B, L, 1)
        return self._embed(words * mask, mask), plain * mask

    def project(self, features: Tensor, lengths: Lengths) -> Tensor:
        """Project (B, L, D_t) from `features` to embeddings (B, L, C), zero at the padding."""
        features = self.finished(features, lengths)
        return self._embed(features, self._mask(features[..., 0], lengths).unsqueeze(-1))

    def _embed(self, features: Tensor, mask: Tensor) -> Tensor:
        """Project words (B, L, D_t) after the tail to embeddings (B, L, C); mask (B, L, 1)."""
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
        """Return the encoder's words before the projection: (B, L, D_t), zero at the padding.

        With a tail, the words after the frozen layers. Arguments and errors as `forward`.
        """
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
