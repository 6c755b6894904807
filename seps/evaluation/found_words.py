"""Measure which words match nothing, by the program's former name: see `seps.evaluation.unmatched_words`."""

from seps.evaluation.unmatched_words import main

if __name__ == "__main__":
    main()
