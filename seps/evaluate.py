"""Measure a model, by default its recall: `python -m seps.evaluate --measure NAME --model MODEL ...`."""

from seps.evaluation.harness import main

if __name__ == "__main__":
    main()
