from pathlib import Path

import torch

from seps.models.encoder_key import encoder_key, files_key
from seps.models.model import SEPSModel


def test_keys_follow_the_image_encoder_and_files_alone(tiny: SEPSModel, tmp_path: Path) -> None:
    device = torch.device("cpu")
    tiny.save_pretrained(tmp_path / "one")
    torch.manual_seed(1)
    other = SEPSModel(tiny.config).eval()  # with weights of its own
    other.save_pretrained(tmp_path / "other")
    keys = {encoder_key(tiny), encoder_key(other), files_key(tmp_path / "one", device)}
    keys |= {files_key(tmp_path / "other", device), files_key(tmp_path / "one", torch.device("cuda"))}
    assert len(keys) == 5 and all(len(key) == 16 for key in keys)
    tiny.save_pretrained(tmp_path / "copy")
    assert files_key(tmp_path / "copy", device) == files_key(tmp_path / "one", device)
