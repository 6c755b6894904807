from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from seps import measure_effects
from seps.explanation.classes import with_classes
from tests.helpers.models.records import CHANNELS, WORDS, random_record
from tests.helpers.models.tiny import tiny_model_with_classes

PHOTO = Image.fromarray(np.random.default_rng(0).integers(0, 256, (120, 90, 3), dtype=np.uint8))


def test_a_word_s_share_and_what_the_rest_contributes_add_up_to_the_cosine() -> None:
    record = random_record()
    count = record.sparse.kept.size
    plain, added, words = torch.randn(count, CHANNELS), torch.randn(count, CHANNELS), torch.randn(len(WORDS), CHANNELS)
    patches = torch.cat([torch.randn(1, CHANNELS), plain + added])  # with a [CLS] token, which has no class
    best, probability = torch.arange(count) % 2, torch.rand(count)
    classes = with_classes(record, ("espresso", "tabby"), best, probability, added, patches, words).classes
    assert classes is not None and record.classes is None
    assert classes.names == ("espresso", "tabby") * (count // 2)
    np.testing.assert_array_equal(classes.probability, probability.numpy())
    rest = F.normalize(words, dim=-1) @ (plain / (plain + added).norm(dim=-1, keepdim=True)).T  # (L, N)
    cosines = F.normalize(words, dim=-1) @ F.normalize(plain + added, dim=-1).T
    np.testing.assert_allclose(classes.word_shares + rest.numpy(), cosines.numpy(), atol=1e-5)


@torch.no_grad()
def test_a_model_with_classes_explains_with_them_and_with_the_same_numbers(bert: Path) -> None:
    model = tiny_model_with_classes(bert)
    record = model.explain(PHOTO, "a dog runs")
    seen = model.patch_classes(PHOTO)
    assert seen is not None and record.classes is not None
    assert record.classes.names == tuple(model.class_names[number] for number in seen.best.tolist())
    assert len(model.class_names) == 1000 and record.classes.word_shares.shape == (len(model.words("a dog runs")), 9)
    patches, words = model.encode_photos([PHOTO])[0], model.encode_captions(["a dog runs"])[0][0]
    assert float((seen.added.norm(dim=-1) / patches.norm(dim=-1)).min()) > 0.01
    scored = model.cross_net(patches[None], words[None], [len(words)])
    assert isinstance(scored, torch.Tensor) and abs(float(scored) - record.similarity) < 1e-5
    mask = np.arange(9) % 2 == 0
    forced = model.explain(PHOTO, "a dog runs", mask=torch.from_numpy(mask))
    assert forced.classes is not None and forced.classes.names == record.classes.names
    np.testing.assert_array_equal(forced.sparse.kept, mask)
    flipped = mask ^ (np.arange(9) == 4)
    other = model.explain(PHOTO, "a dog runs", mask=torch.from_numpy(flipped))
    effects = measure_effects(model.cross_net, patches, words, mask=torch.from_numpy(mask)).effects
    assert abs(effects[4] - (forced.similarity - other.similarity)) < 1e-5
