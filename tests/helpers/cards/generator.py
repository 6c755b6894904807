"""Tables of the generator's card; "aim" is a target, not a measurement."""

from tests.helpers.cards.cells import Figures, estimate, mean, slashed, table

__all__ = ["captions", "ceiling", "pictures"]


def captions(results: Figures) -> str:
    """How true the captions of test's scenes are."""
    measured = results["captions"]
    seen, unseen = measured["seen"], measured["unseen"]
    rows = [
        ["statements that are true", estimate(measured["true_statements"]), "0.95"],
        ["... scenes of seen combinations", mean(seen["true_statements"]), ""],
        ["... of unseen ones", mean(unseen["true_statements"]), ""],
        ["captions wholly true", estimate(measured["wholly_true"]), "0.85"],
        ["... seen / unseen", slashed(group["wholly_true"]["mean"] for group in (seen, unseen)), ""],
        ["the scene's objects, named without an untruth", estimate(measured["objects"]), ""],
        ["distinct captions", f"{measured['distinct']:.3f}", ""],
        [
            f"the scenes model finds the scene by the caption, R@1 of {results['scenes']:,}",
            mean(measured["r1"], 1),
            "0.8 of the grammar's",
        ],
        ["... by the grammar's own caption", mean(measured["r1_grammar"], 1), ""],
    ]
    return table(["", "measured", "aim"], rows)


def pictures(results: Figures) -> str:
    """The share of a caption that is found in its drawing."""
    measured = results["pictures"]
    ranked, true_ranked = estimate(measured["r1"], 1), mean(measured["r1_true_scenes"], 1)
    nearest, true_nearest = estimate(measured["nearest_training"], 1), mean(measured["nearest_training_true_scenes"], 1)
    rows = [
        ["found among 100 by their caption, R@1", ranked, "60", true_ranked, "1 by chance"],
        *captioned_back("the caption's objects captioned back", measured, "objects"),
        *captioned_back("its colours, with their objects", measured, "colours"),
        ["nearest training scene, mean difference of 255 at 32 x 32", nearest, "", true_nearest, ""],
    ]
    return table(["", "drawn", "aim", "the true scenes", "drawings of other captions"], rows)


def ceiling(results: Figures) -> str:
    """Statements found in true scenes, and in their reconstructions."""
    titles = {
        "true_scenes": "the true scenes",
        "small": "... at 112 x 112",
        "autoencoded": "... through the autoencoder",
    }
    rows = [
        [title, estimate(results[name]["r1"], 1), *(estimate(results[name][part]) for part in ("objects", "colours"))]
        for name, title in titles.items()
    ]
    return table(["", "R@1 among 100", "objects captioned back", "colours"], rows)


def captioned_back(title: str, measured: Figures, name: str) -> list[list[str]]:
    """A row of the captioner's findings in drawings, and one by combinations."""
    groups = slashed(measured[group][name]["mean"] for group in ("seen", "unseen"))
    rivals = [mean(measured[group][name]) for group in ("true_scenes", "shuffled")]
    return [
        [title, estimate(measured[name]), "0.8", *rivals],
        ["... of seen / unseen combinations", groups, "", "", ""],
    ]
