from dataclasses import replace
from pathlib import Path

import pytest
import torch

from seps.generator.config import GeneratorConfig
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training import loop
from seps.generator.training.batches import Source, make_batch, prepare
from seps.generator.training.data import objects_of, read_captioned
from seps.generator.training.losses import Batch, Objective
from seps.generator.training.settings import GeneratorSettings, Stage
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.runs.run_log import read_epochs, read_steps
from tests.seps.runs.stopped import stop_after

STAGES = (
    Stage(("pixels",), 1),
    Stage(("contrastive", "captions"), 1),
    Stage(("diffusion", "representation"), 2, freeze_text=True, optimizer="muon", batch_size=8),
)
SETTINGS = GeneratorSettings(stages=STAGES, batch_size=4, lr_warmup_epochs=0.5, average=0.9)


def batch_of(network: GeneratorNetwork) -> Batch:
    texts = ["a red car in the park", "a small dog", "two boats at sea", "a tree at night"]
    pictures = torch.nn.functional.interpolate(torch.rand(4, 3, 4, 4) * 2 - 1, 32)  # squares of one colour each
    return Batch(pictures, None, *network.read(texts))


@pytest.mark.parametrize(("name", "is_orthogonal"), [("adamw", False), ("muon", True)])
def test_a_stage_names_its_optimizer(name: str, is_orthogonal: bool) -> None:
    torch.manual_seed(0)
    weights, bias = torch.nn.Parameter(torch.zeros(8, 16)), torch.nn.Parameter(torch.zeros(8))
    optimizer = loop.optimizer_of(Stage(optimizer=name), [weights, bias], weight_decay=0.0)
    optimizer.param_groups[0]["lr"] = 0.1
    weights.grad, bias.grad = torch.randn(8, 1) * torch.randn(1, 16), torch.randn(8)
    weights.grad += 0.2 * torch.randn(8, 16)
    optimizer.step()
    largest, *_, least = torch.linalg.svdvals(weights.detach()).tolist()
    assert (largest < 5 * least) == is_orthogonal
    assert torch.equal(bias.detach().sign(), -bias.grad.sign())


@pytest.mark.parametrize(
    ("stage", "parts"),
    [
        (Stage(("pixels",)), {"autoencoder"}),
        (Stage(("contrastive",)), {"images", "captions", "temperature"}),
        (Stage(("captions",)), {"images", "captioner"}),
        (Stage(("diffusion",)), {"unet", "captions"}),
        (Stage(("diffusion",), freeze_text=True), {"unet"}),
        (Stage(), {"images", "captions", "temperature", "captioner", "autoencoder", "unet"}),
    ],
)
def test_a_step_moves_what_its_losses_reach(network: GeneratorNetwork, stage: Stage, parts: set[str]) -> None:
    objective = Objective(network, GeneratorSettings((stage,)))
    learned = objective.set_stage(stage)
    before = {name: parameter.detach().clone() for name, parameter in network.named_parameters()}
    optimizer = torch.optim.SGD(learned, lr=1.0)
    objective(stage, batch_of(network))["loss"].backward()
    optimizer.step()
    moved = {name.split(".")[0] for name, old in before.items() if not torch.equal(old, network.get_parameter(name))}
    assert moved == parts


def test_places_on_objects_count_more(drawn: Path, network: GeneratorNetwork, tmp_path: Path) -> None:
    captioned = read_captioned(drawn, "train", 32, network.tokenizer, 30, tmp_path)
    covered = objects_of(captioned.split, 4)
    assert covered.shape == (8, 4, 4)
    assert 0 <= float(covered.min()) < float(covered.max()) <= 1
    objective = Objective(network, replace(SETTINGS, object_weight=5.0))
    stage = Stage(("diffusion",), freeze_text=True)
    source = prepare(objective, stage, Source(captioned), tmp_path)
    batch = make_batch(objective, stage, source, torch.tensor([3, 1]), torch.tensor([0, 0]))
    assert batch.places is not None
    torch.testing.assert_close(batch.places, 1 + 4 * covered[[3, 1]])
    assert prepare(Objective(network, SETTINGS), stage, Source(captioned), tmp_path).places is None
    (drawn / "train_scenes.jsonl").rename(tmp_path / "scenes")
    try:
        with pytest.raises(ValueError, match=r"train_scenes\.jsonl, which is not there"):
            prepare(objective, stage, Source(captioned), tmp_path)
    finally:
        (tmp_path / "scenes").rename(drawn / "train_scenes.jsonl")


def test_losses_are_weighed_and_told_apart(network: GeneratorNetwork) -> None:
    settings = GeneratorSettings()
    objective = Objective(network, settings)
    with torch.no_grad():
        losses = objective(Stage(), batch_of(network))
    assert set(losses) == {"loss", "contrastive", "captions", "pixels", "diffusion", "i2t", "t2i"}
    by_hand = sum(settings.weight(name) * losses[name] for name in ("contrastive", "captions", "pixels", "diffusion"))
    torch.testing.assert_close(losses["loss"], by_hand)
    assert 0 <= losses["i2t"] <= 1


