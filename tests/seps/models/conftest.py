"""A model that the tests of models share."""

from pathlib import Path

import pytest

from seps.models.model import SEPSModel
from tests.helpers.models.tiny import tiny_model


@pytest.fixture(scope="package")
def tiny(bert: Path) -> SEPSModel:
    """A tiny model in evaluation mode; tests leave it as it is."""
    return tiny_model(bert)
