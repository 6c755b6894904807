"""Allow-list of Gradio's routes. Other routes, including those that a new version of Gradio adds, are not served;
`tests/demo/server/test_addresses.py` reports them."""

from collections.abc import Mapping

from starlette.routing import compile_path

PAGE = ("/", "/config", "/favicon.ico", "/robots.txt")
FILES = ("/gradio_api/file={path_or_url:path}", "/gradio_api/scripts/{rest:path}")  # the second: the app's own
READ = (
    "/gradio_api/app_id",  # whether the app was restarted
    "/gradio_api/call/{api_name}/{event_id}",
    "/gradio_api/call/v2/{api_name}/{event_id}",
    "/gradio_api/heartbeat/{session_hash}",
    "/gradio_api/info",
    "/gradio_api/queue/data",
    "/gradio_api/startup-events",  # asked by Gradio itself, once
)
SENT = (
    "/gradio_api/api/{api_name}",  # of older clients
    "/gradio_api/call/{api_name}",
    "/gradio_api/call/v2/{api_name}",
    "/gradio_api/cancel",
    "/gradio_api/queue/join",
    "/gradio_api/reset",
    "/gradio_api/run/{api_name}",
    "/gradio_api/upload",
)
# Only of the page on gradio.Server: its pictures, and whether the app has started.
OF_PAGE = ("/gradio_api/pictures/{rest:path}", "/opening/state")
NEEDED: Mapping[str, frozenset[str]] = {
    **{path: frozenset({"GET", "HEAD"}) for path in (*PAGE, *FILES, *OF_PAGE)},
    **{path: frozenset({"GET"}) for path in READ},
    **{path: frozenset({"POST"}) for path in SENT},
}
MCP = "/gradio_api/mcp"  # of the tools for assistants, where the app was started with --mcp; a call is a POST
FORMS = [(compile_path(path)[0], methods) for path, methods in NEEDED.items()]


def is_needed(method: str, path: str, mcp: bool = False) -> bool:
    """Return whether a method and a path, without the root path, are served; a trailing slash is ignored. `mcp`:
    whether the tools for assistants are served."""
    path = path.rstrip("/") or "/"
    if path == MCP:
        return mcp and method == "POST"
    return any(method in methods and form.match(path) for form, methods in FORMS)
