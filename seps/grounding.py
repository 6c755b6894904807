"""Measure where a model's pictures point, and whether they follow the caption:
`python -m seps.grounding --model MODEL --data DATA --split dev`; `--only contrast` for the second alone."""

from seps.evaluation.grounding.program import main

if __name__ == "__main__":
    main()
