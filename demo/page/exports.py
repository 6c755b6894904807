"""The page's downloads: each method answers with a file as `sent` gives it, drawn by the code of all exports."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.drawing.formats import JUDGEMENTS, Download, check_format, file_name
from demo.drawing.rankings import ranking_csv, ranking_file
from demo.galleries.sources.scenes import SCENES
from demo.page.lab import LabActions
from demo.page.questions import DecidedPair, Photo, Two, Walked, at
from demo.page.table import PROGRESS
from demo.page.values import at_ratio, rankings, read_compared
from demo.record.texts.language import ENGLISH, speaking
from demo.record.texts.table import for_page
from demo.service.captions import read_caption, read_pair, read_prompt
from demo.service.experiments.experiment import edited_gallery, read_changes
from demo.service.generating.rank import read_drawn_caption
from demo.service.generating.request import GUIDANCE, SEED, STEPS, read_request
from demo.service.models.personal import SessionData
from demo.views.compare import comparison
from demo.views.downloads import explanation, sent
from demo.views.generate.values import drawing_file, opened_generator
from demo.views.judge.values import SCORES, JudgedPicture, judged_file, opened_judge, several_csv
from demo.views.lesson.files import lesson_file
from demo.views.state import NO_POOL, ViewState
from demo.views.video import film_download, second_caption
from demo.views.viewer import decision
from demo.views.why.values import why_download
from seps.common.checks import check_choice
from seps.common.numbers import rounded


def in_english(make: Callable[[], Download]) -> dict[str, Any]:
    """Return the file that a function makes, written as the files of the command line are; errors in its words."""
    with for_page(False), speaking(ENGLISH):
        return sent(make())


@dataclass(frozen=True)
class Look:
    """How a picture is drawn; `file_format` is an ending, see `demo.drawing.formats`."""

    layer: str = "mask"
    objects: bool = False
    file_format: str = "png"
    dark: bool = False


class ExportActions(LabActions):
    """Downloads of the page; `file_format` is an ending, see `demo.drawing.formats`."""

    def save_pair(self, pair: DecidedPair, look: Look, opacity: float = 0.75, lines: bool = True) -> dict[str, Any]:
        """Save one photograph and one caption as a picture, as JSON, or as a page that needs no server."""
        service, indexed, state = pair.read(self._registry, look.layer)
        state = replace(state, opacity=opacity, lines=lines, objects=look.objects)
        return in_english(lambda: explanation(service, indexed, state, look.file_format, look.dark))

    def save_ranking(
        self, pair: DecidedPair, ratio: float | None = None, name: str = "", exhaustive: bool = False
    ) -> dict[str, Any]:
        """Save the ranking of a gallery as CSV; a photograph under a decision by hand is at its new place."""
        service, indexed, state = pair.read(self._registry)
        state = replace(state, name=name, exhaustive=exhaustive)
        alone, with_dense = rankings(service, indexed, state)
        ranking = at_ratio(service, indexed, with_dense or alone, ratio)
        decided = None if ratio is not None else decision(service, indexed, state)
        by_hand = None if decided is None else (state.index, decided[0].record.similarity)
        return in_english(lambda: ranking_csv(indexed, ranking, service.name, by_hand))

    def save_captions(self, photo: Photo, pool: str = "", typed: str = "") -> dict[str, Any]:
        """Save the ranking of captions for a photograph as CSV."""
        service, indexed, index = photo.find(self._registry)
        pool = pool or service.first
        if pool != NO_POOL:
            self._registry.open(pool)
        ranking = service.rank_captions(indexed, index, None if pool == NO_POOL else pool, typed)
        truth = {True: "yes", False: "no", None: ""}
        rows = [
            [rank, caption, rounded(score, 6), truth[correct]]
            for rank, (caption, score, correct) in enumerate(
                zip(ranking.captions, ranking.scores, ranking.correct, strict=True), start=1
            )
        ]
        columns = ("rank", "caption", "score", "written for this photo")
        return sent(ranking_file(columns, rows, service.name, indexed.gallery.items[index].title))

    def save_film(
        self,
        session: SessionData,
        gallery: str,
        caption: str,
        dense: str = "",
        other: str = "",
        file_format: str = "gif",
    ) -> dict[str, Any]:
        """Save captions through a video as a film, a chart or numbers."""
        service, indexed = self._registry.find(gallery, session)
        text, dense_text = read_pair(service.model, caption, dense)
        state = ViewState(gallery, 0, text, dense_text, other=second_caption(service, indexed, other))
        return in_english(lambda: film_download(service, indexed, state, file_format))

    def save_compare(self, photo: Photo, captions: str, look: Look) -> dict[str, Any]:
        """Save captions on one photograph, side by side."""
        service, indexed, index = photo.find(self._registry)
        state, texts = read_compared(service, indexed, index, captions, look.layer)
        state = replace(state, objects=look.objects)
        return in_english(lambda: comparison(service, indexed, state, texts, look.file_format, look.dark))

    def save_contrast(self, two: Two, look: Look) -> dict[str, Any]:
        """Save two photographs for a caption, or two captions for a photograph."""
        service, indexed, state = two.read(self._registry)
        state = replace(state, layer=look.layer)
        return in_english(lambda: why_download(service, indexed, state, look.file_format, look.dark))

    def save_lesson(
        self, walked: Walked, file_format: str = "pdf", dark: bool = False, progress: gr.Progress = PROGRESS
    ) -> dict[str, Any]:
        """Save all steps of the method on one photograph."""
        request = walked.read(self._registry)
        return in_english(lambda: lesson_file(request, file_format, dark, progress.tqdm))

    def save_edit(self, index: float, caption: str, changes: str = "") -> dict[str, Any]:
        """Save the ranking of the drawn scenes, of which one is changed, as CSV."""
        registry = self._registry
        service, scenes = registry.open(SCENES)
        edited = edited_gallery(registry, at(index, len(scenes)), read_changes(changes or "[]")) or scenes
        text = read_caption(service.model, caption).text
        return in_english(lambda: ranking_csv(edited, service.rank_images(edited, text), service.name))

    def save_judge(self, photo: Photo, prompt: str, file_format: str = "csv") -> dict[str, Any]:
        """Save both scores of a picture for a prompt as CSV, or with each patch's attribution as JSON."""
        check_format(file_format, JUDGEMENTS)
        picture = JudgedPicture(opened_judge(self._registry), *photo.find(self._registry))
        text = read_prompt(self._registry.photos.model, prompt).text
        judged = picture.judging.judge_together([picture.source], picture.judging.encode_prompt(text))[0]
        title = picture.indexed.gallery.items[picture.index].title
        name = file_name("judge", title, "", file_format)
        content = judged_file([(title, judged)], text, "quality", file_format)
        return sent(Download(name, content))

    def save_several(self, photo: Photo, prompt: str, by: str = "quality") -> dict[str, Any]:
        """Save both scores of the pictures of a gallery for one prompt as CSV, the best by one of them first."""
        check_choice("by", by, SCORES)
        text = read_prompt(self._registry.photos.model, prompt).text
        picture = JudgedPicture(opened_judge(self._registry), *photo.find(self._registry))
        return in_english(lambda: several_csv(picture, text, by))

    def save_drawing(
        self,
        caption: str,
        steps: float = STEPS,
        guidance: float = GUIDANCE,
        seed: float = SEED,
        file_format: str = "png",
    ) -> dict[str, Any]:
        """Save a drawing, or with "gif" how it came about: it is drawn again, and the same seed draws the same."""
        generating = opened_generator(self._registry)
        text = read_drawn_caption(self._registry.open(SCENES)[0].model, caption).text
        asked = read_request(text, steps, guidance, seed)
        shipped = generating.precomputed()
        drawn = shipped.steps if shipped is not None and shipped.asked == asked else list(generating.draw(asked))
        frames = [step.pictures[0] for step in drawn]
        return in_english(lambda: drawing_file(frames, text, asked.seeds[0], file_format))
