"""Registration of actions as Gradio endpoints. The inputs of an endpoint follow from the signature of its method; a
parameter whose type is a data class, such as `Pair`, becomes one input per field. Each endpoint has a queue, which
limits how many of its calls run at once."""

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

Queue = dict[str, Any]
OPENING: Queue = {"concurrency_id": "open", "concurrency_limit": 2}
MEASURING: Queue = {"concurrency_id": "measure", "concurrency_limit": 1}  # encodes a picture for every patch
READING: Queue = {"concurrency_id": "video", "concurrency_limit": 1}
DRAWING: Queue = {"concurrency_id": "draw", "concurrency_limit": 2}  # more pictures at once would hold more memory
GENERATING: Queue = {"concurrency_id": "generate", "concurrency_limit": 2}  # a drawing takes seconds
CALLED: Queue = {"concurrency_id": "model", "concurrency_limit": 32}  # computations that programs call
AT_ONCE: Queue = {"queue": False}  # what takes milliseconds does not wait
PROGRESS = gr.Progress()


@dataclass(frozen=True)
class Action:
    """An endpoint: a bound method and the options of its queue. With `is_page` the page calls it, and errors are in the
    language of the page; otherwise programs call it."""

    method: Callable[..., Any]
    queue: Mapping[str, Any]
    is_page: bool = True

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """Parameters of the method."""
        return list(inspect.signature(self.method, eval_str=True).parameters.values())

    @cached_property
    def values(self) -> list[inspect.Parameter]:
        """Inputs of the endpoint, in order: the method's parameters, with data classes replaced by their fields."""
        values: list[inspect.Parameter] = []
        for each in self.parameters:
            if is_group(each):
                values += inspect.signature(each.annotation, eval_str=True).parameters.values()
            elif each.name != "progress":
                values.append(each)
        return values

    def arguments(self, given: Sequence[Any]) -> dict[str, Any]:
        """Return the arguments of the method for the given inputs. None is replaced by the default; on the page "" is
        too, because the guard turns null into ""."""
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
        """Return the function that Gradio calls with the inputs in order, followed by the progress, if the method has
        one."""
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
        values = [  # each with a default, since one without may not come after one with it
            value.replace(
                kind=value.POSITIONAL_OR_KEYWORD, default="" if value.default is value.empty else value.default
            )
            for value in self.values
        ]
        run.__signature__ = inspect.Signature([*values, *progress])
        return run


@dataclass(frozen=True)
class Call:
    """What the page needs to call an endpoint."""

    id: int  # of its event in Gradio
    names: tuple[str, ...]  # of its inputs, in order
    waits: bool  # in a queue


def register(actions: Iterable[Action]) -> dict[str, Call]:
    """Register actions as events of the open Blocks, with hidden components; return how to call each."""
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


def is_group(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter stands for the fields of a data class."""
    return is_dataclass(parameter.annotation)


def component_of(parameter: inspect.Parameter, session: gr.State) -> Any:
    """Return the Gradio component for an input, optional if it has a default. `demo.server.guard` checks types."""
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
