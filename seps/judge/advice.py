"""Usual settings of a judge, for `python -m seps.judge train --help` and `python -m seps.judge guide`."""

from __future__ import annotations

ROWS = (
    ("frozen", "--freeze all", "learning rate 1e-3 to 5e-3: only the heads learn, on cached features"),
    ("partly", "--freeze N", "3e-5 to 1e-4; 70 to 80% of the image tower's layers, 18 of ViT-L/14's 24"),
    ("nothing", "--freeze none", "3e-5, which it is where none is named; above 1e-4 encoders forget"),
    ("scale 0.1", "--residual-scale-q 0.1", "under 1,000 ratings, or encoders that agree with people already"),
    ("scale 0.2", "--residual-scale-q 0.2", "the usual one"),
    ("scale 0.3 to 0.5", "--residual-scale-c 0.3", "many ratings, or encoders that do not see what is rated"),
    ("above 0.5", "--no-residual", "the bound holds little back: compare with a judge that scores directly"),
    ("under 1,000 ratings", "recipe under-1000-ratings", "freeze more, scales of 0.1, more epochs at a lower rate"),
    ("over 3,000 ratings", "recipe over-3000-ratings", "freeze less, scales of 0.2"),
)
COMMANDS_PAGE = """From ratings to sorted pictures, with a CLIP of the hub or of a folder that transformers wrote:

  pip install ".[judge]"
  python -m seps.judge train quick --data RATINGS --out RUN --set encoder.name=openai/clip-vit-base-patch32
  python -m seps.judge train over-3000-ratings --data RATINGS --out RUN2 --freeze 18 --lr 3e-5 --epochs 20
  python -m seps.judge train RUN2/recipe.json --data RATINGS --out RUN2 --resume
  tensorboard --logdir RUN2/tensorboard
  python -m seps.judge evaluate --model RUN2/best --data RATINGS --split dev --json RUN2/results.json
  python -m seps.judge ablate --data RATINGS --out ABLATION --recipe quick --rows freezing
  python -m seps.judge sort PICTURES --prompts prompts.csv --model RUN2/best --csv sorted.csv"""


def advice() -> str:
    """Return the rows as text: what it is about, what to give, and why."""
    return "\n".join(["What is usual:", *(f"  {about:20} {setting:26} {why}" for about, setting, why in ROWS)])
