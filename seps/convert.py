"""Convert an authors' checkpoint to our format: `python -m seps.convert CHECKPOINT CONFIG --out MODEL`."""

from seps.models.convert import main

if __name__ == "__main__":
    main()
