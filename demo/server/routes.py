"""The server's own routes and middleware, in front of Gradio's."""

import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any

from fastapi.exceptions import RequestValidationError
from gradio.route_utils import FnIndexInferError, upload_fn
from gradio.routes import App
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
from demo.server.gate import UNKNOWN, UNREADABLE, Gate, refused
from demo.server.listening import Listeners, start_only_heard
from demo.server.sessions import MAX_WAITING, Answers, Sessions

Tools = tuple[Sequence[Route], Callable[[], Any]]

HEADERS = 2**20  # bytes of an upload that are no file
HEARD = frozenset({"video", "generate"})  # queues of work that takes minutes: only what somebody listens for is started


def server_options(
    folder: TemporaryFolder, max_bytes: int, tools: Tools | None = None, sites: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the `app_kwargs` of Gradio's `launch`. `max_bytes`: of one uploaded file; `tools`: routes and lifespan of
    those for assistants; `sites`: see `frame_rule`."""
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
            Middleware(
                Gate, folder=folder, max_bytes=MAX_TOGETHER + HEADERS, mcp=tools is not None, listeners=listeners
            ),
        ],
        "exception_handlers": {
            FnIndexInferError: lambda *_: refused(404, UNKNOWN),
            RequestValidationError: lambda *_: refused(422, UNREADABLE),
            **{kind: lambda *_: refused(400, UNREADABLE) for kind in (KeyError, TypeError, ValueError, RecursionError)},
        },
    }


def uploading(folder: TemporaryFolder, max_bytes: int) -> Callable[[Request], Any]:
    """Return the route of uploads, where each upload gets a folder with a random name; Gradio would store a file under
    its content's hash, which two people with the same photo share. `?video`: a video, which may be larger."""

    async def upload(request: Request) -> Response:
        """Store the files of a request and answer with their paths, as Gradio does."""
        most = MAX_VIDEO if "video" in request.query_params else max_bytes
        folder.sweep(more=most)
        place = folder.new(UPLOADED)
        try:
            files, _, _ = await upload_fn(request, place, most, None)
        except BaseException as error:  # also if the person has left, or the disk is full
            shutil.rmtree(place.parent, ignore_errors=True)
            if isinstance(error, MultiPartException | MultipartParseError):
                return PlainTextResponse(str(error), 413 if "maximum allowed size" in str(error) else 400)
            raise
        request.app.get_blocks().upload_file_set.update(files)
        return JSONResponse([str(file) for file in files])

    return upload


async def script(request: Request) -> Response:
    """Return a module of the page, or 404."""
    content = find_script(f"{PREFIX}/{request.path_params['rest']}")
    if content is None:
        return PlainTextResponse("There is no such script: load the page again.", 404)
    return text_response(request, content, MEDIA_TYPE, {"Cache-Control": CACHING})


def text_response(request: Request, content: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    """Return a text response, compressed if the browser accepts that."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(content, media_type=kind, headers=headers)
    more = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(packed(content), media_type=kind, headers={**headers, **more})
