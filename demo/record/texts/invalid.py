"""Sentences about values that a pydantic model refuses."""

from pydantic import ValidationError


def describe_errors(error: ValidationError) -> str:
    """Describe each invalid value in a sentence."""
    sentences = []
    for each in error.errors():
        name, problem = ".".join(map(str, each["loc"])), each["msg"].removeprefix("Value error, ")
        if each["type"] == "missing":
            problem = f"{name} is missing: give it."
        elif each["type"] != "value_error":
            problem = f"{name} cannot be used: {problem[0].lower()}{problem[1:]}."
        sentences.append(problem)
    return " ".join(sentences)
