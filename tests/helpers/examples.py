"""How many examples a property test draws: few by default, all of them with HYPOTHESIS_PROFILE=many, as in CI."""

import os

PROFILES = ("few", "many")
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "few")
FEWER = 10  # times


def number_of_examples(most: int, profile: str = PROFILE) -> int:
    """How many of at `most` so many examples a test draws."""
    if profile not in PROFILES:
        raise ValueError(f"HYPOTHESIS_PROFILE is {profile!r}, but it must be one of {', '.join(PROFILES)}.")
    return most if profile == "many" else max(10, most // FEWER)
