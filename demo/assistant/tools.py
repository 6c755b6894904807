"""The tools: what an assistant may ask of the app. Photographs come by their item in a gallery or as a data URL; no
tool takes a path or an address."""

import json
from itertools import accumulate
from typing import Annotated, Any

from mcp.types import CallToolResult, ImageContent, TextContent
from pydantic import BaseModel, Field

from demo.assistant import results
from demo.assistant.pictures import image_content, upload_of
from demo.assistant.requests import iterate_until_disconnect
from demo.page.api import Endpoints
from demo.page.questions import Picture
from demo.record.layers.layers import Layer, describe, layer_of_words, word_line
from demo.service.captions import read_caption, read_pair
from demo.service.generating.request import GUIDANCE, SEED, STEPS
from demo.service.measuring.measures import find_measure
from demo.service.models.registry import ModelRegistry
from demo.views.downloads import explanation
from demo.views.state import ViewState

LISTED = 400_000  # characters of a list of photographs, which is sent twice: many clients refuse more than 1 MB
WIDTH, MIN_WIDTH, MAX_WIDTH = 1024, 200, 1536  # of a picture, in pixels

Item = Annotated[str, Field(description="a photograph of a gallery, as list_photographs gives it; or empty with photo")]
Photo = Annotated[
    str,
    Field(
        description="a photograph as a data URL, data:image/png;base64,..., or in plain base64, up to 3 MB; or empty"
    ),
]
Caption = Annotated[str, Field(description="an English sentence")]
Dense = Annotated[str, Field(description="a long description (dense caption), or empty")]
Gallery = Annotated[str, Field(description="a name that list_photographs gives")]


