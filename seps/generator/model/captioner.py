"""Image to text: a Transformer decoder that reads an image's grid and embedding and writes a caption word by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.common.checks import check_choice, check_positive, check_whole
from seps.generator.config import CaptionerConfig
from seps.generator.model.encoders import ImageFeatures

MODES = ("greedy", "beam", "sample")


class Past(NamedTuple):
    """Cached keys and values of a layer: words (R, heads, L, W / heads) and image (R, heads, G + 1, W / heads)."""

    words: tuple[Tensor, Tensor]
    image: tuple[Tensor, Tensor]

    def of(self, rows: Tensor) -> Past:
        """Reorder the rows' words; the image's keys stay, since rows move only within one image."""
        keys, values = self.words
        return Past((keys[rows], values[rows]), self.image)


class Layer(nn.Module):
    """Residual block: masked self-attention, attention to the image, and a feed-forward network."""

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        width = config.width
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.words = nn.MultiheadAttention(width, config.heads, config.dropout, batch_first=True)
        self.image = nn.MultiheadAttention(width, config.heads, config.dropout, batch_first=True)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, words: Tensor, memory: Tensor, later: Tensor, weights: bool) -> tuple[Tensor, Tensor | None]:
        """Words (B, L, W) and the image's memory (B, M, W) to words, and each word's attention (B, L, M)."""
        normed = self.norms[0](words)
        attended, _ = self.words(normed, normed, normed, attn_mask=later, need_weights=False)
        words = words + self.dropout(attended)
        attended, attention = self.image(self.norms[1](words), memory, memory, need_weights=weights)
        words = words + self.dropout(attended)
        return words + self.dropout(self.network(self.norms[2](words))), attention

    def start(self, memory: Tensor) -> Past:
        """Compute what is kept of the image's memory (R, G + 1, W) while words are written, of which there are none."""
        image = project_inputs(self.image, memory, 1), project_inputs(self.image, memory, 2)
        none = image[0][:, :, :0]
        return Past((none, none), image)

    def step(self, word: Tensor, past: Past) -> tuple[Tensor, Past]:
        """Return the output for the last word (R, 1, W), as `forward` in evaluation mode, and the extended cache."""
        normed = self.norms[0](word)
        pairs = zip(past.words, (1, 2), strict=True)
        keys, values = (torch.cat([kept, project_inputs(self.words, normed, part)], dim=2) for kept, part in pairs)
        word = word + attended(self.words, normed, keys, values)
        word = word + attended(self.image, self.norms[1](word), *past.image)
        return word + self.network(self.norms[2](word)), Past((keys, values), past.image)


def project_inputs(attention: nn.MultiheadAttention, x: Tensor, part: int) -> Tensor:
    """Return the queries (part 0), keys (1) or values (2) of x (R, L, W): (R, heads, L, W / heads)."""
    weight, bias = (tensor.chunk(3)[part] for tensor in (attention.in_proj_weight, attention.in_proj_bias))
    return F.linear(x, weight, bias).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)


def attended(attention: nn.MultiheadAttention, x: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attend from x (R, L, W) to keys and values (R, heads, M, W / heads): (R, L, W)."""
    heads = F.scaled_dot_product_attention(project_inputs(attention, x, 0), keys, values)
    return attention.out_proj(heads.transpose(1, 2).flatten(2))


class Captioner(nn.Module):
    """Writes captions with the token ids `written` (V,), ascending, one per row of its tables; None: all."""

    written: Tensor | None

    def __init__(self, config: CaptionerConfig, grid_width: int, embed_size: int, vocabulary: int) -> None:
        super().__init__()
        self.config = config
        rows = min(vocabulary, config.vocabulary or vocabulary)
        self.register_buffer("written", torch.arange(rows) if config.vocabulary else None)
        self.tokens = nn.Embedding(rows, config.width)
        self.positions = nn.Parameter(torch.randn(config.max_words, config.width) * 0.02)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.from_grid = nn.Linear(grid_width, config.width)
        self.from_embedding = nn.Linear(embed_size, config.width)
        self.layers: Any = nn.ModuleList([Layer(config) for _ in range(config.layers)])
        self.norm = nn.LayerNorm(config.width)
        self.image_dropout = nn.Dropout(config.image_dropout)

    def rows(self, ids: Tensor, unknown: int) -> Tensor:
        """Token ids of any shape to rows of its tables; other ids map to the row of `unknown`."""
        if self.written is None:
            return ids
        given = torch.cat([ids.new_tensor([unknown]), ids.flatten()])
        rows = torch.searchsorted(self.written, given).clamp_max(len(self.written) - 1)
        return torch.where(self.written[rows] == given, rows, rows[0])[1:].view_as(ids)

    def ids(self, rows: Tensor) -> Tensor:
        """Rows of its tables to token ids."""
        return rows if self.written is None else self.written[rows]

    def memory(self, image: ImageFeatures) -> Tensor:
        """Return the keys that words attend to: the grid's cells and, last, the embedding: (B, G + 1, W)."""
        memory = torch.cat([self.from_grid(image.grid), self.from_embedding(image.embedding)[:, None]], dim=1)
        return self.image_dropout(memory)

    def forward(self, memory: Tensor, ids: Tensor, weights: bool = False) -> tuple[Tensor, Tensor | None]:
        """Return logits (B, L, V) of the next words, and with `weights` the last layer's attention (B, L, G + 1)."""
        count = ids.shape[1]
        words = self.tokens(ids) + self.positions[:count]  # (B, L, W)
        later = torch.ones(count, count, dtype=torch.bool, device=ids.device).triu(1)  # (L, L)
        attention = None
        for number, layer in enumerate(self.layers):
            words, attention = layer(words, memory, later, weights and number + 1 == len(self.layers))
        return self.norm(words) @ self.tokens.weight.T, attention

    def start(self, memory: Tensor) -> list[Past]:
        """Begin to write a caption for each row of memory (R, G + 1, W): what `step` needs, of each layer."""
        return [layer.start(memory) for layer in self.layers]

    def step(self, ids: Tensor, past: list[Past]) -> tuple[Tensor, list[Past]]:
        """Scores of the next word (R, V) after the last one's ids (R,), as `forward` has them in evaluation mode."""
        place = past[0].words[0].shape[2]
        word = self.tokens(ids)[:, None] + self.positions[place]  # (R, 1, W)
        kept = []
        for layer, of_layer in zip(self.layers, past, strict=True):
            word, after = layer.step(word, of_layer)
            kept.append(after)
        return self.norm(word[:, 0]) @ self.tokens.weight.T, kept


def caption_loss(logits: Tensor, ids: Tensor, lengths: Tensor, smoothing: float = 0.0) -> Tensor:
    """Return the cross-entropy of each next token up to [SEP], mean over tokens, from logits (B, L, V)."""
    targets = ids[:, 1:].clone()  # (B, L - 1)
    steps = torch.arange(targets.shape[1], device=ids.device)
    targets[steps >= (lengths.to(ids.device) - 1)[:, None]] = -100  # left out by cross_entropy
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten(), label_smoothing=smoothing)


