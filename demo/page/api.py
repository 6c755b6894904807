"""The endpoints for programs: each method answers one of them."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from demo.drawing.formats import DRAWINGS, Download, check_format
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.reading.photos import read_upload
from demo.galleries.sources.scenes import SCENES
from demo.page.questions import Picture
from demo.page.table import CALLED, DRAWING, GENERATING, Action
from demo.record.contrast import contrast_record
from demo.record.layers.layer_table import existing
from demo.record.packing import overlap, packed, plain
from demo.service.captions import read_caption, read_pair, read_prompt, read_typed
from demo.service.experiments.experiment import Outcome, edited_gallery, experiment, known, read_changes
from demo.service.generating.rank import draw_and_read, read_drawn_caption
from demo.service.generating.request import GUIDANCE, SEED, STEPS, read_numbers, read_request
from demo.service.masks import changed_mask, mask_text
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.captions import recall_line
from demo.views.compare import comparison
from demo.views.downloads import explanation
from demo.views.generate.values import drawing_file, drawing_record, explained_captions, opened_generator
from demo.views.judge.values import judgement, opened_judge, source_of
from demo.views.state import ViewState
from demo.views.why.values import WhyState, sides_of
from seps.common.progress import Progress
from seps.scenes import as_json

LISTED = 1000  # photos of a gallery that are listed
SAME = "same"  # the gallery of the photo itself


class Offer(NamedTuple):
    """An action for programs (a method of `Endpoints`) and for assistants (of `Tools`, or "")."""

    endpoint: str
    tool: str = ""
    needs: str = ""  # what the app must have
    queue: Mapping[str, Any] = CALLED  # where calls wait
    tool_queue: Mapping[str, Any] = CALLED


OFFERS = (
    Offer("galleries", "list_photographs"),
    Offer("rank_images", "rank_photographs"),
    Offer("rank_captions", "rank_captions"),
    Offer("explain", "explain", tool_queue=DRAWING),  # the tool answers with a picture too
    Offer("compare", "compare_captions"),
    Offer("why", "why"),
    Offer("picture", queue=DRAWING),
    Offer("edit_scene", needs=SCENES),
    Offer("judge", "judge", needs="judge"),
    Offer("generate", "generate", needs="generator", queue=GENERATING, tool_queue=GENERATING),
    Offer("caption_image", needs="generator"),
)


def offered(registry: ModelRegistry) -> list[Offer]:
    """Return the actions that this app has models and galleries for."""
    has = {"": True, SCENES: SCENES in registry.names}
    has |= {"judge": registry.judging is not None, "generator": registry.generating is not None}
    return [offer for offer in OFFERS if has[offer.needs]]


def api_actions(registry: ModelRegistry) -> list[Action]:
    """Return the endpoints that this app can offer."""
    endpoints = Endpoints(registry)
    return [Action(getattr(endpoints, offer.endpoint), offer.queue, is_page=False) for offer in offered(registry)]


class Endpoints:
    """The endpoints by name; `/gradio_api/info` has their docstrings. A picture is `photo`, a file, or `item`, a
    gallery's photo, "gallery/photo". Captions are English sentences; several of them come one per line. `dense_caption`
    is an optional long description. Masks are lists, row by row of the grid."""

    def __init__(self, registry: ModelRegistry) -> None:
        self._registry = registry

    def galleries(self) -> dict[str, Any]:
        """List each gallery's photos (of a large folder the first 1,000; none if they are not available): item, which
        other endpoints take, title, captions, credit, licence and link."""
        return {name: self._listed(name) for name in self._registry.names}

    def rank_images(self, caption: str, dense_caption: str = "", gallery: str = "") -> dict[str, Any]:
        """Rank the photos of a gallery, by default the first, for a caption. Returns "ranking", the best first: rank,
        item, title and score S(I, T); "total", the number of searched photos (only a shortlist of a large folder is
        ranked); "model"; "note"; "seconds"."""
        gallery = gallery or self._registry.first
        service, indexed = self._registry.open(gallery)
        ranking = service.rank_images(indexed, caption, dense_caption)
        items = indexed.gallery.items
        rows = [
            {"rank": rank, "item": f"{gallery}/{items[index].key}", "title": items[index].title, "score": score}
            for rank, (index, score) in enumerate(zip(ranking.order, ranking.scores, strict=True), start=1)
        ]
        facts = {"total": ranking.total, "model": service.name, "note": ranking.reading.note}
        return {"ranking": rows} | facts | {"seconds": ranking.seconds}

    def rank_captions(self, picture: Picture, gallery: str = SAME, captions: str = "") -> dict[str, Any]:
        """Rank captions for a photo: those of a gallery of the same model ("same": of the photo's, or of the first for
        a file; empty for none) and others, one per line. Returns "ranking", the best first: rank, caption, score S(I,
        T), and "correct", null if unknown; "recall" in words; "seconds"."""
        service, indexed, index = picture.find(self._registry)
        pool = self._pool(service, indexed, gallery)
        ranking = service.rank_captions(indexed, index, pool, captions)
        columns = zip(ranking.captions, ranking.scores, ranking.correct, strict=True)
        rows = [
            {"rank": rank, "caption": text, "score": score, "correct": correct}
            for rank, (text, score, correct) in enumerate(columns, start=1)
        ]
        return {"ranking": rows, "recall": recall_line(ranking), "seconds": ranking.seconds}

    def explain(
        self,
        picture: Picture,
        caption: str,
        dense_caption: str = "",
        keep: str = "",
        drop: str = "",
        compact: bool = False,
    ) -> dict[str, Any]:
        """Return every number of the forward pass of a photo and a caption, and a description of the fields. keep,
        drop: patches to keep and to drop instead of the model's decision, "1,2,5-9" or "all", counted row by row from
        1; dropped ones may be kept again. compact: arrays as {"shape": [...], "float32": "..."}, base64 of
        little-endian numbers, without the description."""
        service, indexed, index = picture.find(self._registry)
        pair = read_pair(service.model, caption, dense_caption)
        record = service.explain(indexed, index, *pair)
        mask = changed_mask(record.sparse.kept, keep, drop)
        record = record if mask is None else service.explain(indexed, index, *pair, mask)
        return packed(record) if compact else plain(record)

    def compare(self, picture: Picture, captions: str) -> dict[str, Any]:
        """Compare which patches captions keep of a photo. Returns "captions", "scores", "kept" (a mask per caption) and
        "overlap", the IoU of every two masks."""
        service, indexed, index = picture.find(self._registry)
        texts = read_captions(service, captions)
        records = [service.explain(indexed, index, text) for text in texts]
        return {
            "captions": texts,
            "scores": [record.similarity for record in records],
            "kept": [record.sparse.kept.astype(int).tolist() for record in records],
            "overlap": overlap(records),
        }

    def why(self, picture: Picture, other_item: str = "", *, captions: str, dense_caption: str = "") -> dict[str, Any]:
        """Explain why a photo comes before other_item, of the same gallery, for a caption, or one caption before
        another for a photo. Returns "left" and "right": photo, caption and similarity; "difference", left minus right;
        "words", each with its part of both similarities and of the difference, the most for left first; "rest", the
        parts of [CLS] and [SEP], of image tokens, of none, and of a dense caption's own alignment. Words and rest add
        up to each similarity. "says": all of it in words."""
        service, indexed, index = picture.find(self._registry)
        texts = read_captions(service, captions)
        if len(texts) != (1 if other_item else 2):
            needed = "one caption" if other_item else "two captions, one a line,"
            raise ValueError(f"{len(texts)} captions are there, but {needed} can be told apart here.")
        if not other_item and dense_caption.strip():
            raise ValueError("dense_caption goes with one caption of two photos, but two captions are there: leave it.")
        text, dense_text = read_pair(service.model, texts[0], dense_caption)
        state = WhyState(indexed.gallery.name, index, text, against=index, other="" if other_item else texts[1])
        if other_item:
            gallery, _, key = other_item.partition("/")
            if gallery != indexed.gallery.name:
                raise ValueError(
                    f"Both photos must be of one gallery, but {other_item!r} is of another one: choose it there."
                )
            state = WhyState(gallery, index, text, dense_text, against=indexed.gallery.position(key))
        return contrast_record(sides_of(service, indexed, state), service.name)

    def picture(
        self,
        picture: Picture,
        captions: str,
        dense_caption: str = "",
        layer: str = "mask",
        file_format: str = "png",
        keep: str = "",
        drop: str = "",
    ) -> str:
        """Draw a photo and a caption, or up to six captions side by side, as png, svg or pdf; a single caption also as
        json. layer: LAYERS; blurred is slow, because the picture is encoded for each patch. keep, drop: as for explain,
        with a single caption."""
        service, indexed, index = picture.find(self._registry)
        texts = read_captions(service, captions)
        if len(texts) > 1:
            if keep.strip() or drop.strip():
                raise ValueError(f"keep and drop go with a single caption, but {len(texts)} are there: give one.")
            compared = ViewState(indexed.gallery.name, index, layer=layer)
            return written(comparison(service, indexed, compared, texts, file_format))
        text, dense_text = read_pair(service.model, texts[0], dense_caption)
        record = service.explain(indexed, index, text, dense_text)
        mask = changed_mask(record.sparse.kept, keep, drop)
        forced = "" if mask is None else mask_text(mask)
        state = ViewState(indexed.gallery.name, index, text, dense_text, layer, mask=forced)
        return written(explanation(service, indexed, state, file_format))

    def edit_scene(self, item: str, *, changes: str = "[]", caption: str) -> dict[str, Any]:
        """Change a drawn scene, such as "scenes/0", without storing it. changes: a JSON list of {"do": "move",
        "object": 0, "dx": 8, "dy": 0} (in pixels of 224), {"do": "remove", "object": 0}, {"do": "recolour", "object":
        0, "colour": "red"} or {"do": "redraw", "seed": 1}. Returns "before" and "after": the "scene" as a graph, its
        "rank" of "total", its "score", and the mask "kept"."""
        asked = read_changes(changes)
        _, indexed, index = Picture(item=item).find(self._registry)
        text = read_caption(self._registry.of(indexed.gallery.name).model, caption).text
        known(indexed, index)
        tried = experiment(self._registry, index, text, edited_gallery(self._registry, index, asked))
        return {"before": outcome_value(tried.before), "after": outcome_value(tried.after)}

    def judge(self, picture: Picture, prompt: str) -> dict[str, Any]:
        """Judge how good a picture looks and how well it fits the prompt that it was made from. Returns "quality" and
        "consistency": "base", "correction", "final", "scale" (the most that the correction may reach) and a sentence;
        "logit" of the quality base, "bias" in it, and the patches' "shares" of it, which add up to it, on the "grid";
        "note" on the prompt."""
        _, indexed, index = picture.find(self._registry)
        reading = read_prompt(self._registry.photos.model, prompt)
        judged = opened_judge(self._registry).judge(source_of(indexed, index), reading.text)
        return judgement(judged, reading.note)

    def generate(
        self, caption: str, steps: int = STEPS, seed: int = SEED, guidance: float = GUIDANCE, file_format: str = "png"
    ) -> tuple[dict[str, Any], str]:
        """Draw a scene for a caption in the words of the scenes, in 10 to 100 steps with guidance 1 to 15; the same
        seed draws the same. file_format: png, or gif: how the picture came about. Returns the file, and "caption" as
        read, "note", "unknown_words" (drawn as [UNK]), "seed", "steps", "guidance", "similarity" S(I, T), its "rank" of
        "total" among the gallery's scenes, "statements" of the caption with a verdict ("true", "untrue" or "untold") by
        the picture's own "captions", the most likely first, with the mean log probability of their tokens."""
        record, file = self.draw(caption, steps, seed, guidance, file_format)
        return record, written(file)

    def draw(
        self, caption: str, steps: float, seed: float, guidance: float, file_format: str, progress: Progress = False
    ) -> tuple[dict[str, Any], Download]:
        """Draw as `generate`, with progress as in `seps.common.progress`; the file is not written to the disk."""
        check_format(file_format, DRAWINGS)
        read_numbers(steps, guidance, seed)  # errors before the generator is loaded
        generating = opened_generator(self._registry)
        service, scenes = self._registry.open(SCENES)
        reading = read_drawn_caption(service.model, caption)
        asked = read_request(reading.text, steps, guidance, seed)
        drawing = draw_and_read(generating, service, scenes, asked, progress)
        file = drawing_file(drawing.frames, reading.text, asked.seeds[0], file_format)
        return drawing_record(drawing) | reading.record(), file

    def caption_image(self, picture: Picture) -> dict[str, Any]:
        """Write captions for a drawn scene or a photo. Returns "captions", the best first: "score", the mean log
        probability of its tokens, "words", and per word "attention" to each place of the picture. If a captioner of
        photos ships, the best 4 of its 16 captions, by the sum of score, 0.5 "similarity" S(I, T) and 1 "agreement"
        with the others, the share of sequences of words in common."""
        if picture.photo is not None:
            image, of_photos = read_upload(picture.photo.content, picture.photo.name).image, True
        else:
            service, indexed, index = picture.find(self._registry)
            image, of_photos = indexed.gallery.items[index].photo(), service is self._registry.photos
        if of_photos and self._registry.captioning is not None:
            explained = explained_captions(self._registry, image)
            captions = [each.written for each in explained]
            more = [{"similarity": each.record.similarity, "agreement": each.agreement} for each in explained]
        else:
            captions = opened_generator(self._registry).recaption(image).best
            more = [{} for _ in captions]
        rows = [
            {"caption": caption.text, "score": caption.score, "words": list(caption.words)}
            | {"attention": caption.attention.tolist(), **measured}
            for caption, measured in zip(captions, more, strict=True)
        ]
        return {"captions": rows}

    def _pool(self, service: RetrievalService, indexed: IndexedGallery, gallery: str) -> str | None:
        """Return the gallery whose captions are ranked, opened, or None; ValueError for one of another model."""
        if gallery == SAME:
            name = indexed.gallery.name
            gallery = name if name in service.names else service.first
        if gallery and self._registry.open(gallery)[0] is not service:
            raise ValueError(
                f"The gallery {gallery!r} belongs to another model than the photo, which {service.name} reads. Choose "
                f"one of: {', '.join(service.names)}."
            )
        return gallery or None

    def _listed(self, name: str) -> list[dict[str, Any]]:
        """List a gallery's photos; none where none of them can be had."""
        try:
            items = self._registry.open(name)[1].gallery.items
        except ValueError:
            return []
        return [
            {"item": f"{name}/{item.key}", "title": item.title, "captions": list(item.captions)}
            | {"credit": item.credit, "licence": item.licence, "link": item.link}
            for item in items[:LISTED]
        ]


def read_captions(service: RetrievalService, typed: str) -> list[str]:
    """Read captions typed one a line; ValueError if there is none, or one cannot be read."""
    texts = read_typed(service.model, typed)
    if not texts:
        raise ValueError("There is no caption: write at least one, one a line.")
    return texts


def outcome_value(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as the endpoint answers it."""
    kept = outcome.record.sparse.kept.astype(int).tolist()
    ranked = {"rank": outcome.rank, "total": len(outcome.indexed), "score": outcome.record.similarity}
    return {"scene": as_json(outcome.scene), **ranked, "kept": kept}


def written(file: Download) -> str:
    """Write a file into the app's temporary folder, which is removed after a while; return its path."""
    path = Path(tempfile.mkdtemp(dir=os.environ.get("GRADIO_TEMP_DIR"))) / file.name
    path.write_bytes(file.content)
    return str(path)


Endpoints.picture.__doc__ = (Endpoints.picture.__doc__ or "").replace("LAYERS", existing())
