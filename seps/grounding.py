"""Measure whether a model's maps point at the named objects and follow the caption: `python -m seps.grounding
--model MODEL --data DATA --split dev`; `--only contrast` measures only the second."""

from seps.evaluation.grounding.program import main

if __name__ == "__main__":
    main()
