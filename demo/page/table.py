"""Endpoints of Gradio from the signatures of actions. A parameter whose type is a data class, such as `Pair`, stands
for its fields. Each endpoint waits in a queue: the options of its event, by what takes long."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from typing import Any, get_origin

import gradio as gr

from demo.record.texts.table import for_page
from demo.server.files.uploads import Upload, takes_uploads
from demo.service.models.personal import SessionData

PREFIX = "page_"  # of the names of the page's endpoints
OF_PAGE = {"api_visibility": "undocumented"}
OUTPUTS: dict[Any, Callable[[], list[Any]]] = {
    str: lambda: [gr.File(label="file")],
    tuple: lambda: [gr.JSON(label="answer"), gr.File(label="file")],
}

OPENING: dict[str, Any] = {"concurrency_id": "open", "concurrency_limit": 2}
# What encodes a picture for every patch waits in a queue of its own.
MEASURING: dict[str, Any] = {"concurrency_id": "measure", "concurrency_limit": 1}
# One video is read at a time.
READING: dict[str, Any] = {"concurrency_id": "video", "concurrency_limit": 1}
# Pictures are drawn two at a time: more of them would only hold more memory, and keep rankings waiting.
DRAWING: dict[str, Any] = {"concurrency_id": "draw", "concurrency_limit": 2}
# A drawing takes seconds.
GENERATING: dict[str, Any] = {"concurrency_id": "generate", "concurrency_limit": 2}
# Calls of programs that compute.
CALLED: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 32}
AT_ONCE: dict[str, Any] = {"queue": False}  # what takes milliseconds does not wait
PROGRESS = gr.Progress()


@dataclass(frozen=True)
class Action:
    """An endpoint: a bound method, its queue, and whether the page calls it (errors in its language) or programs."""

    method: Callable[..., Any]
    queue: Mapping[str, Any]
    is_page: bool = True

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """Parameters of the method."""
        return list(inspect.signature(self.method, eval_str=True).parameters.values())

    @cached_property
    def values(self) -> list[inspect.Parameter]:
        """Parameters of a call, in order, with groups unfolded."""
        values: list[inspect.Parameter] = []
        for each in self.parameters:
            if is_group(each):
                values += inspect.signature(each.annotation, eval_str=True).parameters.values()
            elif each.name != "progress":
                values.append(each)
        return values

    def arguments(self, given: Sequence[Any]) -> dict[str, Any]:
        """Return the method's arguments; None stands for a default, and on the page also "", which the guard makes of
        null."""
        named: dict[str, Any] = {}
        for each, value in zip(self.values, given, strict=False):
            is_left_out = value is None or (self.is_page and isinstance(value, str) and not value)
            default = "" if each.default is each.empty else each.default
            named[each.name] = default if is_left_out else value
        return {
            each.name: each.annotation(**{name: named[name] for name in inspect.signature(each.annotation).parameters})
            if is_group(each)
            else named[each.name]
            for each in self.parameters
            if each.name != "progress"
        }

    def function(self) -> Callable[..., Any]:
        """Return the function for Gradio: its values in order, then the progress that Gradio finds by its type."""
        progress = [each for each in self.parameters if each.name == "progress"]

        def called(given: Sequence[Any]) -> Any:
            shown = {"progress": given[-1]} if progress else {}
            return self.method(**self.arguments(given[: len(self.values)]), **shown)

        def answer(*given: Any) -> Any:
            with for_page() if self.is_page else nullcontext():
                return called(given)

        def answers(*given: Any) -> Any:
            steps = called(given)
            while True:
                with for_page():
                    try:
                        step = next(steps)
                    except StopIteration:
                        return
                yield step

        run: Any = answers if inspect.isgeneratorfunction(self.method) else answer
        run.__name__, run.__doc__ = self.method.__name__, self.method.__doc__
        run.__signature__ = inspect.Signature([*map(with_default, self.values), *progress])
        return run


@dataclass(frozen=True)
class Call:
    """Call of an endpoint by the page."""

    id: int  # of its event in Gradio
    names: tuple[str, ...]  # of its values, in order
    waits: bool  # in a queue


def register(actions: Iterable[Action]) -> dict[str, Call]:
    """Register actions in the Blocks that are open, without anything to see; returns how each is called."""
    session, calls = gr.State(SessionData()), {}
    with gr.Column(visible=False):
        button = gr.Button("call")
        for action in actions:
            name = action.method.__name__
            kind = inspect.signature(action.method, eval_str=True).return_annotation
            options = {**action.queue} | (OF_PAGE if action.is_page else {})
            event = button.click(
                action.function(),
                [component_of(each, session) for each in action.values],
                OUTPUTS.get(get_origin(kind) or kind, lambda: [gr.JSON(label="answer")])(),
                api_name=PREFIX + name if action.is_page else name,
                **options,
            )
            names = tuple(each.name for each in action.values)
            calls[name] = Call(event["id"], names, action.queue.get("queue", True))
    return calls


def with_default(value: inspect.Parameter) -> inspect.Parameter:
    """Return a value as a parameter of a function, where one without a default may come after one that has one."""
    default = "" if value.default is value.empty else value.default
    return value.replace(kind=value.POSITIONAL_OR_KEYWORD, default=default)


def is_group(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter stands for the fields of a data class."""
    return is_dataclass(parameter.annotation)


def component_of(parameter: inspect.Parameter, session: gr.State) -> Any:
    """Return the component that checks a value, see `demo.server.guard`; a default makes it optional."""
    kind, name = parameter.annotation, parameter.name
    default = None if parameter.default is parameter.empty else parameter.default
    if kind is SessionData:
        return session
    if kind is str:
        return gr.Textbox(default, label=name)
    if kind is bool:
        return gr.Checkbox(bool(default), label=name)
    if kind in (int, float, float | None):
        return gr.Number(default, label=name, precision=0 if kind is int else None)
    if kind == Upload | None:
        return takes_uploads(gr.Image(type="filepath", label=name))
    return takes_uploads(gr.File(label=name, file_count="multiple"), several=True)
