import re
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import BertConfig, BertModel, PreTrainedModel, SwinConfig, SwinModel, ViTConfig, ViTModel

from seps import CrossSparseAggrNet
from seps.models.config import ModelConfig
from seps.models.convert import convert, main, timm_tensors
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from tests.helpers.models.tiny import equal_states, tiny_settings

IMAGE = "img_enc.visual_encoder."
OPT = Namespace(
    embed_size=24, sparse_ratio=0.3, aggr_ratio=0.5, num_patches=100, img_res=160, vit_type="vit", lr_schedules=[9, 15]
)
VIT: dict[str, Any] = {
    "image_size": 160,
    "hidden_size": 64,
    "num_hidden_layers": 6,
    "num_attention_heads": 2,
    "intermediate_size": 192,
    "layer_norm_eps": 1e-6,  # timm's; how much HuggingFace's own 1e-12 changes is tested next to the renaming
}


class AuthorsModel(nn.Module):
    """Modules under the names of the authors' code: HuggingFace's encoders, a projection each, the released network."""

    def __init__(self, vision: PreTrainedModel, size: int, num_patches: int, **network: Any) -> None:
        super().__init__()
        geometry: Any = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
        bert = BertModel(BertConfig(vocab_size=13, **geometry))
        width = int(vision.num_features if isinstance(vision, SwinModel) else vision.config.hidden_size)
        self.img_enc = nn.ModuleDict(
            {"visual_encoder": vision, "vision_proj": nn.Identity() if width == size else nn.Linear(width, size)}
        )
        self.txt_enc = nn.ModuleDict({"bert": bert, "fc": nn.Linear(16, size)})
        self.cross_net = CrossSparseAggrNet(size, num_patches, **network)
        with torch.no_grad():
            for parameter in self.parameters():  # so that no bias is 0 and no two norms are equal
                parameter.add_(0.05 * torch.randn_like(parameter))
        self.eval()

    def images(self, images: Tensor) -> Tensor:
        return self.img_enc["vision_proj"](self.img_enc["visual_encoder"](images).last_hidden_state)

    def captions(self, ids: Tensor) -> Tensor:
        mask = (ids != 0).float()
        return self.txt_enc["fc"](self.txt_enc["bert"](input_ids=ids, attention_mask=mask).last_hidden_state)


def config(bert: Path, **changes: dict[str, Any]) -> ModelConfig:
    settings = tiny_settings(bert)
    for section, values in changes.items():
        settings[section] = settings[section] | values
    return ModelConfig.from_dict(settings)


def transformers_4(model: AuthorsModel, folder: Path) -> dict[str, Tensor]:
    """The state dict under the names of transformers 4, which its files still have, with the buffers of that time."""
    vision = model.img_enc["visual_encoder"]
    assert isinstance(vision, PreTrainedModel)
    vision.save_pretrained(folder)
    state = {key: tensor for key, tensor in model.state_dict().items() if not key.startswith(IMAGE)}
    state |= {f"{IMAGE}{key}": tensor for key, tensor in load_file(folder / "model.safetensors").items()}
    for key in [key for key in state if key.endswith("relative_position_bias_table")]:
        state[key.replace("bias_table", "index")] = torch.zeros(49, 49, dtype=torch.int64)
    return state | {"txt_enc.bert.embeddings.position_ids": torch.arange(512)[None]}


SWIN = "swin_tiny_patch4_window7_224"


