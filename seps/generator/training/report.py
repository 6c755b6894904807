"""Training reports of a generator: the plan, and a step in short."""

from collections.abc import Mapping

from seps.common.numbers import amount
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training.settings import GeneratorSettings

SHORT = {
    "contrastive": "cont",
    "captions": "rec",
    "pixels": "rec",
    "diffusion": "diff",
    "teacher": "teacher",
    "perceptual": "perc",
    "representation": "repr",
}


def describe_step(values: Mapping[str, float], batch_size: int) -> str:
    """Return a step in short: `loss=, cont=, rec=, diff=`, and accuracy in the batch, of which chance is 1 / B."""
    short: dict[str, float] = {}
    for name, value in values.items():
        if name not in ("i2t", "t2i"):
            name = SHORT.get(name, name)
            short[name] = short.get(name, 0.0) + value
    text = ", ".join(f"{name}={value:.3f}" for name, value in short.items())
    if "i2t" not in values:
        return text
    return f"{text}, i2t={values['i2t']:.0%}, t2i={values['t2i']:.0%} of {batch_size}"


def training_plan(network: GeneratorNetwork, settings: GeneratorSettings, train_images: int, dev_images: int) -> str:
    """Return the training plan, printed before training starts."""
    sizes = {
        name: sum(parameter.numel() for parameter in part.parameters())
        for name, part in network.named_children()
        if name != "temperature"
    }
    aligns = any("representation" in stage.losses for stage in settings.stages)
    lines = [
        f"{train_images:,} images to train on, {dev_images:,} to measure on, {network.config.image_size} pixels a "
        f"side, on {network.device}.",
        "Parameters: " + ", ".join(f"{name} {size:,}" for name, size in sizes.items()) + ".",
        f"Batch {settings.batch_size}, weight decay {settings.weight_decay:g}, warm-up of "
        f"{settings.lr_warmup_epochs:g} epochs a stage. Weights: contrastive {settings.contrastive_weight:g}, captions "
        f"and pixels {settings.reconstruction_weight:g}, diffusion {settings.diffusion_weight:g}"
        + (f", teacher {settings.teacher_weight:g} ({settings.teacher})" if settings.teacher else "")
        + (f", representation {settings.representation_weight:g}." if aligns else "."),
    ]
    for number, stage in enumerate(settings.stages, start=1):
        frozen = ", text encoder frozen" * stage.freeze_text + ", latents frozen" * stage.freeze_latents
        lines.append(
            f"Stage {number}: {amount(stage.epochs, 'epoch')} of {', '.join(stage.losses)}, {settings.batch(stage)} "
            f"images a step, {stage.optimizer}, "
            f"learning rate {stage.learning_rate or settings.learning_rate:g}{frozen}."
        )
    return "\n".join(lines)
