"""The state of a run that trains a generator: what its checkpoint holds, and how its model is saved."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from seps.generator.model.network import GeneratorNetwork
from seps.generator.training.losses import Objective
from seps.generator.training.settings import GeneratorSettings
from seps.generator.training.teacher import TeacherHead


class Run(nn.Module):
    """Content of a checkpoint: the objective, and the UNet's running average if it has one."""

    def __init__(
        self, network: GeneratorNetwork, settings: GeneratorSettings, teacher: TeacherHead | None = None
    ) -> None:
        super().__init__()
        self.objective = Objective(network, settings, teacher)
        self.average: AveragedModel | None = None
        if settings.average and any("diffusion" in stage.losses for stage in settings.stages):
            self.average = AveragedModel(network.unet, multi_avg_fn=get_ema_multi_avg_fn(settings.average))
            self.average.requires_grad_(False)

    def has_drawn(self, number: int) -> bool:
        """Return whether diffusion has begun by the end of stage `number`, counted from 0."""
        return any("diffusion" in stage.losses for stage in self.objective.settings.stages[: number + 1])

    @contextmanager
    def use_average(self, drawn: bool) -> Iterator[None]:
        """Give the UNet its running average temporarily, if it has one and diffusion has begun (`drawn`)."""
        if self.average is None or not drawn:
            yield
            return
        unet = self.objective.network.unet
        weights = {key: tensor.clone() for key, tensor in unet.state_dict().items()}
        unet.load_state_dict(self.average.module.state_dict())
        try:
            yield
        finally:
            unet.load_state_dict(weights)

    def save_model(self, folder: Path, drawn: bool) -> None:
        """Write the generator, its UNet as the running average where diffusion has begun (`drawn`)."""
        with self.use_average(drawn):
            self.objective.network.save(folder)

    def load_model(self, folder: Path, drawn: bool) -> None:
        """Load what `save_model` wrote; the running average continues from its UNet."""
        network = self.objective.network
        network.load(folder)
        if self.average is not None and drawn:
            self.average.module.load_state_dict(network.unet.state_dict())
