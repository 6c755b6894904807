"""The server's own addresses and rules, which come before Gradio's."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi.exceptions import RequestValidationError
from gradio.route_utils import FnIndexInferError, upload_fn
from gradio.routes import App, file_upload_statuses
from python_multipart.exceptions import MultipartParseError
from starlette.formparsers import MultiPartException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from demo.server.files.folder import UPLOADED, TemporaryFolder
from demo.server.files.static import CACHING, MEDIA_TYPE, PREFIX, find_script, packed
from demo.server.files.uploads import MAX_TOGETHER, MAX_VIDEO
from demo.server.frames import FrameRule, frame_rule
from demo.server.gate import UNKNOWN, UNREADABLE, Gate
from demo.server.listening import Listeners, start_only_heard
from demo.server.sessions import MAX_WAITING, Answers, Sessions

Tools = tuple[Sequence[Route], Callable[[], Any]]

HEADERS = 2**20  # bytes of an upload that are no file
HEARD = frozenset({"video", "generate"})  # queues of work that takes minutes: only what somebody listens for is started


def server_options(
    folder: TemporaryFolder, max_bytes: int, tools: Tools | None = None, sites: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the `app_kwargs` of Gradio's `launch`.

    Args:
        folder: of the uploads, removed when the server stops; max_bytes: of one uploaded file.
        tools: for assistants, their routes and lifespan; None serves none.
        sites: sites that may show the app in a frame, see `frame_rule`, with its errors.
    """
    routes, running = tools or ([], nullcontext)
    listeners = Listeners()

    @asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[None]:
        blocks = app.get_blocks()
        app.state_holder = Sessions(blocks)
        blocks._queue.pending_messages_per_session = Answers(MAX_WAITING)
        start_only_heard(blocks._queue, listeners, HEARD)
        async with running():
            yield
        folder.close()

    return {
        "lifespan": lifespan,
        "routes": [
            Route("/gradio_api/upload", uploading(folder, max_bytes), methods=["POST"]),
            Route(f"/{PREFIX}/{{rest:path}}", script),
            *routes,
        ],
        "middleware": [
            Middleware(FrameRule, rule=frame_rule(sites)),
            Middleware(WithoutDeepLinks),
            Middleware(
                Gate, folder=folder, max_bytes=MAX_TOGETHER + HEADERS, mcp=tools is not None, listeners=listeners
            ),
        ],
        "exception_handlers": {
            FnIndexInferError: answer(404, UNKNOWN),
            RequestValidationError: answer(422, UNREADABLE),
            **{kind: answer(400, UNREADABLE) for kind in (KeyError, TypeError, ValueError, RecursionError)},
        },
    }


def uploading(folder: TemporaryFolder, max_bytes: int) -> Callable[[Request], Any]:
    """Return the address that pages and clients upload to.

    Gradio would store a file under its content's hash, where two people with the same photo share it. Here each upload
    has a separate folder, with a name of random bits. `?video` says that it is a video, which may be larger.
    """

    async def upload(request: Request) -> Response:
        """Store the files of a request and answer with their paths, as Gradio does."""
        most = MAX_VIDEO if "video" in request.query_params else max_bytes
        folder.sweep(more=most)
        number = request.query_params.get("upload_id")
        progress = file_upload_statuses if number else None
        place = folder.new(UPLOADED)
        try:
            files, _, _ = await upload_fn(request, place, most, number, upload_progress=progress)
        except (MultiPartException, MultipartParseError) as error:
            shutil.rmtree(place.parent, ignore_errors=True)
            return PlainTextResponse(str(error), 413 if "maximum allowed size" in str(error) else 400)
        except AttributeError:  # Gradio's progress of a field that is no file
            shutil.rmtree(place.parent, ignore_errors=True)
            return JSONResponse({"error": UNREADABLE}, 400)
        except BaseException:  # the person has left, or the disk is full
            shutil.rmtree(place.parent, ignore_errors=True)
            raise
        request.app.get_blocks().upload_file_set.update(files)
        return JSONResponse([str(file) for file in files])

    return upload


async def script(request: Request) -> Response:
    """Answer with a module of the page; what lies at no module's address is not found."""
    content = find_script(f"{PREFIX}/{request.path_params['rest']}")
    if content is None:
        return PlainTextResponse("There is no such script: load the page again.", 404)
    return text_response(request, content, MEDIA_TYPE, {"Cache-Control": CACHING})


def text_response(request: Request, content: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    """Return text of the page, compressed where the browser takes that."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(content, media_type=kind, headers=headers)
    more = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(packed(content), media_type=kind, headers={**headers, **more})


def answer(status: int, sentence: str) -> Callable[[Request, Exception], Response]:
    """Return the handler of faults that happen before an event is found."""
    return lambda request, error: JSONResponse({"error": sentence}, status)


class WithoutDeepLinks:
    """Remove Gradio's `deep_link` from a URL: this app makes its own links."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        """Pass the request on."""
        if b"deep_link" in scope.get("query_string", b""):
            pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            rest = urlencode([(name, value) for name, value in pairs if name != "deep_link"])
            scope = {**scope, "query_string": rest.encode("latin-1")}
        await self.app(scope, receive, send)
