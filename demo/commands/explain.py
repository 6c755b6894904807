"""`python -m demo explain PHOTO CAPTION -o FILE`: what a caption did with a photograph, as a file."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from typer import Option

from demo.commands.output import (
    Dense,
    Model,
    check_output_kind,
    describe_written_file,
    kind_of,
    notify,
    read_with_note,
    report_note,
)
from demo.drawing.formats import EXPLANATIONS, PICTURES
from demo.galleries.reading.paths import check_photo_path
from demo.service.models.own_models import MODEL, fetch_model
from seps.common.numbers import written

LAYERS = (
    "mask, score, s_st, token:1, tokens, extra, word:2 (the caption's second word; of one in several pieces the first "
    "piece), word:[CLS], word:[SEP], piece:3 (the third word piece, which links call word:3), effect, blanked and "
    "blurred, which is slower (effect:2 of the second word), ..."
)
KEEP = "keep these, whatever the model decides: 1,2,5-9 row by row, or all"
DROP = "drop these first, likewise (all: none but --keep)"


def explain(
    photo: Path,
    caption: str,
    output: Annotated[
        Path, Option("-o", "--output", help=f"file; its ending says which: {', '.join(PICTURES)}, json or html")
    ],
    dense: Dense = None,
    layer: Annotated[str, Option(help=LAYERS)] = "mask",
    keep: Annotated[str, Option(metavar="PATCHES", show_default=False, help=KEEP)] = "",
    drop: Annotated[str, Option(metavar="PATCHES", show_default=False, help=DROP)] = "",
    opacity: Annotated[float, Option(help="of the layer, 0 to 1")] = 0.75,
    model: Model = MODEL,
) -> None:
    """Draw what a caption did with a photograph."""
    fetch_model(model)
    check_photo_path(photo)
    check_output_kind(output, (*EXPLANATIONS, "html"))
    if kind_of(output) == "html" and (keep or drop):
        raise ValueError("--keep and --drop do not go with html: choose json or a picture.")
    from tqdm import tqdm

    from demo.drawing.formats import Heading
    from demo.drawing.overlay import explanation_file
    from demo.record.counterfactual import decision_numbers, decision_sentence
    from demo.record.layers.layers import Layer, layer_of_words
    from demo.record.texts.table import say
    from demo.service.captions import read_caption, read_pair
    from demo.service.experiments.counterfactual import Decided
    from demo.service.masks import changed_mask
    from demo.service.measuring.effects import Pair, measure
    from demo.service.measuring.measures import find_measure, is_slow
    from demo.service.models.start import open_model
    from seps.explanation.record import Source

    service = open_model(model)
    image = read_with_note(photo).image
    reading = read_caption(service.model, caption)
    report_note(reading)
    text, dense_text = read_pair(service.model, caption, dense)
    patches = service.encode_photos([image])[0]
    record = unforced = service.explain_embeddings(patches, image, text, dense_text)
    layer = layer_of_words(layer, reading.text, service.model.tokenizer, record)
    mask, note, numbers = changed_mask(unforced.sparse.kept, keep, drop), "", None
    if mask is not None:
        record = service.explain_embeddings(patches, image, text, dense_text, mask)
        decided = Decided(record), Decided(unforced)
        note, numbers = say("whatif.forced", says=decision_sentence(*decided)), decision_numbers(*decided)
    name = Layer.parse(layer).name
    if is_slow(name):
        notify(say("button.measuring_slowly", name=say(f"name.{name}"), count=1 + unforced.sparse.kept.size))
    if find_measure(name) is not None:
        given = (service.model, record, patches, lambda: image, text, dense_text, mask)
        record = measure(name, Pair(*given, encode=service.encode_in_turn, progress=tqdm))
    kind, score = kind_of(output), f"S(I, T) = {written(record.similarity, '.4f')}."
    if kind == "html":
        shown = replace(record, source=Source(image, reading.text, dense_text, model=service.name))
        from demo.notebook.views import record_view

        view = record_view(shown, layer, "auto")
        view.value["opacity"] = opacity
        view.save(output)
        print(score, describe_written_file(output))
        return
    heading = Heading(reading.text, record.similarity, service.name, dense, note=note)
    file = explanation_file(image, record, heading, photo.stem, kind, layer, opacity, by_hand=numbers)
    output.write_bytes(file.content)
    print(score, f"{output} is written.")
