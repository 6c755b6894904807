"""A stand-in for the model hub on this machine: the requests that huggingface_hub sends to load and to upload."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1, sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from huggingface_hub import constants

from tests.helpers.threaded import serving

TOKEN = "hf_of_the_owner"
MAX_PLAIN = 10_000_000  # bytes of a text that is no large file


@dataclass
class Repo:
    """A repo of the hub.

    Attributes:
        commits: of each commit the files, by path; large: the paths that were uploaded as large files.
        refs: branches and tags; gated, private: who may read it.
    """

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    large: set[str] = field(default_factory=set)
    gated: bool = False
    private: bool = False

    def commit(self, files: dict[str, bytes], ref: str = "main") -> str:
        """Add a commit to a branch; returns its id."""
        whole = self.commits.get(self.refs.get(ref, ""), {}) | files
        digest = sha1(repr((len(self.commits), sorted(whole.items()))).encode()).hexdigest()
        self.commits[digest], self.refs[ref] = whole, digest
        return digest

    @property
    def files(self) -> dict[str, bytes]:
        """The files of the main branch."""
        return self.commits[self.refs["main"]]


class Hub(ThreadingHTTPServer):
    """The stand-in: repos by "models/owner/name" or "spaces/owner/name".

    Attributes:
        repos: the repos; blobs: large files by their digest; requests: what was asked, as "GET /path".
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repos: dict[str, Repo] = {}
        self.blobs: dict[str, bytes] = {}
        self.requests: list[str] = []

    @property
    def address(self) -> str:
        """The value of HF_ENDPOINT."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class RefusedError(Exception):
    """An answer other than 200: its status, and the code by which the hub's library knows what is meant."""

    def __init__(self, status: HTTPStatus, code: str = "") -> None:
        super().__init__(status, code)
        self.status, self.code = status, code


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Hub
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        """Find what is asked for and send it."""
        path = unquote(urlsplit(self.path).path)
        self.server.requests.append(f"{self.command} {path}")
        content = self.body()
        try:
            for pattern, action in ACTIONS.items():
                if matched := re.fullmatch(pattern, f"{self.command} {path}"):
                    action(self, content, *matched.groups())
                    return
            raise RefusedError(HTTPStatus.NOT_FOUND)
        except RefusedError as refused:
            self.send(b"{}", refused.status, {"X-Error-Code": refused.code} if refused.code else {})

    def body(self) -> bytes:
        """The body of the request, in one piece or in several."""
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    do_GET = do_HEAD = do_POST = do_PUT = answer  # noqa: N815 the base class names them

    def send(self, content: bytes, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def send_json(self, values: Any) -> None:
        """Send an answer of JSON."""
        self.send(json.dumps(values).encode(), headers={"Content-Type": "application/json"})

    @property
    def is_owner(self) -> bool:
        """Whether the request has the owner's token."""
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def writable(self) -> None:
        """Refuse whoever may not write."""
        if not self.is_owner:
            raise RefusedError(HTTPStatus.FORBIDDEN if "Authorization" in self.headers else HTTPStatus.UNAUTHORIZED)

    def repo(self, name: str) -> Repo:
        """A repo that the request may read."""
        repo = self.server.repos.get(name)
        if repo is None or (repo.private and not self.is_owner):
            raise RefusedError(HTTPStatus.UNAUTHORIZED, "RepoNotFound")
        return repo

    def commit(self, repo: Repo, revision: str) -> str:
        """The commit that a branch, a tag or its own id names."""
        commit = repo.refs.get(revision, revision)
        if commit not in repo.commits:
            raise RefusedError(HTTPStatus.NOT_FOUND, "RevisionNotFound")
        return commit

    def create(self, content: bytes) -> None:
        """Create a repo, or report that it exists."""
        self.writable()
        values = json.loads(content)
        name = f"{values.get('type', 'model')}s/{values['organization']}/{values['name']}"
        self.server.repos.setdefault(name, Repo())
        self.send_json({"url": f"{self.server.address}/{name.removeprefix('models/')}"})

    def info(self, _: bytes, name: str, revision: str | None) -> None:
        """Which commit a revision is."""
        repo = self.repo(name)
        self.send_json({"id": name.partition("/")[2], "sha": self.commit(repo, revision or "main"), "siblings": []})

    def tree(self, _: bytes, name: str, revision: str) -> None:
        """The files of a commit."""
        repo = self.repo(name)
        files = repo.commits[self.commit(repo, revision)]
        self.send_json([entry(path, content, path in repo.large) for path, content in files.items()])

    def resolve(self, _: bytes, name: str, revision: str, path: str) -> None:
        """A file: a large one from another address, as the hub has them."""
        repo = self.repo(name if name.startswith("spaces/") else f"models/{name}")
        if repo.gated and not self.is_owner:
            raise RefusedError(HTTPStatus.FORBIDDEN, "GatedRepo")
        commit = self.commit(repo, revision)
        if path not in repo.commits[commit]:
            raise RefusedError(HTTPStatus.NOT_FOUND, "EntryNotFound")
        content = repo.commits[commit][path]
        headers = {"X-Repo-Commit": commit, "ETag": f'"{sha256(content).hexdigest()}"'}
        if path not in repo.large:
            self.send(content, headers=headers)
            return
        digest = sha256(content).hexdigest()
        headers |= {"X-Linked-Etag": f'"{digest}"', "X-Linked-Size": str(len(content))}
        self.server.blobs[digest] = content
        elsewhere = f"http://localhost:{self.server.server_address[1]}/blobs/{digest}"
        self.send(b"", HTTPStatus.FOUND, headers | {"Location": elsewhere})

    def validate(self, _: bytes) -> None:
        """Take any card."""
        self.send_json({"warnings": [], "errors": []})

    def preupload(self, content: bytes, name: str, _: str) -> None:
        """Tell how each file is to be uploaded: what is no text, as a large one."""
        self.writable()
        self.repo(name)
        files = json.loads(content)["files"]
        modes = {file["path"]: upload_mode(b64decode(file["sample"]), file["size"]) for file in files}
        self.send_json(
            {"files": [{"path": path, "uploadMode": mode, "shouldIgnore": False} for path, mode in modes.items()]}
        )

    def batch(self, content: bytes, _: str) -> None:
        """Tell where large files are to be sent."""
        self.writable()
        objects = json.loads(content)["objects"]
        address = f"{self.server.address}/blobs/"
        self.send_json({"objects": [o | {"actions": {"upload": {"href": address + o["oid"]}}} for o in objects]})

    def put_blob(self, content: bytes, digest: str) -> None:
        """Keep a large file."""
        if sha256(content).hexdigest() != digest:
            raise RefusedError(HTTPStatus.BAD_REQUEST)
        self.server.blobs[digest] = content
        self.send(b"")

    def get_blob(self, _: bytes, digest: str) -> None:
        """Send a large file."""
        self.send(self.server.blobs[digest])

    def add_commit(self, content: bytes, name: str, revision: str) -> None:
        """Add a commit of files that came along, and of large ones that were sent before."""
        self.writable()
        repo, files = self.repo(name), {}
        for line in map(json.loads, content.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.blobs[value["oid"]]
                repo.large.add(value["path"])
        commit = repo.commit(files, revision)
        address = f"{self.server.address}/{name.removeprefix('models/')}/commit/{commit}"
        self.send_json({"commitUrl": address, "commitOid": commit, "pullRequestUrl": None})

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 the base class names it
        """Stay silent."""


NAME = r"((?:models|spaces)/[\w.-]+/[\w.-]+)"
ACTIONS: dict[str, Callable[..., None]] = {
    r"HEAD /": Handler.validate,
    r"POST /api/repos/create": Handler.create,
    r"POST /api/validate-yaml": Handler.validate,
    rf"GET /api/{NAME}(?:/revision/(.+))?": Handler.info,
    rf"GET /api/{NAME}/tree/(.+?)/?": Handler.tree,
    rf"POST /api/{NAME}/preupload/(.+)": Handler.preupload,
    rf"POST /api/{NAME}/commit/(.+)": Handler.add_commit,
    r"POST /(.+)\.git/info/lfs/objects/batch": Handler.batch,
    r"PUT /blobs/(\w+)": Handler.put_blob,
    r"(?:GET|HEAD) /blobs/(\w+)": Handler.get_blob,
    r"(?:GET|HEAD) /((?:spaces/)?[\w.-]+/[\w.-]+)/resolve/([^/]+)/(.+)": Handler.resolve,
}


def entry(path: str, content: bytes, is_large: bool) -> dict[str, Any]:
    """A file in the listing of a commit."""
    values = {"type": "file", "path": path, "size": len(content), "oid": sha1(content).hexdigest()}
    lfs = {"oid": sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    return values | ({"lfs": lfs} if is_large else {})


def upload_mode(sample: bytes, size: int) -> str:
    """How a file is uploaded, by its first bytes and its size."""
    return "lfs" if b"\0" in sample or size > MAX_PLAIN else "regular"


@contextmanager
def hub_server() -> Iterator[Hub]:
    """Run the stand-in."""
    hub = Hub()
    with serving(hub):
        yield hub


def point_to(address: str, cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let huggingface_hub in this process ask that address and keep files there, without a token."""
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", cache)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", f"{cache}/token")
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
