"""Validation of the inputs of every call. Gradio checks a file only if the call marks it as one, and answers most
errors with null."""

import logging
import sys
from collections.abc import Sequence
from typing import Any

import gradio as gr
from gradio.block_function import BlockFunction
from gradio.exceptions import ComponentProcessingError

from demo.record.texts.language import phrase, sentences, speaking
from demo.server.gate import FAULT, FULL, STATUS, is_full
from demo.server.sessions import Sessions

LOG = logging.getLogger(__name__)
LONGEST = 300  # characters of a component's message, which quotes the input
GONE = (
    "This page's session has expired, because of too many other sessions or long inactivity. Reload the page: its "
    "address contains everything except your own photos."
)


class GuardedBlocks(gr.Blocks):
    """Blocks that validate the inputs of their events. The caller gets the message of a ValueError; other errors are
    logged."""

    async def process_api(self, block_fn: BlockFunction | int, inputs: list[Any], *args: Any, **options: Any) -> Any:
        """Validate the inputs of an event and let Gradio run it; raise gr.Error with a message for any error."""
        event = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        requests = options.get("request")  # None for a call within the app
        request = requests[0] if isinstance(requests, list) and requests else requests
        with speaking(str((getattr(request, "query_params", None) or {}).get("lang", ""))):
            try:
                if isinstance(self.state_holder, Sessions) and self.state_holder.is_gone(options.get("session_hash")):
                    raise ValueError(GONE)
                return await super().process_api(event, checked(event, inputs), *args, **options)
            except Exception as error:
                cause = error.__cause__ if isinstance(error, ComponentProcessingError) else error  # reading an upload
                scope = getattr(getattr(request, "request", None), "scope", {})
                scope[STATUS], sentence = status_of(event, cause)
                raise gr.Error(sentences(sentence), title=phrase("Refused"), print_exception=False) from error


def status_of(event: BlockFunction, cause: BaseException | None) -> tuple[int, str]:
    """Return the HTTP status and the message for an error of an event; unexpected errors are logged."""
    if isinstance(cause, gr.Error):  # a component's, about what came
        return 400, cause.message[:LONGEST]
    if isinstance(cause, ValueError):
        return 400, str(cause)
    if is_full(cause):
        LOG.error("%s: %s", event.api_name or event.name, cause)
        return 507, FULL
    LOG.error("%s failed", event.api_name or event.name, exc_info=cause)
    return 500, FAULT


def checked(event: BlockFunction, values: Sequence[Any]) -> list[Any]:
    """Return the validated inputs of an event; trailing ones with defaults may be left out. ValueError for a wrong
    number or type of inputs, text that is not Unicode, or a file that is not an upload."""
    components = [component for component in event.inputs if not isinstance(component, gr.State)]
    values = values if isinstance(values, list) else []
    given = len(values)
    values = [*values, *left_out(event.inputs[given:])]
    if len(values) != len(event.inputs):
        names = ", ".join(str(getattr(component, "label", None)) for component in components)
        raise ValueError(
            f"{len(components)} values are needed ({names}), but {given} came: give one for each, null or an empty "
            "text for no description."
        )
    return [
        value if isinstance(component, gr.State) else validate_value(component, value)
        for component, value in zip(event.inputs, values, strict=True)
    ]


def left_out(components: Sequence[Any]) -> list[Any]:
    """Return the defaults of the last inputs of an event, if each is a text, a number or a checkbox with a default."""
    kinds = gr.Textbox | gr.Number | gr.Checkbox
    is_optional = all(isinstance(component, kinds) and component.value is not None for component in components)
    return [component.value for component in components] if is_optional else []


def validate_value(component: Any, value: Any) -> Any:
    """Return one validated input; errors as `checked`."""
    name = getattr(component, "label", None) or "the value"
    if hasattr(component, "check_uploads"):
        return component.check_uploads(value)
    field = type(component)
    needed = "a number" if field is gr.Number else "true or false" if field is gr.Checkbox else "text"
    if value is None:
        return "" if field is gr.Textbox else component.value if field is gr.Checkbox else None
    kind = KINDS.get(type(value), type(value).__name__)
    if kind != needed.removeprefix("a "):
        raise ValueError(f"{name} is a {kind}, but {needed} is needed.")
    if kind == "number" and not abs(value) <= sys.float_info.max:
        raise ValueError(f"{name} is {shortened(value)}, but a finite number is needed.")
    return valid_text(name, value) if kind == "text" else value


KINDS = {str: "text", bool: "true or false", int: "number", float: "number", list: "list", dict: "JSON object"}


def valid_text(name: str, text: str) -> str:
    """Return the text; ValueError if it is not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds half a character (a lone surrogate): type it again.") from error
    return text


def shortened(value: Any) -> str:
    """Return a short form of a value for a message, without the content of containers."""
    if isinstance(value, dict | list):
        return "a JSON object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
