import re

import pytest

from tests.helpers.cards import MARKED, PAGES, ROOT, read_figures, rebuild

MODELS = ("photos", "scenes", "judge", "generator", "captioner")
PHOTOS, SCENES, JUDGE, GENERATOR, CAPTIONER = (f"assets/models/{name}" for name in MODELS)
RESULTS, SCALE = "assets/guide/results.md", "assets/guide/scale.md"
SENTENCES = {  # page, results file: sentences that repeat its figures
    (SCALE, "assets/guide/scale.json"): (
        "shortlist of {sizes[2][photographs]:,}",
        "encoding adds {encode[p50_ms]:.0f} ms per photograph",
        "contains {sizes[0][two_stages][0][top]:.1%} of the exact top 10 among {sizes[0][real]:,} photographs",
    ),
    (RESULTS, f"{PHOTOS}/results-dev.json"): (
        "({pooled[pooled][rsum]:.1f} on dev against {captions_only[rsum]:.1f})",
        "the caption accounts for {contrast[caption_share][mean]:.1%} of its score's variance",
    ),
    (RESULTS, f"{JUDGE}/results-dev.json"): (
        "{shipped[pictures]} pictures of {shipped[prompts]} prompts",
        "of {shipped[quality][srocc]:.3f} in quality and {shipped[consistency][srocc]:.3f} in consistency",
    ),
    (RESULTS, f"{GENERATOR}/results-test.json"): (
        "captions of the {scenes:,} drawn scenes of test",
        "{captions[true_statements][mean]:.1%} are true of the scene.",
        "for {pictures[count]} captions of test are found among 100 by their caption in {pictures[r1][mean]:.1f}% of "
        "the cases (true scenes in {pictures[r1_true_scenes][mean]:.1f}%)",
    ),
    (RESULTS, f"{CAPTIONER}/results-dev.json"): (
        "of the {photographs} photographs of Flickr8k dev have a BLEU-4 of {beam[bleu_4]:.1f} and a CIDEr of "
        "{beam[cider]:.3f}, and of {reranked[bleu_4]:.1f} and {reranked[cider]:.3f} where SEPS's score and agreement "
        "choose among {reranked[beams]} beams",
        "one person's against the others' {people[bleu_4]:.1f} and {people[cider]:.3f}",
    ),
    (f"{CAPTIONER}/README.md", f"{CAPTIONER}/results-dev.json"): (
        "The choice takes the first of the {reranked[beams]} captions of beam search",
        "S(I, T) by `photos`, times {reranked[weight]:g}",
        "agreement with the other 15, times {reranked[agreement]:g}.",
        "(here {reranked[meteor]:.1f})",
    ),
    (f"{PHOTOS}/README.md", f"{PHOTOS}/results-dev.json"): (
        "{grounding[phrases]:,} on {grounding[images]} photographs",
        "({grounding[methods][seps][mentioned_to_background][mean]:.3f} instead of",
    ),
    (f"{SCENES}/README.md", f"{SCENES}/results-test.json"): (
        "{grounding[phrases]:,} phrases of {grounding[images]:,} test scenes",
        "kept {grounding[methods][seps][mentioned_to_background][mean]:.2f} times as often as the background",
        "keeps {contrast[maps][score][own][mean]:.1%} of the object that a phrase names and "
        "{contrast[maps][score][other][mean]:.1%} of the other one",
        "would keep {contrast[maps][s_st][own][mean]:.1%} and {contrast[maps][s_st][other][mean]:.1%}",
    ),
    (f"{SCENES}/README.md", f"{SCENES}/results-dev.json"): (
        "{grounding[methods][seps][pointing_game]:~.3f}",
        "contrast {contrast[maps][score][contrast]:~.3f}",
    ),
    (f"{JUDGE}/README.md", f"{JUDGE}/results-dev.json"): (
        "quality {shipped[corrections][quality][base_srocc]:.3f}, "
        "consistency {shipped[corrections][consistency][base_srocc]:.3f}",
        "quality {shipped[corrections][quality][mean]:.2f} of 0.2 on average",
        "consistency {shipped[corrections][consistency][mean]:.2f} of 0.3, at most",
        "quality {shipped[within_prompt][quality]:~.3f}, consistency {shipped[within_prompt][consistency]:~.3f}",
        "ranks consistency at {shipped[beyond_quality][srocc_of_predicted_quality]:~.3f}",
        "within a prompt at {shipped[beyond_quality][within_prompt_of_predicted_quality]:~.3f}",
        "is {shipped[beyond_quality][partial_given_predicted_quality]:~.3f} given the predicted quality",
        "and {shipped[beyond_quality][partial_given_rated_quality]:~.3f} given the rated one",
    ),
    (f"{GENERATOR}/README.md", f"{GENERATOR}/results-test.json"): (
        "{pictures[steps]} steps, guidance {pictures[guidance]:g}",
        "finds {pictures[true_scenes][objects][mean]:.3f} of the objects "
        "and {pictures[true_scenes][colours][mean]:.3f} of the colours",
    ),
}


@pytest.mark.parametrize("page", PAGES)
def test_tables_agree_with_the_results(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert MARKED.search(text)
    assert rebuild(page) == text, "run make cards"


@pytest.mark.parametrize(("page", "file"), SENTENCES)
def test_sentences_agree_with_the_results(page: str, file: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").replace("**", "").split())
    figures = read_figures(ROOT / file)
    for sentence in SENTENCES[page, file]:
        assert sentence.format(**figures) in text


def test_the_speed_agrees_with_the_bench() -> None:
    bench = (ROOT / "tests" / "bench" / "README.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(bench) if line.startswith("| 64 images x 100 captions"))
    released, paper = (line.split(" | ")[3] for line in bench[start : start + 2])
    text = " ".join((ROOT / RESULTS).read_text(encoding="utf-8").split())
    assert f"{released} times (released variant) and {paper} times (paper variant)" in text


def test_the_chinese_readme_has_the_same_figures() -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md")]
    tables = ["\n".join(re.findall(r"^\|.*\d\.\d.*", text, re.MULTILINE)) for text in texts]
    figures = [re.findall(r"\d[\d.,]*|\n", table) for table in tables]
    assert figures[0] == figures[1] != []
