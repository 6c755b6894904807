"""Measure recall at 1, 5 and 10, both ways: `python -m seps.evaluate --model MODEL --data DATA --split dev`."""

from seps.evaluation.retrieval import main

if __name__ == "__main__":
    main()
