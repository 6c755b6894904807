"""Caption encoder: token ids to word embeddings."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seps.checks import Lengths, check_lengths
from seps.encoders.config import TextConfig
from seps.encoders.heads import ContextHead
from seps.encoders.low_rank import LowRank, add_low_rank, without_differences
from seps.encoders.tails import passed_words, text_layers
from seps.encoders.weights import text_backbone


class TextEncoder(nn.Module):
    """A transformers encoder and a projection of its words.

    Args:
        config: the encoder.
        embed_size: C.

    Attributes:
        bert: the encoder, whatever its kind; fc: nn.Linear, D_t -> C; context: ContextHead, or None without context.
        width: D_t, channels of the encoder's words; vocabulary: how many ids it embeds.
        tail, frozen_layers: the encoder's last layers, which learn along, and how many come before them, see
            `freeze_layers`; None and -1 while all is taken as a whole.

    Raises:
        ValueError: an encoder or weights that cannot be had; more words than the encoder has positions.
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
        """Raise ValueError where a config allows more words than the encoder has positions."""
        positions = getattr(self.bert.config, "max_position_embeddings", None)
        longest = max(config.max_words, config.max_dense_words)
        if positions is not None and longest > positions:
            raise ValueError(f"Captions may have {longest} tokens, but {config.encoder} has {positions} positions.")

    def freeze_layers(self, count: int) -> None:
        """Keep the encoder's first `count` layers frozen and let the others learn, as part of the projection.

        From then on `features` are the words after the frozen layers. Of a layer with low-rank differences these alone
        learn.

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
        """Word embeddings.

        Args:
            ids: (B, L) int64, from [CLS] to [SEP], then padding of any value in the vocabulary.
            lengths: (B,), tokens of each caption, 1 to L.

        Returns:
            (B, L, C), zero at the padding.

        Raises:
            ValueError: ids of another shape, or lengths that do not fit.
        """
        return self.project(self.features(ids, lengths), lengths)

    def with_plain(self, ids: Tensor, lengths: Lengths) -> tuple[Tensor, Tensor]:
        """Word embeddings, and the encoder's own words as it came: without the low-rank differences that it has learnt.

        The layers before the first difference are passed once for both.

        Args:
            ids, lengths: as for `forward`; so are the errors.

        Returns:
            (B, L, C), as `forward` gives them, and (B, L, D_t); both zero at the padding.
        """
        mask = self._mask(ids, lengths)  # (B, L)
        output = self.bert(input_ids=ids, attention_mask=mask.long(), output_hidden_states=True)
        words = plain = output.last_hidden_state  # (B, L, D_t)
        if self.config.low_rank:
            shared = len(output.hidden_states) - 1 - self.config.low_rank_layers
            with without_differences():
                plain = passed_words(text_layers(self.bert, shared), output.hidden_states[shared], mask)
        mask = mask.unsqueeze(-1)  # (B, L, 1)
        return self._embed(words * mask, mask), plain * mask

    def project(self, features: Tensor, lengths: Lengths) -> Tensor:
        """Features (B, L, D_t) from `features` to embeddings (B, L, C), zero at the padding."""
        features = self.finished(features, lengths)
        return self._embed(features, self._mask(features[..., 0], lengths).unsqueeze(-1))

    def _embed(self, features: Tensor, mask: Tensor) -> Tensor:
        """Finished words (B, L, D_t) as embeddings (B, L, C); mask (B, L, 1)."""
        if self.context is None:
            return self.fc(features) * mask
        summary = (features * mask).sum(dim=1) / mask.sum(dim=1)  # (B, D_t), the mean word
        return self.context(self.fc, features, summary) * mask

    def finished(self, features: Tensor, lengths: Lengths) -> Tensor:
        """Pass words after the frozen layers through the others: (B, L, D_t); without a tail they stay as they are."""
        if self.tail is None:
            return features
        mask = self._mask(features[..., 0], lengths)  # (B, L)
        return passed_words(self.tail, features, mask) * mask.unsqueeze(-1)

    def features(self, ids: Tensor, lengths: Lengths) -> Tensor:
        """Return the encoder's own words, before the projection: (B, L, D_t), zero at the padding; else as `forward`.

        With a tail those after the frozen layers.
        """
        mask = self._mask(ids, lengths)  # (B, L)
        output = self.bert(input_ids=ids, attention_mask=mask.long(), output_hidden_states=self.tail is not None)
        words = output.last_hidden_state  # (B, L, D_t)
        if self.tail is not None:
            words = output.hidden_states[-1 - len(self.tail)]
        return words * mask.unsqueeze(-1)

    @staticmethod
    def _mask(ids: Tensor, lengths: Lengths) -> Tensor:
        """(B, L) bool: True at a caption's own tokens."""
        if ids.ndim != 2:
            raise ValueError(f"ids has {ids.ndim} dimensions {tuple(ids.shape)}, but 2 are needed: (captions, tokens).")
        if torch.compiler.is_exporting():  # of a graph's lengths nothing is known yet
            counts = torch.as_tensor(lengths)
        else:
            counts = torch.tensor(check_lengths("lengths", lengths, "ids", ids), device=ids.device)
        return torch.arange(ids.shape[1], device=ids.device) < counts.unsqueeze(1)
