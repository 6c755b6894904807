"""Validation of every call: inputs are checked, and errors are reported in a sentence.

Gradio checks a file only where the call marks it as one, and answers most faults with `{"error": null}`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from math import isfinite
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
    """Blocks with validated events: a wrong call gets a sentence, never a traceback.

    A ValueError of an event is sent to the caller with its message. Anything else is a fault of the app: it goes
    to the log, and the caller gets a general message.
    """

    async def process_api(self, block_fn: BlockFunction | int, inputs: list[Any], *args: Any, **options: Any) -> Any:
        """Check the values of an event, then let Gradio answer it; gr.Error with a sentence for anything wrong."""
        event = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        with speaking(read_page_language(options.get("request"))):
            return await self._answered(event, inputs, *args, **options)

    async def _answered(self, event: BlockFunction, inputs: list[Any], *args: Any, **options: Any) -> Any:
        """As `process_api`, in the language that is spoken."""
        try:
            if isinstance(self.state_holder, Sessions) and self.state_holder.is_gone(options.get("session_hash")):
                raise ValueError(GONE)
            return await super().process_api(event, checked(event, inputs), *args, **options)
        except Exception as error:
            cause = error.__cause__ if isinstance(error, ComponentProcessingError) else error  # reading an upload
            status, sentence = status_of(event, cause)
            scope_of(options.get("request"))[STATUS] = status
            raise gr.Error(sentences(sentence), title=phrase("Refused"), print_exception=False) from error


def status_of(event: BlockFunction, cause: BaseException | None) -> tuple[int, str]:
    """Return the status and the sentence for an error of an event; what is a fault goes to the log."""
    if isinstance(cause, gr.Error):  # a component's, about what came
        return 400, cause.message[:LONGEST]
    if isinstance(cause, ValueError):
        return 400, str(cause)
    if is_full(cause):
        LOG.error("%s: %s", event.api_name or event.name, cause)
        return 507, FULL
    LOG.error("%s failed", event.api_name or event.name, exc_info=cause)
    return 500, FAULT


def scope_of(request: Any) -> Any:
    """Return the scope of the request that an event came with; of several, of the first."""
    first = request[0] if isinstance(request, list) and request else request
    return getattr(getattr(first, "request", None), "scope", {})


def read_page_language(request: Any) -> str:
    """Return the language of the page that a request comes from, "" if unknown."""
    first = request[0] if isinstance(request, list) and request else request
    return str((getattr(first, "query_params", None) or {}).get("lang", ""))


def checked(event: BlockFunction, values: Sequence[Any]) -> list[Any]:
    """Return the values of an event as Gradio may go on with them.

    Args:
        event: the event of the inputs.
        values: one per input, ignored for states; trailing inputs with defaults may be left out.

    Raises:
        ValueError: too few or too many, one of the wrong kind, text that is no Unicode, or a file that is no upload.
    """
    components = [component for component in event.inputs if not isinstance(component, gr.State)]
    if isinstance(values, list):
        values = [*values, *left_out(event.inputs[len(values) :])]
    if not isinstance(values, list) or len(values) != len(event.inputs):
        given = len(values) if isinstance(values, list) else 0
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
    """Return the values of the last inputs of an event, where each is a text, a number or a checkbox with a default."""
    kinds = gr.Textbox | gr.Number | gr.Checkbox
    is_optional = all(isinstance(component, kinds) and component.value is not None for component in components)
    return [component.value for component in components] if is_optional else []


def validate_value(component: Any, value: Any) -> Any:
    """Return one value; errors as `checked`."""
    name = getattr(component, "label", None) or "the value"
    if hasattr(component, "check_uploads"):
        return component.check_uploads(value)
    if isinstance(component, gr.Number):
        return validate_number(name, value)
    if isinstance(component, gr.Textbox) and value is None:
        return ""
    if isinstance(component, gr.Checkbox):
        return validate_flag(name, component.value if value is None else value)
    if not isinstance(value, str | None):
        raise ValueError(f"{name} is a {KINDS.get(type(value), type(value).__name__)}, but text is needed.")
    return valid_text(name, value) if value else value


def validate_number(name: str, value: Any) -> float | int | None:
    """Return a number, or none; ValueError for anything else, and for what JSON has no number for."""
    if value is not None and type(value) not in (int, float):
        raise ValueError(f"{name} is a {KINDS.get(type(value), type(value).__name__)}, but a number is needed.")
    if value is not None and not is_finite(value):
        raise ValueError(f"{name} is {shortened(value)}, but a finite number is needed.")
    return value


def validate_flag(name: str, value: Any) -> bool:
    """Return true or false; ValueError for anything else, such as the text "false", which Python takes for true."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} is a {KINDS.get(type(value), type(value).__name__)}, but true or false is needed.")
    return value


KINDS = {str: "text", bool: "true or false", int: "number", float: "number", list: "list", dict: "JSON object"}


def is_finite(value: float) -> bool:
    """Return whether a number is one that can be counted with: neither infinite nor too large for a float."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def valid_text(name: str, text: str) -> str:
    """Return the text; ValueError if it is not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds half a character (a lone surrogate): type it again.") from error
    return text


def shortened(value: Any) -> str:
    """Return a value as a sentence shows it: never long, and never a container's content."""
    if isinstance(value, dict | list):
        return "a JSON object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
