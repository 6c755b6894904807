"""Training reports of a judge: the plan and, per epoch, agreement, gap to train and corrections."""

from collections.abc import Mapping, Sequence

from seps.common.numbers import amount, written
from seps.judge.config import SCORES
from seps.judge.data import Ratings
from seps.judge.encoders import ClipEncoders, tower_layers
from seps.judge.judge import Judge
from seps.judge.metrics import correlations, srocc
from seps.judge.network import Predictions
from seps.judge.training.settings import JudgeSettings

AT_BOUND = 0.95  # the mean correction as a share of the scale
SMALL_CORRECTION = 0.05  # the largest, in scores
MAX_GAP = 0.05  # of SROCC between train and dev


def epoch_row(judge: Judge, ratings: dict[str, Ratings], predictions: dict[str, Predictions]) -> dict[str, float]:
    """Return the columns of metrics.csv: correlations on dev, gap of SROCC, corrections as shares of their scales."""
    row: dict[str, float] = {}
    for name, scale in zip(SCORES, judge.scales, strict=True):
        dev = getattr(predictions["dev"], name)
        on_dev = correlations(dev.final.double().cpu().numpy(), getattr(ratings["dev"], name))
        row |= {f"{name}_{key}": value for key, value in on_dev.items()}
        on_train = getattr(predictions["train"], name).final.double().cpu().numpy()
        row[f"{name}_gap"] = srocc(on_train, getattr(ratings["train"], name)) - on_dev["srocc"]
        if scale:
            corrections = dev.correction.abs() / scale
            row[f"{name}_correction_mean"] = float(corrections.mean())
            row[f"{name}_correction_max"] = float(corrections.max())
    return row


def epoch_report(row: Mapping[str, float], scales: Sequence[float]) -> str:
    """Return an epoch in words: agreement on dev, the gap, and where corrections sit; scales: of both corrections."""
    lines = [f"epoch {int(row['epoch'])}: loss {row['loss']:.4f}"]
    for name, scale in zip(SCORES, scales, strict=True):
        shown = ", ".join(f"{key.upper()} {written(row[f'{name}_{key}'], '.3f')}" for key in ("srocc", "plcc", "krcc"))
        gap = row[f"{name}_gap"]
        line = f"  {name}: {shown}, {written(gap, '+.3f')} better on train{gap_remark(gap)}"
        if f"{name}_correction_mean" in row:
            mean, most = row[f"{name}_correction_mean"], row[f"{name}_correction_max"]
            means = f"mean {written(mean, '.2f')}, largest {written(most, '.2f')} of the scale"
            line += f"; corrections: {means}{bound_remark(mean, most, scale)}"
        lines.append(line)
    return "\n".join(lines)


def gap_remark(gap: float) -> str:
    """Return a clause where SROCC on train is far above that on dev."""
    advice = "it learns pictures by heart (freeze more, smaller scales, more dropout or fewer epochs)"
    return f", above {MAX_GAP:g}: {advice}" if gap > MAX_GAP else ""


def bound_remark(mean: float, largest: float, scale: float) -> str:
    """Return a sentence where corrections, shares of the scale, sit at their bound or hardly move anything."""
    if mean > AT_BOUND:
        return ". They sit within 5% of the bound: the scale is too small."
    if largest * scale < SMALL_CORRECTION:
        return f". All stay below {SMALL_CORRECTION:g}: they hardly move a score (raise the scale or train longer)."
    return ""


def training_plan(judge: Judge, settings: JudgeSettings, train_pictures: int, dev_pictures: int) -> str:
    """Return the training plan, printed before training starts."""
    config, encoder = judge.config, judge.config.encoder
    learned = sum(parameter.numel() for parameter in judge.parameters() if parameter.requires_grad)
    frozen = sum(parameter.numel() for parameter in judge.encoders.parameters() if not parameter.requires_grad)
    freezing = "nothing" if encoder.freeze == "none" else "all of the encoders"
    if isinstance(judge.encoders, ClipEncoders) and encoder.freeze == "layers":
        towers = tower_layers(judge.encoders.model.config).items()
        shares = [(encoder.freeze_layers[tower], count, tower) for tower, count in towers]
        parts = " and ".join(f"{some} of {count} {tower} layers ({some / count:.0%})" for some, count, tower in shares)
        freezing = f"embeddings and the first {parts}; 70 to 80% is usual"
    if config.residual:
        quality = f"clamp(sigmoid(Linear(img)) + {config.scale_q:g} tanh(MLP(img)), 0, 1)"
        seen = ["img", "txt", "cos"]
        seen += ["img * txt"] if config.fusion_product else []
        seen += ["quality img"] if config.fusion_quality else []
        consistency = (
            f"clamp(clamp(a (cos(img, txt) + 1) / 2 + b, 0, 1) + {config.scale_c:g} tanh(Fusion([{', '.join(seen)}])), "
            "0, 1)"
        )
    else:
        quality, consistency = "sigmoid(Linear(img))", "sigmoid(Fusion([img, txt, cos]))"
        if config.branches == "two":
            consistency = f"({consistency} + sigmoid(5 cos(img, txt))) / 2"
    lines = [
        f"{train_pictures:,} pictures to train on, {dev_pictures:,} to measure on; scores are divided by "
        f"{config.data.mos_top:g}.",
        f"{amount(settings.epochs, 'epoch')}, batch {settings.batch_size}, learning rate {settings.learning_rate:g}, "
        f"weight decay {settings.weight_decay:g}, warm-up {settings.warmup:.0%}, then a cosine.",
        f"Loss weights: quality {settings.quality_weight:g}, consistency {settings.consistency_weight:g}, spoilt "
        f"copies {settings.spoilt_weight:g}.",
        f"Encoders: {encoder.name}; frozen: {freezing}. {learned:,} parameters learn, {frozen:,} do not.",
        f"quality = {quality}",
        f"consistency = {consistency}",
    ]
    return "\n".join(lines)
