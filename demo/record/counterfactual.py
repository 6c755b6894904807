"""Compare a manual decision with the model's: S(I, T), its terms, words and rank."""

from dataclasses import dataclass
from typing import Any

from demo.record.layers.layers import term_titles, word_line
from demo.record.texts.table import say
from demo.service.experiments.counterfactual import Decided


@dataclass(frozen=True)
class Trial:
    """A decision compared with the model's; not `by_hand`, it is the model's own but for one kept patch."""

    decided: Decided
    now: Decided | None = None
    by_hand: bool = False

    @property
    def patch(self) -> int | None:
        """The patch that is dropped where nobody chose; None else."""
        if self.now is None or self.by_hand:
            return None
        return int((self.decided.record.sparse.kept & ~self.now.record.sparse.kept).argmax())

    @property
    def place(self) -> dict[str, int]:
        """Row and column of that patch, from 1."""
        columns, patch = self.decided.record.grid[1], self.patch
        return {} if patch is None else {"row": patch // columns + 1, "column": patch % columns + 1}


def trial_columns(trial: Trial) -> list[str]:
    """Return the heads of `trial_rows`: the model's decision, the tried one, and the difference."""
    if trial.now is None:
        return [say("trial.model")]
    tried = say("trial.by_hand") if trial.by_hand else say("trial.without")
    return [say("trial.model"), tried, say("trial.change")]


def trial_rows(trial: Trial) -> list[tuple[str, str, list[str]]]:
    """Return a decision next to the model's: rows of key, title and written numbers, see `trial_columns`."""
    both = [trial.decided, *([] if trial.now is None else [trial.now])]
    records, total = [decided.record for decided in both], trial.decided.total

    def row(key: str, title: str, kind: str, values: list[float]) -> tuple[str, str, list[str]]:
        numbers = [say(f"trial.{kind}", value=value) for value in values]
        if len(values) == 2:
            difference = "whole_change" if kind == "whole" else "term_change"
            numbers.append(say(f"trial.{difference}", value=values[1] - values[0]))
        return key, title, numbers

    rows = [row("kept", say("trial.kept"), "whole", [float(record.sparse.kept.sum()) for record in records])]
    for name, title in term_titles(records[0]).items():
        rows.append(row(name, title, "term", [record.terms[name] for record in records]))
    rows.append(row("score", "S(I, T)", "score", [record.similarity for record in records]))
    if total:
        rows.append(row("rank", say("trial.rank", total=total), "whole", [float(decided.rank) for decided in both]))
    return rows


def decision_sentence(now: Decided, model: Decided) -> str:
    """Describe the effect of a manual decision, or of the model's, on S(I, T) and the rank."""
    kept, before = now.record.sparse.kept, model.record.sparse.kept
    numbers = {"kept": kept.sum(), "patches": kept.size, "similarity": now.record.similarity}
    moved = {"dropped": (before & ~kept).sum(), "added": (kept & ~before).sum()}
    if not now.total:
        return say("whatif.alone", change=change(now, model), **numbers, **moved)
    if (kept == before).all():
        return say("whatif.own", rank=model.rank, of=model.total, **numbers)
    key = "whatif.rank_same" if now.rank == model.rank else "whatif.rank"
    rank = say(key, rank=now.rank, before=model.rank, of=now.total)
    return say("whatif.now", change=change(now, model), rank=rank, **numbers, **moved)


def change(now: Decided, model: Decided) -> float:
    """S(I, T) minus the model's."""
    return now.record.similarity - model.record.similarity


def decision_words(now: Decided, model: Decided) -> dict[str, Any]:
    """Return the sentences and differences shown next to the record while a decision is forced; JSON ready."""
    terms, alignment, before = model.record.terms, now.record.sparse_alignment, model.record.sparse_alignment
    words = []
    for word, token in enumerate(before.best_token):  # that the word met best by the model's own decision
        difference = alignment.cosines[alignment.best_token[word], word] - before.cosines[token, word]
        line = word_line(now.record, word)
        words.append(say("whatif.word", line=line, change=difference, token=before.tokens[token]))
    return {
        "says": decision_sentence(now, model),
        "similarity": say("whatif.change", change=change(now, model)),
        "terms": {name: say("whatif.change", change=value - terms[name]) for name, value in now.record.terms.items()},
        "words": words,
    }


def decision_numbers(now: Decided, by_model: Decided) -> dict[str, Any]:
    """Return the same for files: rank and number of photographs, and the model's by_model decision, JSON ready."""
    model = {
        "kept": by_model.record.sparse.kept.astype(int).tolist(),
        "similarity": by_model.record.similarity,
        "terms": by_model.record.terms,
    }
    if not now.total:
        return {"model": model}
    return {"rank": now.rank, "total": now.total, "model": model | {"rank": by_model.rank}}


def game_words(budget: int, by_hand: Decided | None, by_model: Decided, overlap: float) -> dict[str, Any]:
    """Return the text below the game's picture: rows by hand and by the model, and who is ahead; JSON ready."""
    says = say("game.ask", budget=budget)
    if by_hand is not None:
        ahead = change(by_hand, by_model)
        key = "game.even" if abs(ahead) < 5e-5 else "game.ahead" if ahead > 0 else "game.behind"
        says = say(key, amount=abs(ahead), overlap=overlap)
    rows = []
    for who, decided in (("hand", by_hand), ("model", by_model)):  # who, patches, S(I, T), rank
        count = 0 if decided is None else decided.record.sparse.kept.sum()
        placed = [say(f"game.{who}"), say("game.placed", count=count, budget=budget)]
        rows.append(
            [*placed, "-", "-"]
            if decided is None
            else [
                *placed,
                say("game.similarity", similarity=decided.record.similarity),
                say("game.rank", rank=decided.rank, of=decided.total),
            ]
        )
    return {"rows": rows, "says": says}
