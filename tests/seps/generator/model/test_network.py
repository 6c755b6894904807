from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import timm
import torch
from safetensors.torch import load_file, save_file

from seps.generator.config import EncodersConfig, GeneratorConfig
from seps.generator.model.captioner import Decoding, caption_loss, write_captions
from seps.generator.model.encoders import ImageEncoder
from seps.generator.model.network import GeneratorNetwork, normalise, to_pictures, to_values
from seps.generator.training.losses import accuracy, crop_randomly, perceptual_loss, pixel_loss
from seps.training.losses.objective import infonce_loss


def test_encoders_share_a_space_of_unit_vectors(network: GeneratorNetwork) -> None:
    image = network.images(torch.randn(2, 3, 32, 32))
    text = network.encode_texts(["a red car", "a small dog in the park"])
    assert image.embedding.shape == text.embedding.shape == (2, 512)
    assert image.grid.shape == (2, 16, 32)  # 4 x 4 cells
    torch.testing.assert_close(
        network.encode_texts(["a red car"]).embedding[0], text.embedding[0]
    )  # independent of the other texts of the batch
    for embedding in (image.embedding, text.embedding):
        torch.testing.assert_close(embedding.norm(dim=-1), torch.ones(2))
    assert text.words.shape == (2, 8, 512)
    assert text.mask.sum(dim=1).tolist() == [5, 8]
    assert not text.words[0, 5:].any()


def test_pictures_that_an_encoder_sees_alike_have_no_perceptual_loss(network: GeneratorNetwork) -> None:
    pictures, others = torch.rand(2, 3, 32, 32), torch.rand(2, 3, 32, 32)
    with torch.no_grad():
        assert [stage.shape[1:] for stage in network.images.stages(pictures)] == [(16, 8, 8), (32, 4, 4)]
        assert float(perceptual_loss(network.images, pictures, pictures)) == 0.0
        loss = float(perceptual_loss(network.images, others, pictures))
        by_hand = []
        for stage, other in zip(network.images.stages(others), network.images.stages(pictures), strict=True):
            by_hand.append(2 - 2 * torch.cosine_similarity(stage, other, dim=1).mean())
    assert loss == pytest.approx(float(torch.stack(by_hand).mean()), rel=1e-4)
    assert loss > 0


def test_no_word_of_a_caption_sees_a_later_one(network: GeneratorNetwork) -> None:
    memory = network.captioner.memory(network.images(torch.randn(1, 3, 32, 32)))
    ids = torch.randint(5, 100, (1, 7))
    logits, attention = network.captioner(memory, ids, weights=True)
    assert logits.shape == (1, 7, network.tokenizer.size)
    assert attention is not None and attention.shape == (1, 7, 17)
    torch.testing.assert_close(attention.sum(dim=-1), torch.ones(1, 7))
    shorter, _ = network.captioner(memory, ids[:, :4])
    torch.testing.assert_close(shorter, logits[:, :4])


def test_writing_word_by_word_scores_words_as_reading_them_all_does(network: GeneratorNetwork) -> None:
    captioner = network.captioner
    with torch.no_grad():
        memory = captioner.memory(network.images(torch.rand(3, 3, 32, 32)))
        ids = torch.randint(5, 60, (3, 7))
        expected, _ = captioner(memory, ids)
        past = captioner.start(memory)
        for place in range(7):
            scores, past = captioner.step(ids[:, place], past)
            torch.testing.assert_close(scores, expected[:, place], atol=1e-5, rtol=1e-5)


def test_the_caption_loss_is_that_of_the_next_words_up_to_sep() -> None:
    logits = torch.randn(2, 4, 10)
    ids = torch.tensor([[2, 5, 6, 3], [2, 7, 3, 0]])
    chances = logits.log_softmax(dim=-1)
    targets = [(0, 0, 5), (0, 1, 6), (0, 2, 3), (1, 0, 7), (1, 1, 3)]
    by_hand = -sum(chances[i, place, token] for i, place, token in targets) / len(targets)
    torch.testing.assert_close(caption_loss(logits, ids, torch.tensor([4, 3])), by_hand)


def test_beam_search_finds_at_least_what_greedy_does(network: GeneratorNetwork) -> None:
    tokenizer = network.tokenizer
    memory = network.captioner.memory(network.images(torch.randn(3, 3, 32, 32)))
    barred = [tokenizer.pad_id, tokenizer.mask_id]

    def write(how: Decoding) -> list[list[int]]:
        captions = write_captions(network.captioner, memory, tokenizer.cls_id, tokenizer.sep_id, barred, how)
        assert all(len(beams) == (how.beams if how.mode == "beam" else 1) for beams in captions)
        return [beams[0].ids.tolist() for beams in captions]

    greedy = write(Decoding("greedy"))
    for number, ids in enumerate(greedy):
        row = torch.tensor([[tokenizer.cls_id]])
        for token in ids:  # each word is the likeliest after those before
            logits, _ = network.captioner(memory[number : number + 1], row)
            logits[0, -1, [tokenizer.cls_id, *barred]] = -torch.inf
            assert int(logits[0, -1].argmax()) == token
            row = torch.cat([row, torch.tensor([[token]])], dim=1)
        assert len(ids) <= network.config.captioner.max_words - 2
    assert write(Decoding("beam", beams=1)) == greedy
    assert write(Decoding("sample", seed=1)) == write(Decoding("sample", seed=1))
    assert write(Decoding("sample", seed=1)) != write(Decoding("sample", seed=2))


