"""Calls of the new page's endpoints."""

from typing import Any

from starlette.testclient import TestClient

from demo.page.table import PREFIX


def ask(client: TestClient, endpoint: str, session: str = "someone", /, **values: Any) -> tuple[int, Any]:
    """Call an endpoint of the page that does not wait, by the names of its values; the status, and answer or error."""
    answer = client.post("/gradio_api/run/page_start", json={"data": [], "session_hash": session}).json()
    names = answer["data"][0]["calls"][endpoint]["names"]
    body = {"data": [values.get(each) for each in names], "session_hash": session}
    answer = client.post(f"/gradio_api/run/{PREFIX}{endpoint}", json=body)
    return answer.status_code, answer.json()["data"][0] if answer.is_success else answer.json()["error"]
