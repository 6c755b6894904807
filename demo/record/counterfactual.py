"""Compare a manual decision with the model's: S(I, T), its terms, words and rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.record.layers.sentences import term_titles, word_line
from demo.record.texts.table import say
from demo.service.experiments.counterfactual import Decided
from seps import Explanation


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
    titles, total = term_titles(trial.decided.record), trial.decided.total
    rows = [
        ("kept", say("trial.kept"), "whole", [float(decided.record.sparse.kept.sum()) for decided in both]),
        *((name, title, "term", [decided.record.terms[name] for decided in both]) for name, title in titles.items()),
        ("score", "S(I, T)", "score", [decided.record.similarity for decided in both]),
        *(
            [("rank", say("trial.rank", total=total), "whole", [float(decided.rank) for decided in both])]
            if total
            else []
        ),
    ]
    return [(key, title, _written(kind, values)) for key, title, kind, values in rows]


def _written(kind: str, values: list[float]) -> list[str]:
    """One number or two as they are written, and the difference of two; `kind` is "whole", "term" or "score"."""
    difference = "whole_change" if kind == "whole" else "term_change"
    changed = [say(f"trial.{difference}", value=values[1] - values[0])] if len(values) == 2 else []
    return [say(f"trial.{kind}", value=value) for value in values] + changed


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
    terms, count = model.record.terms, len(now.record.sparse_alignment.words)
    return {
        "says": decision_sentence(now, model),
        "similarity": say("whatif.change", change=change(now, model)),
        "terms": {name: say("whatif.change", change=value - terms[name]) for name, value in now.record.terms.items()},
        "words": [changed_word(now.record, model.record, word) for word in range(count)],
    }


def changed_word(record: Explanation, model: Explanation, word: int) -> str:
    """Return the token that a word met best, and how its cosine differs from the one by the model's own decision."""
    alignment, before = record.sparse_alignment, model.sparse_alignment
    token = before.best_token[word]
    difference = alignment.cosines[alignment.best_token[word], word] - before.cosines[token, word]
    return say("whatif.word", line=word_line(record, word), change=difference, token=before.tokens[token])


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
    return {"rows": [game_row("game.hand", by_hand, budget), game_row("game.model", by_model, budget)], "says": says}


def game_row(key: str, decided: Decided | None, budget: int) -> list[str]:
    """Return one side of the game: who, patches, S(I, T), rank."""
    if decided is None:
        return [say(key), say("game.placed", count=0, budget=budget), "-", "-"]
    count = decided.record.sparse.kept.sum()
    return [
        say(key),
        say("game.placed", count=count, budget=budget),
        say("game.similarity", similarity=decided.record.similarity),
        say("game.rank", rank=decided.rank, of=decided.total),
    ]