def test_beams_are_scored_by_their_own_words(network: GeneratorNetwork) -> None:
    tokenizer = network.tokenizer
    memory = network.captioner.memory(network.images(torch.randn(1, 3, 32, 32)))
    beams = write_captions(network.captioner, memory, tokenizer.cls_id, tokenizer.sep_id, [], Decoding(beams=3))[0]
    assert [beam.score for beam in beams] == sorted((beam.score for beam in beams), reverse=True)
    for beam in beams:
        full = torch.tensor([[tokenizer.cls_id, *beam.ids.tolist(), tokenizer.sep_id]])
        if full.shape[1] >= network.config.captioner.max_words:
            continue  # cut off, [SEP] set
        logits, _ = network.captioner(memory, full[:, :-1])
        logits[..., tokenizer.cls_id] = -torch.inf
        chances = logits.log_softmax(dim=-1)[0].gather(1, full[0, 1:, None])
        assert float(chances.mean()) == pytest.approx(beam.score, abs=1e-4)


def test_pictures_come_back_from_values() -> None:
    pixels = torch.randint(0, 256, (2, 16, 16, 3), dtype=torch.uint8)
    pictures = to_pictures(normalise(pixels))
    torch.testing.assert_close(to_values(pictures, 16), normalise(pixels))


def test_losses_by_hand() -> None:
    cosines = torch.tensor([[0.9, 0.1], [0.8, 0.5]])
    rows = torch.tensor([[0.9, 0.1], [0.8, 0.5]]) / 0.5
    by_hand = -(rows.log_softmax(1).diag().mean() + rows.log_softmax(0).diag().mean()) / 2
    torch.testing.assert_close(infonce_loss(cosines / 0.5) / 2, by_hand)
    assert accuracy(cosines) == (0.5, 1.0)
    flat, edge = torch.zeros(1, 3, 2, 2), torch.zeros(1, 3, 2, 2)
    edge[..., 1] = 1.0
    assert float(pixel_loss(edge, flat)) == pytest.approx(0.5 + 0.0 + 1.0)
    squares = crop_randomly(torch.arange(2 * 3 * 64.0).view(2, 3, 8, 8), 4)
    assert squares.shape == (2, 3, 4, 4)
    assert crop_randomly(squares, 0) is squares


def test_parts_may_be_kept_in_8_bits(network: GeneratorNetwork, config: GeneratorConfig, tmp_path: Path) -> None:
    sizes = []
    for name, parts in (("half", ()), ("eighth", ("autoencoder", "unet"))):
        network.config = replace(config, int8=parts)
        network.save(tmp_path / name)
        other = GeneratorNetwork(GeneratorConfig.from_json(tmp_path / name / "generator.json"))
        other.load(tmp_path / name)
        loaded = other.state_dict()
        for key, tensor in network.state_dict().items():
            if tensor.is_floating_point():
                largest = float(tensor.abs().max())
                torch.testing.assert_close(loaded[key], tensor, rtol=0, atol=largest / 127 + 1e-6)
        sizes.append((tmp_path / name / "unet.safetensors").stat().st_size)
    assert sizes[1] < 0.65 * sizes[0]
    assert (tmp_path / "half" / "captioner.safetensors").read_bytes() == (
        tmp_path / "eighth" / "captioner.safetensors"
    ).read_bytes()
    with pytest.raises(ValueError, match="int8 is 'decoder'"):
        replace(config, int8=("decoder",))


def test_damaged_files_are_told_and_nothing_is_taken_up(network: GeneratorNetwork, tmp_path: Path) -> None:
    network.save(tmp_path)
    before = {key: tensor.clone() for key, tensor in network.state_dict().items()}
    file = tmp_path / "unet.safetensors"  # the last one that is read
    tensors = load_file(file)
    tensors.pop(next(iter(tensors)))
    save_file(tensors, file)
    with pytest.raises(ValueError, match=r"unet\.safetensors lacks"):
        network.load(tmp_path)
    for key, tensor in network.state_dict().items():
        torch.testing.assert_close(tensor, before[key])


@pytest.mark.parametrize("how", [Decoding("greedy"), Decoding(beams=3)], ids=str)
def test_a_captioner_may_write_each_pair_once(network: GeneratorNetwork, how: Decoding) -> None:
    tokenizer, captioner = network.tokenizer, network.captioner
    memory = captioner.memory(network.images(torch.randn(4, 3, 32, 32)))

    def pairs_repeat() -> bool:
        written = write_captions(captioner, memory, tokenizer.cls_id, tokenizer.sep_id, [], how)
        pairs = [list(pairwise(caption.ids.tolist())) for captions in written for caption in captions]
        return any(len(set(each)) < len(each) for each in pairs)

    captioner.config = replace(captioner.config, no_repeat=0)
    assert pairs_repeat()
    captioner.config = replace(captioner.config, no_repeat=2)
    assert not pairs_repeat()


def test_timm_encoders_fit_too_with_weights_from_a_folder(tmp_path: Path) -> None:
    torch.manual_seed(0)
    other = timm.create_model("test_resnet")
    save_file(other.state_dict(), tmp_path / "model.safetensors")
    encoder = ImageEncoder(EncodersConfig(vision="test_resnet", vision_weights=f"folder:{tmp_path}"), 64)
    for image_encoder in (encoder, ImageEncoder(EncodersConfig(vision="test_resnet"), 64)):
        assert image_encoder(torch.zeros(1, 3, 64, 64)).grid.shape == (1, 4, 96)
    name = "layer4.0.conv1.weight"
    assert torch.equal(encoder.backbone.state_dict()[name], other.state_dict()[name])
    save_file({"nothing": torch.zeros(1)}, tmp_path / "model.safetensors")
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ValueError, match=r"is of another model than test_resnet|does not exist\.$"):
            ImageEncoder(EncodersConfig(vision="test_resnet", vision_weights=f"folder:{folder}"), 64)
    with pytest.raises(ValueError, match=r"encoders\.vision is 'complex'"):
        ImageEncoder(EncodersConfig(vision="complex"), 64)