class Tools:
    """The tools by name; assistants read their docstrings and annotations."""

    def __init__(self, registry: ModelRegistry) -> None:
        self._registry, self._endpoints = registry, Endpoints(registry)

    def list_photographs(
        self,
        gallery: Annotated[str, Field(description="lists one gallery only; empty for all")] = "",
        start: Annotated[int, Field(ge=0, description="how many photographs of each gallery to skip")] = 0,
    ) -> Annotated[CallToolResult, results.Galleries]:
        """List the galleries and their photographs, with the captions that were written for each."""
        galleries = {name: rows[start:] for name, rows in self._endpoints.galleries().items()}
        if gallery and gallery not in galleries:
            raise ValueError(f"There is no gallery {gallery[:40]!r}. Choose one of: {', '.join(galleries)}.")
        chosen = {gallery: galleries[gallery]} if gallery else galleries
        listed = {name: fitting(rows, LISTED // len(chosen)) for name, rows in chosen.items()}
        left_out = {name: len(rows) - len(listed[name]) for name, rows in chosen.items()}
        value = {"galleries": listed, "left_out": {name: count for name, count in left_out.items() if count}}
        return format_result(results.Galleries.model_validate(value))

    def rank_photographs(
        self,
        caption: Caption,
        gallery: Gallery = "examples",
        dense_caption: Dense = "",
        top: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> results.PhotographRanking:
        """Rank a gallery's photographs for a caption, the best first."""
        answer = self._endpoints.rank_images(caption, dense_caption, gallery)
        return results.PhotographRanking.model_validate(answer | {"ranking": answer["ranking"][:top]})

    def rank_captions(
        self,
        captions: Annotated[list[str] | None, Field(description="sentences to rank; empty for the gallery's")] = None,
        item: Item = "",
        photo: Photo = "",
        top: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> results.CaptionRanking:
        """Rank captions for a photograph, the best first."""
        gallery = "" if captions else item.partition("/")[0]
        lines = join_caption_lines(captions or [])
        rows = self._endpoints.rank_captions(picture_of(photo, item), gallery, lines)["ranking"]
        return results.CaptionRanking.model_validate({"ranking": rows[:top], "total": len(rows)})

    def explain(
        self,
        caption: Caption,
        item: Item = "",
        photo: Photo = "",
        dense_caption: Dense = "",
        layer: Annotated[
            str,
            Field(
                description="what the picture shows: mask (kept patches), score, word:2 (the caption's second word), "
                "token:1, extra"
            ),
        ] = "mask",
        picture_width: Annotated[
            int,
            Field(ge=MIN_WIDTH, le=MAX_WIDTH, description="in pixels; the picture is smaller than 700 kB at any width"),
        ] = WIDTH,
    ) -> Annotated[CallToolResult, results.Explanation]:
        """Explain what a caption did with a photograph: S(I, T) and its terms, kept patches, words, and a picture."""
        service, indexed, index = picture_of(photo, item).find(self._registry)
        reading = read_caption(service.model, caption)
        text, dense = read_pair(service.model, caption, dense_caption)
        record = service.explain(indexed, index, text, dense)
        shown = Layer.parse(layer_of_words(layer, text, service.model.tokenizer, record))
        if find_measure(shown.name) is not None:
            raise ValueError(f"The layer {layer} takes long to measure: choose mask, score, word:1, token:1 or extra.")
        shown.check(record)
        state = ViewState(indexed.gallery.name, index, text, dense, str(shown))
        kept = record.on_grid(record.sparse.kept)
        words = range(1, len(record.sparse_alignment.words) - 1)  # without [CLS] and [SEP]
        value = results.Explanation(
            similarity=record.similarity,
            terms=record.terms,
            kept_patches=int(kept.sum()),
            patches=kept.size,
            grid=list(record.grid),
            mask=["".join(".#"[int(patch)] for patch in row) for row in kept],
            sentences=[f"{describe(record, shown)}.", *(word_line(record, word) for word in words)],
            note=reading.note,
        )
        return format_result(value, image_content(explanation(service, indexed, state, "png").content, picture_width))

    def compare_captions(
        self,
        captions: Annotated[list[str], Field(min_length=2, max_length=6, description="2 to 6 sentences")],
        item: Item = "",
        photo: Photo = "",
    ) -> results.Compared:
        """Compare which patches several captions keep of one photograph."""
        answer = self._endpoints.compare(picture_of(photo, item), join_caption_lines(captions))
        return results.Compared.model_validate(answer)

    def why(
        self,
        captions: Annotated[
            list[str],
            Field(min_length=1, max_length=2, description="one caption of two photographs, or two of one photograph"),
        ],
        item: Item,
        other_item: Annotated[
            str, Field(description="another photograph of the same gallery; empty with two captions")
        ] = "",
    ) -> results.Contrast:
        """Tell why a photograph, or a caption, comes before another one: each word's part in both similarities."""
        answer = self._endpoints.why(Picture(item=item), other_item, captions=join_caption_lines(captions))
        left, right = (answer[side]["similarity"] for side in ("left", "right"))
        return results.Contrast.model_validate(answer | {"sentences": answer["says"], "left": left, "right": right})

    def judge(
        self,
        prompt: Annotated[str, Field(description="the English sentence that the picture was made from")],
        item: Item = "",
        photo: Photo = "",
    ) -> results.Judgement:
        """Judge how good a generated picture looks, and how well it fits its prompt."""
        answer = self._endpoints.judge(picture_of(photo, item), prompt)
        scores = {name: answer[name] | {"sentence": answer[name]["says"]} for name in ("quality", "consistency")}
        return results.Judgement.model_validate(scores | {"note": answer["note"]})

    def generate(
        self,
        caption: Annotated[str, Field(description="an English sentence in the words of the drawn scenes")],
        seed: Annotated[int, Field(ge=0, description="the same seed draws the same picture")] = SEED,
        steps: Annotated[int, Field(ge=10, le=100)] = STEPS,
        guidance: Annotated[float, Field(ge=1, le=15, description="how closely the caption is followed")] = GUIDANCE,
    ) -> Annotated[CallToolResult, results.Drawn]:
        """Draw a scene for a caption and report which of its statements are found in the picture."""
        answer, file = self._endpoints.draw(caption, steps, seed, guidance, "png", iterate_until_disconnect)
        statements = [{"statement": row["says"], "verdict": row["verdict"]} for row in answer["statements"]]
        return format_result(
            results.Drawn.model_validate(answer | {"statements": statements}), image_content(file.content)
        )


def picture_of(photo: str, item: str) -> Picture:
    """Return the photograph that a call gives as a data URL, or names as a gallery's item."""
    if not photo and not item:
        raise ValueError("No photograph is named: give item, as list_photographs gives it, or photo, a data URL.")
    if photo and item:
        raise ValueError("Two photographs are named: give item or photo, not both.")
    return Picture(upload_of(photo) if photo else None, item)


def join_caption_lines(captions: list[str]) -> str:
    """Captions as the endpoints take them."""
    return "\n".join(" ".join(caption.split()) for caption in captions)


def fitting(rows: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return the first rows that take at most so many characters as JSON, but one at least."""
    sizes = accumulate(len(json.dumps(row)) for row in rows)
    return rows[: max(1, sum(size <= most for size in sizes))]


def format_result(value: BaseModel, *pictures: ImageContent) -> CallToolResult:
    """Return a result as text and as values, with pictures that an assistant can look at."""
    text = TextContent(type="text", text=value.model_dump_json())
    return CallToolResult(content=[text, *pictures], structuredContent=value.model_dump(mode="json"))