@pytest.mark.parametrize(
    ("build", "encoder", "size", "patches", "cls"),
    [
        pytest.param(lambda: ViTModel(ViTConfig(**VIT)), "test_vit", 160, 100, "encoder", id="vit"),
        pytest.param(lambda: SwinModel(SwinConfig()), SWIN, 224, 49, "none", id="swin", marks=pytest.mark.slow),
    ],
)
def test_a_converted_model_computes_what_the_authors_does(
    bert: Path, tmp_path: Path, build: Callable[[], PreTrainedModel], encoder: str, size: int, patches: int, cls: str
) -> None:
    ratios = {"sparse_ratio": 0.6, "aggr_ratio": 0.5}
    theirs = AuthorsModel(build(), 24, patches, **ratios)
    state = transformers_4(theirs, tmp_path / "theirs")
    by_version = [
        timm_tensors({key.removeprefix(IMAGE): tensor for key, tensor in named.items() if key.startswith(IMAGE)})
        for named in (state, theirs.state_dict())  # of transformers 4 and 5
    ]
    for key, tensor in by_version[1].items():
        assert torch.equal(by_version[0][key], tensor), key
    assert state.keys() != theirs.state_dict().keys()
    opt = Namespace(embed_size=24, num_patches=patches, img_res=size, **ratios)
    torch.save({"model": state, "opt": opt, "epoch": 12, "best_rsum": 503.21}, tmp_path / "model_best.pth")

    vision = {"encoder": encoder, "image_size": size, "cls": "mean"}
    done = convert(tmp_path / "model_best.pth", config(bert, vision=vision), tmp_path / "ours")
    ours = done.model

    images = torch.randn(3, 3, size, size)
    ids, lengths = torch.tensor([[2, 6, 7, 9, 3], [2, 11, 3, 0, 0]]), [5, 3]
    dense_ids, dense_lengths = torch.tensor([[2, 6, 7, 8, 9, 10, 3], [2, 11, 12, 3, 0, 0, 0]]), [7, 4]
    with torch.no_grad():
        features, embeddings, dense = theirs.images(images), theirs.captions(ids), theirs.captions(dense_ids)
        torch.testing.assert_close(ours.img_enc(images), features, atol=1e-4, rtol=0)
        for i, length in enumerate(lengths):
            torch.testing.assert_close(ours.txt_enc(ids, lengths)[i, :length], embeddings[i, :length])
        expected = theirs.cross_net(features, embeddings, lengths)
        expected_dense = theirs.cross_net(features, embeddings, lengths, dense, dense_lengths)
        torch.testing.assert_close(ours(images, ids, lengths), expected, atol=1e-4, rtol=0)
        similarity = ours(images, ids, lengths, dense_ids, dense_lengths)
        torch.testing.assert_close(similarity, expected_dense, atol=1e-4, rtol=0)
    assert float(features.std()) > 0.1  # else anything is close
    assert float(expected.std()) > 1e-3

    settings = ours.config
    assert settings.network == {"use_paper_version": False, **ratios}
    assert settings.vision.mean == pytest.approx((0.485, 0.456, 0.406))
    assert settings.vision.cls == cls
    assert (settings.text.max_words, settings.text.max_dense_words) == (90, 12)
    assert (settings.vision.weights, settings.text.weights, settings.saved) == ("none", "none", ("*",))
    summary = done.summary()
    assert "epoch 12, its best rSum 503.2" in summary
    assert "network.sparse_ratio is 0.6, as opt has it, not as in CONFIG" in summary
    dropped = {key for key in state if "pooler" in key or "position_i" in key}
    assert {f"{key!r}" for key in done.dropped} == {
        line.split(": ")[1] for line in summary.splitlines() if "Dropped" in line
    }
    assert len(done.dropped) == len(dropped) > 0


@pytest.fixture(scope="module")
def ours(bert: Path) -> SEPSModel:
    """A model of the paper's variant, timm's names."""
    torch.manual_seed(3)
    return SEPSModel(config(bert, network={"sparse_ratio": 0.3, "aggr_ratio": 0.5})).eval()


@pytest.mark.parametrize("form", ["parts of DataParallel", "bare"])
def test_ways_to_save_a_checkpoint(bert: Path, tmp_path: Path, ours: SEPSModel, form: str) -> None:
    checkpoint: Any = {"model": ours.state_dict(), "opt": OPT, "epoch": 3}
    changes: dict[str, Any] = {}
    if form == "bare":
        checkpoint, changes = ours.state_dict(), {"network": {"sparse_ratio": 0.3, "aggr_ratio": 0.5}}
    else:
        parts = [ours.img_enc, ours.txt_enc, ours.cross_net]
        checkpoint["model"] = [nn.DataParallel(part).state_dict() for part in parts]
    torch.save(checkpoint, tmp_path / "model.pth")
    done = convert(tmp_path / "model.pth", config(bert, **changes), tmp_path / "out")
    loaded = load_model(tmp_path / "out")
    assert loaded.config.network == ours.config.network | {"use_dual_aggr": True}
    assert loaded.config.vision.mean == (0.5, 0.5, 0.5)
    assert loaded.config.text.max_words == 8  # no checkpoint of the released code: CONFIG's
    assert equal_states(loaded, ours)
    assert (done.renamed, done.dropped, done.identities) == (False, (), ())
    assert done.summary().endswith("Dropped nothing.")