@dataclass(frozen=True)
class Decoding:
    """Decoding settings: mode "greedy", "beam" or "sample", number of beams, sampling temperature and seed."""

    mode: str = "beam"
    beams: int = 4
    temperature: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("mode", self.mode, MODES)
        check_whole("beams", self.beams, 100)
        check_positive("temperature", self.temperature, 100.0)


class Written(NamedTuple):
    """A caption as it was written: ids (L,) without [CLS] and [SEP], and the mean log probability of its tokens."""

    ids: Tensor
    score: float


@torch.no_grad()
def write_captions(
    captioner: Captioner, memory: Tensor, start: int, end: int, barred: list[int], how: Decoding
) -> list[list[Written]]:
    """Write captions of images, the best one first; several per image with beams."""
    beams = how.beams if how.mode == "beam" else 1
    count = len(memory)
    # Barred tokens end with [UNK]; ids that the tables lack share its row.
    special = torch.tensor([end, start, *barred], device=memory.device)
    end, start, *barred = captioner.rows(special, int(special[-1])).tolist()
    memory = memory.repeat_interleave(beams, dim=0)  # (B * beams, G + 1, W)
    device = memory.device
    generator = torch.Generator(device).manual_seed(how.seed)
    ids = torch.full((count * beams, 1), start, device=device)
    scores = torch.zeros(count, beams, device=device)
    scores[:, 1:] = -torch.inf  # all beams of an image begin alike: one goes on
    ended = torch.zeros(count, beams, dtype=torch.bool, device=device)
    lengths = torch.ones(count, beams, device=device)
    past = captioner.start(memory)
    for place in range(1, captioner.config.max_words):
        logits, past = captioner.step(ids[:, -1], past)  # (B * beams, V)
        logits[:, [start, *barred]] = -torch.inf
        logits[repeats(ids, captioner.config.no_repeat)] = -torch.inf
        if how.mode == "sample":
            chances = (logits / how.temperature).softmax(dim=-1)
            drawn = torch.multinomial(chances, 1, generator=generator)  # (B, 1)
            gained = logits.log_softmax(dim=-1).gather(1, drawn)  # (B, 1)
            beam, token = torch.zeros_like(drawn), torch.where(ended, end, drawn)
            scores = scores + torch.where(ended, 0.0, gained)
        else:
            gained = logits.log_softmax(dim=-1).view(count, beams, -1)  # (B, beams, V)
            gained = torch.where(ended[..., None], -torch.inf, gained)
            gained[..., end] = torch.where(ended, 0.0, gained[..., end])
            total = (scores[..., None] + gained).flatten(1)  # (B, beams * V)
            scores, best = total.topk(beams, dim=1)
            beam, token = best // gained.shape[-1], best % gained.shape[-1]
        rows = (torch.arange(count, device=device)[:, None] * beams + beam).flatten()
        last = place + 1 == captioner.config.max_words
        token = torch.full_like(token, end) if last else token
        ids = torch.cat([ids[rows], token.view(-1, 1)], dim=1)
        past = [of_layer.of(rows) for of_layer in past]
        ended, lengths = ended.gather(1, beam), lengths.gather(1, beam)
        lengths = lengths + (~ended).float()
        ended = ended | (token == end)
        if bool(ended.all()):
            break
    means = scores / lengths
    captions = []
    for image in range(count):
        written = []
        for beam_number in means[image].argsort(descending=True).tolist():
            row = ids[image * beams + beam_number]
            tokens = row[1 : int(lengths[image, beam_number])]
            written.append(Written(captioner.ids(tokens[tokens != end]).cpu(), float(means[image, beam_number])))
        captions.append(written)
    return captions


def repeats(ids: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """Return the tokens that would repeat a sequence of `length` tokens (0: none) in ids (R, L): rows and tokens."""
    if not 0 < length <= ids.shape[1]:
        return ids.new_zeros(0), ids.new_zeros(0)
    sequences = ids.unfold(1, length, 1)  # (R, L - length + 1, length)
    last = ids[:, ids.shape[1] - length + 1 :]  # (R, length - 1)
    rows, places = (sequences[..., :-1] == last[:, None]).all(dim=-1).nonzero(as_tuple=True)
    return rows, sequences[rows, places, -1]
