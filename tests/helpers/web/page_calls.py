"""Calls of the new page's endpoints."""

from functools import lru_cache
from typing import Any

from starlette.testclient import TestClient

from demo.page.table import PREFIX


@lru_cache(maxsize=1)
def calls_of(client: TestClient) -> dict[str, Any]:
    """Return how to call each endpoint, from the configuration that the page reads at its start."""
    answer = client.post("/gradio_api/run/page_start", json={"data": [], "session_hash": "start"}).json()
    calls: dict[str, Any] = answer["data"][0]["calls"]
    return calls


def ask(client: TestClient, endpoint: str, session: str = "someone", /, **values: Any) -> tuple[int, Any]:
    """Call an endpoint of the page that does not wait, by the names of its values; the status, and answer or error."""
    body = {"data": [values.get(each) for each in calls_of(client)[endpoint]["names"]], "session_hash": session}
    answer = client.post(f"/gradio_api/run/{PREFIX}{endpoint}", json=body)
    return answer.status_code, answer.json()["data"][0] if answer.is_success else answer.json()["error"]