def test_the_single_aggregation_of_the_paper(bert: Path, tmp_path: Path) -> None:
    single = SEPSModel(config(bert, network={"use_dual_aggr": False}))
    torch.save({"model": single.state_dict()}, tmp_path / "model.pth")
    done = convert(tmp_path / "model.pth", config(bert), tmp_path / "out")
    assert done.changed == {"network.use_dual_aggr": (False, "from its parameters")}
    assert not done.model.cross_net.use_dual_aggr


def test_half_precision_and_what_comes_after_the_features(bert: Path, tmp_path: Path, ours: SEPSModel) -> None:
    state = {key: tensor.half() for key, tensor in ours.state_dict().items()}
    heads = {f"{IMAGE}head.weight": torch.ones(10, 64), "txt_enc.bert.pooler.dense.bias": torch.ones(16)}
    torch.save({"model": state | heads, "opt": OPT}, tmp_path / "model.pth")
    done = convert(tmp_path / "model.pth", config(bert), tmp_path / "out")
    assert set(done.dropped) == heads.keys()
    tensor = load_file(tmp_path / "out" / "model.safetensors")["txt_enc.fc.weight"]
    assert tensor.dtype == torch.float32
    assert torch.equal(tensor, ours.txt_enc.fc.weight.half().float())


BIAS = "txt_enc.fc.bias"


@pytest.mark.parametrize(
    ("tensors", "opt", "message"),
    [
        ({BIAS: None, "gate": torch.ones(1)}, {}, "lacks txt_enc.fc.bias, and has the unexpected gate"),
        ({}, {"sparse_ratio": 0.8}, "The checkpoint makes 15 aggregated tokens"),
        ({}, {"embed_size": 32}, "The checkpoint has embeddings of 24 channels"),
        ({}, {"img_res": 224}, "The checkpoint's opt.img_res is 224"),
        ({}, {"num_patches": 196}, "The checkpoint's opt.num_patches is 196"),
        ({}, {"sparse_ratio": 1.5}, "CONFIG and the checkpoint's values make no model"),
        ({}, {"beta": float("nan")}, "network.beta is nan"),
        ({}, {"top_k": 7}, "The checkpoint has cross_net.hrpa.relevance_mlp.0.weight"),
        ({}, {"use_paper_version": False}, "it is of another model"),
    ],
)
def test_tensors_and_options_that_do_not_fit(
    bert: Path, tmp_path: Path, ours: SEPSModel, tensors: dict[str, Tensor | None], opt: dict[str, Any], message: str
) -> None:
    state = {key: tensor for key, tensor in (ours.state_dict() | tensors).items() if tensor is not None}
    torch.save({"model": state, "opt": Namespace(**vars(OPT) | opt)}, tmp_path / "model.pth")
    with pytest.raises(ValueError, match=re.escape(message)):
        convert(tmp_path / "model.pth", config(bert), tmp_path / "out")
    assert not list(tmp_path.glob("out/*"))


def test_the_program(bert: Path, tmp_path: Path, ours: SEPSModel, capsys: pytest.CaptureFixture[str]) -> None:
    file, settings, out = tmp_path / "model.pth", tmp_path / "tiny.json", tmp_path / "out"
    torch.save({"model": ours.state_dict(), "opt": OPT, "epoch": 3}, file)
    settings.write_text(config(bert).to_json())
    main([str(file), str(settings), "--out", str(out)])
    printed = capsys.readouterr().out
    count = len(ours.state_dict())
    assert f"Converted {count} tensors" in printed
    assert "epoch 3, its best rSum unknown" in printed
    assert "network.sparse_ratio is 0.3, as opt has it" in printed
    assert printed.endswith(f"Wrote {out}: seps.load_model('{out}') loads it.\n")
    for arguments, message in (
        ((file, settings, "--out", out), f"error: {out} holds a model already: name another folder."),
        ((file, settings, "--out", file), f"error: {file} is a file: name a folder."),
        ((file, "no_config", "--out", tmp_path / "new"), "error: 'no_config' is neither a JSON file nor one of"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main([str(argument) for argument in arguments])
        assert capsys.readouterr().err.startswith(message)
    assert not (tmp_path / "new").exists()
