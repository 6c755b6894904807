"""The endpoints for programs: each method answers one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from demo.drawing.formats import DRAWINGS, Download, check_format
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.scenes import SCENES
from demo.page.questions import SAME, Picture, caption_record, outcome_value, read_captions, written
from demo.page.table import CALLED, DRAWING, GENERATING, Action
from demo.record.contrast import contrast_record
from demo.record.layers.layer_table import existing
from demo.record.packing import overlap, packed, plain
from demo.service.captions import read_caption, read_pair, read_prompt
from demo.service.experiments.experiment import edited_gallery, experiment, known, read_changes
from demo.service.generating.rank import draw_and_read, read_drawn_caption
from demo.service.generating.request import GUIDANCE, SEED, STEPS, DrawingRequest, read_numbers
from demo.service.masks import changed_mask, mask_text
from demo.service.models.personal import decode_upload
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

LISTED = 1000  # photos of a gallery that are listed


class Offer(NamedTuple):
    """An action for programs and for assistants.

    Attributes:
        endpoint: a method of `Endpoints`; tool: a method of `demo.assistant.tools.Tools`, or "".
        needs: what the app must have for it, or ""; queue, tool_queue: where calls of either wait.
    """

    endpoint: str
    tool: str = ""
    needs: str = ""
    queue: Mapping[str, Any] = CALLED
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


def listing_layers(method: Callable[..., Any]) -> Callable[..., Any]:
    """Put what layers there are into a docstring, in the place of LAYERS."""
    method.__doc__ = (method.__doc__ or "").replace("LAYERS", existing())
    return method


class Endpoints:
    """The actions: each method is an endpoint of its name, and its docstring stands on the API page.

    Args:
        registry: of the app's models and galleries.
    """

    def __init__(self, registry: ModelRegistry) -> None:
        self._registry = registry

    def galleries(self) -> dict[str, Any]:
        """List the galleries with their photos.

        Returns:
            By gallery: a list of photos, each with its item (what the other endpoints take), title, captions, credit,
            licence and link; of a large folder the first 1,000; an empty list where none of a gallery's photos can be
            had.
        """
        return {name: self._listed(name) for name in self._registry.names}

    def rank_images(self, caption: str, dense_caption: str = "", gallery: str = "") -> dict[str, Any]:
        """Rank a gallery's photos for a caption.

        Args:
            caption: an English sentence; dense_caption: a long description beside it, or empty.
            gallery: its name, which also decides on the model; empty for the first one.

        Returns:
            "ranking": photos with rank, item, title and score S(I, T), the best first; "total": how many were searched,
            more than were ranked where a shortlist was made of a large folder; "model"; "note"; "seconds".
        """
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
        """Rank captions for a photo.

        Args:
            photo: a file, or None with item: a gallery's photo, "gallery/photo".
            gallery: whose captions are ranked: "same", that of the photo (of a file, the first one), another one of the
                same model, or empty for none; captions: more of them, one a line.

        Returns:
            "ranking": captions with rank, score S(I, T) and "correct" (null where nobody knows); "recall" in words;
            "seconds".
        """
        service, indexed, index = picture.find(self._registry)
        pool = self._pool(service, indexed, gallery)
        ranking = service.rank_captions(indexed, index, pool, captions)
        rows = [
            {"rank": rank, "caption": text, "score": score, "correct": correct}
            for rank, (text, score, correct) in enumerate(
                zip(ranking.captions, ranking.scores, ranking.correct, strict=True), start=1
            )
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
        """Explain one photo and one caption: every number of the forward pass.

        Args:
            photo: a file, or None with item: a gallery's photo, "gallery/photo".
            caption: an English sentence; dense_caption: a long description beside it, or empty.
            keep, drop: patches to keep and to drop whatever the model decides, "1,2,5-9" or "all", row by row from 1;
                what is dropped first may be kept again.
            compact: answer arrays of floats as {"shape": [...], "float32": "..."}, base64 of little-endian numbers, row
                by row, and leave out the description.

        Returns:
            The explanation record with a description of each field.
        """
        service, indexed, index = picture.find(self._registry)
        pair = read_pair(service.model, caption, dense_caption)
        record = service.explain(indexed, index, *pair)
        mask = changed_mask(record.sparse.kept, keep, drop)
        record = record if mask is None else service.explain(indexed, index, *pair, mask)
        return packed(record) if compact else plain(record)

    def compare(self, picture: Picture, captions: str) -> dict[str, Any]:
        """Compare which patches captions kept of one photo.

        Args:
            photo: a file, or None with item: a gallery's photo, "gallery/photo".
            captions: at least one, one a line.

        Returns:
            "captions"; "scores"; "kept": for each caption the decision mask, row by row of the grid; "overlap": IoU of
            every two kept sets.
        """
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
        """Tell why one photo comes before another for a caption, or one caption before another for a photo.

        Args:
            photo: a file, or None with item: a gallery's photo, "gallery/photo".
            other_item: another photo of the same gallery, or empty.
            captions: one caption for two photos, or without other_item two captions, one a line.
            dense_caption: a long description beside the caption of two photos, or empty.

        Returns:
            "left" and "right": photo, caption and similarity; "difference", left minus right; "words": each with its
            share of either similarity and the difference, the most for left first; "rest": what belongs to [CLS] and
            [SEP], to image tokens, to none, and, where a dense caption has an alignment of its own, to that ("dense").
            Words and rest add up to each similarity. "says": all of it in words.
        """
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

    @listing_layers
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
        """Draw the picture of a photo and a caption, or of several captions side by side.

        Args:
            photo: a file, or None with item: a gallery's photo, "gallery/photo".
            captions: one caption, or up to six, one a line, which are compared.
            dense_caption: beside a single caption, or empty.
            layer: LAYERS. A picture is encoded for each patch of blurred, which is slower.
            file_format: png, svg or pdf; of a single caption also json.
            keep, drop: of a single caption, patches to keep and to drop whatever the model decides, as `explain` takes
                them.

        Returns:
            The file.
        """
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
        """Change a drawn scene and see what becomes of its rank, its score and its kept patches; nothing is kept.

        Args:
            item: a scene, "scenes/0".
            changes: a JSON list, made one after the other: {"do": "move", "object": 0, "dx": 8, "dy": 0}, in pixels of
                224 to a side, {"do": "remove", "object": 0}, {"do": "recolour", "object": 0, "colour": "red"} or
                {"do": "redraw", "seed": 1}. Objects are counted from 0.
            caption: an English sentence.

        Returns:
            "before" and "after": each the "scene" as a graph, its "rank" of "total", its "score" and "kept", the
            decision mask row by row of the grid.
        """
        asked = read_changes(changes)
        _, indexed, index = Picture(item=item).find(self._registry)
        text = read_caption(self._registry.of(indexed.gallery.name).model, caption).text
        known(indexed, index)
        tried = experiment(self._registry, index, text, edited_gallery(self._registry, index, asked))
        return {"before": outcome_value(tried.before), "after": outcome_value(tried.after)}

    def judge(self, picture: Picture, prompt: str) -> dict[str, Any]:
        """Judge how good a picture looks and how well it fits the prompt that it was made from.

        Args:
            photo: a file, or None with item: a gallery's photo, "gallery/photo".
            prompt: an English sentence.

        Returns:
            "quality" and "consistency": each with "base", "correction", "final" and "scale", the most that the
            correction may reach, and a sentence; "logit" of the quality base, "bias" in it, and the patches' "shares"
            of it, which add up to it, row by row of the "grid"; "note" on the prompt.
        """
        _, indexed, index = picture.find(self._registry)
        reading = read_prompt(self._registry.photos.model, prompt)
        judged = opened_judge(self._registry).judge(source_of(indexed, index), reading.text)
        return judgement(judged, reading.note)

    def generate(
        self, caption: str, steps: int = STEPS, seed: int = SEED, guidance: float = GUIDANCE, file_format: str = "png"
    ) -> tuple[dict[str, Any], str]:
        """Draw a scene for a caption, and tell what is read in it.

        Args:
            caption: an English sentence in the words of the scenes.
            steps: of drawing, 10 to 100; seed: the same one draws the same picture; guidance: how closely the caption
                is followed, 1 to 15.
            file_format: png, or gif: how the picture came about.

        Returns:
            "caption" as read, "note" on it, "unknown_words" that are drawn as [UNK], each {"word", "nearest"}; "seed",
            "steps", "guidance"; "similarity" S(I, T) and "rank" of "total", the picture among the gallery's scenes;
            "statements" of the caption, each with its verdict by the picture's own captions: "true", "untrue" or
            "untold"; "captions" of the picture, the most likely first, each with the mean log probability of its
            tokens. And the file.
        """
        record, file = self.draw(caption, steps, seed, guidance, file_format)
        return record, written(file)

    def draw(
        self, caption: str, steps: float, seed: float, guidance: float, file_format: str, progress: Progress = False
    ) -> tuple[dict[str, Any], Download]:
        """Draw as `generate`, with progress as in `seps.common.progress`; the file is not written to the disk."""
        check_format(file_format, DRAWINGS)
        numbers = read_numbers(steps, guidance, seed)
        generating = opened_generator(self._registry)
        service, scenes = self._registry.open(SCENES)
        reading = read_drawn_caption(service.model, caption)
        asked = DrawingRequest(reading.text, numbers["steps"], numbers["guidance"], (numbers["seed"],))
        drawing = draw_and_read(generating, service, scenes, asked, progress)
        file = drawing_file(drawing.frames, reading.text, numbers["seed"], file_format)
        return drawing_record(drawing) | reading.record(), file

    def caption_image(self, picture: Picture) -> dict[str, Any]:
        """Write captions for a drawn scene, or for a photograph.

        Args:
            photo: a file, or None with item: a gallery's photo, "gallery/photo".

        Returns:
            "captions", the most likely first, each with its "score", the mean log probability of its tokens, its
            "words", and for each word "attention", its share on each place of the picture, row by row. Photographs have
            a captioner of their own where it ships, of whose 16 captions the best 4 come, as on the screen: by the sum
            of score, 0.5 "similarity", S(I, T) by the model of photographs, and 1 "agreement" with the others, the
            share of sequences of words in common, 0 to 1.
        """
        if picture.photo is not None:
            image, of_photos = decode_upload(picture.photo).image, True
        else:
            service, indexed, index = picture.find(self._registry)
            image, of_photos = indexed.gallery.items[index].photo(), service is self._registry.photos
        if of_photos and self._registry.captioning is not None:
            captions = explained_captions(self._registry, image)
            rows = [
                caption_record(each.written) | {"similarity": each.record.similarity, "agreement": each.agreement}
                for each in captions
            ]
        else:
            rows = [caption_record(caption) for caption in opened_generator(self._registry).recaption(image).best]
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