def test_a_run_goes_on_to_the_same_weights(drawn: Path, config: GeneratorConfig, tmp_path: Path) -> None:
    whole = loop.train(config, SETTINGS, drawn, tmp_path / "whole", cache=tmp_path / "cache")
    with stop_after(1, stage=2):
        loop.train(config, SETTINGS, drawn, tmp_path / "cut", cache=tmp_path / "cache")
    again = loop.train(config, SETTINGS, drawn, tmp_path / "cut", resume=True, cache=tmp_path / "cache")
    torch.testing.assert_close(dict(again.state_dict()), dict(whole.state_dict()))
    rows = read_epochs(tmp_path / "whole")
    assert [row["stage"] for row in rows] == [1, 2, 3, 3]
    assert rows == read_epochs(tmp_path / "cut")
    assert {"pixels", "dev_pixels"} <= rows[0].keys()
    steps = [line["step"] for line in read_steps(tmp_path / "whole")]
    assert steps == [i + 1 for i in range(len(steps))]  # counted over all stages
    assert read_steps(tmp_path / "whole") == read_steps(tmp_path / "cut")
    assert all(not rows[0].keys().isdisjoint(columns) for columns, _ in loop.StageTrainer.curves.pictures.values())
    assert {"i2t", "t2i", "dev_captions"} <= rows[1].keys()
    kept = GeneratorNetwork(config)
    kept.load(tmp_path / "whole" / "model")
    assert not torch.equal(kept.unet.conv_in.weight, whole.unet.conv_in.weight)  # the running average is kept


def test_a_run_starts_from_a_generator(drawn: Path, config: GeneratorConfig, tmp_path: Path) -> None:
    first = GeneratorNetwork(config)
    first.save(tmp_path / "first")
    short = replace(SETTINGS, stages=STAGES[:1])
    trained = loop.train(config, short, drawn, tmp_path / "run", cache=tmp_path / "cache", start=tmp_path / "first")
    before = first.state_dict()
    for key, tensor in trained.state_dict().items():
        if not key.startswith("autoencoder"):
            torch.testing.assert_close(tensor, before[key].half().float())
    learned = "autoencoder.encoder.0.weight"
    assert not torch.equal(trained.state_dict()[learned], before[learned])
    with pytest.raises(ValueError, match=r"none/generator\.json does not exist"):
        loop.train(config, short, drawn, tmp_path / "run", cache=tmp_path / "cache", start=tmp_path / "none")


def test_a_captioner_learns_no_diffusion(drawn: Path, config: GeneratorConfig, tmp_path: Path) -> None:
    writes = replace(config, draws=False)
    loop.train(writes, replace(SETTINGS, stages=STAGES[1:2]), drawn, tmp_path / "run", cache=tmp_path / "cache")
    assert not GeneratorConfig.from_json(tmp_path / "run" / "model" / "generator.json").draws
    with pytest.raises(ValueError, match="The recipe's draws is false"):
        loop.train(writes, SETTINGS, drawn, tmp_path / "other", cache=tmp_path / "cache")
    later, start = replace(SETTINGS, stages=STAGES[:1]), tmp_path / "run" / "model"
    whole = loop.train(config, later, drawn, tmp_path / "unet", cache=tmp_path / "cache", start=start)
    assert whole.unet is not None


def test_steps_of_scaled_latents_want_the_picture_scaled_down(network: GeneratorNetwork) -> None:
    objective = Objective(network, SETTINGS)
    pictures = torch.rand(2, 3, 32, 32) * 2 - 1
    for probability, sides in ((0.0, {32}), (0.999, {16, 24})):
        stage = Stage(("pixels",), scaled_latents=probability)
        objective.set_stage(stage)
        shapes = set()
        for _ in range(20):
            seen, rebuilt = objective.reconstruct_pictures(stage, pictures)
            assert seen.shape == rebuilt.shape
            shapes.add(seen.shape[-1])
        assert shapes == sides
        network.autoencoder.eval()  # nothing is scaled in measurements
        assert objective.reconstruct_pictures(stage, pictures)[0] is pictures


def test_another_decoder_starts_anew_on_the_same_latents(drawn: Path, config: GeneratorConfig, tmp_path: Path) -> None:
    first = GeneratorNetwork(config)
    first.save(tmp_path / "first")
    wider = replace(config, autoencoder=replace(config.autoencoder, decoder_channels=(16, 24, 32)))
    run = replace(SETTINGS, stages=(Stage(("pixels",), 1, freeze_latents=True),))
    trained = loop.train(wider, run, drawn, tmp_path / "run", cache=tmp_path / "cache", start=tmp_path / "first")
    after = trained.state_dict()
    for key, tensor in first.state_dict().items():
        if not key.startswith("autoencoder.decoder"):
            torch.testing.assert_close(after[key], tensor.half().float().to(tensor.dtype), msg=key)
    assert trained.autoencoder.decoder[0].out_channels == 32
    with pytest.raises(ValueError, match=r"first/autoencoder\.safetensors has autoencoder\.decoder\.0\.bias"):
        loop.train(wider, replace(SETTINGS, stages=STAGES[:1]), drawn, tmp_path / "no", start=tmp_path / "first")


def test_a_trained_text_encoder(network: GeneratorNetwork, model: SEPSModel, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = load_model("scenes")
    monkeypatch.setattr(loop, "load_model", {"scenes": trained, "photos": model}.__getitem__)
    loop.start_text(network, "scenes")
    expected = trained.txt_enc.bert.state_dict()
    for key, tensor in network.captions.encoder.bert.state_dict().items():
        torch.testing.assert_close(tensor, expected[key])
    with pytest.raises(ValueError, match=r"training\.text_start is 'photos', but its text encoder is not"):
        loop.start_text(network, "photos")
