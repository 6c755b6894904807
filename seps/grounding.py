"""Measure where a model's pictures point: `python -m seps.grounding --model MODEL --data DATA --split dev`."""

from seps.evaluation.grounding.program import main

if __name__ == "__main__":
    main()
