"""Every part of Gradio's inside that the app touches: what its documentation promises nobody, and an update may change.

All of them are in this folder. `tests/demo/server/test_internals.py` checks the list against the code and against the
installed Gradio: if an update changed one, it reports which, who needs it, and the consequence.
"""

from __future__ import annotations

from dataclasses import dataclass

SEEN = "6.31.0"  # the Gradio with which all of them were seen


@dataclass(frozen=True)
class Internal:
    """A part of Gradio's inside.

    Attributes:
        place: "module:Name" or "module:Name.attribute"; after a bracket, parameters that it takes.
        file: in this folder, the file that needs it; without: the consequence if it is missing or changed.
    """

    place: str
    file: str
    without: str


INTERNALS = (
    Internal(
        "gradio.component_meta:create_or_modify_pyi",
        "quick_import.py",
        "nothing but time: each start looks at the stub files of all components for a second",
    ),
    Internal(
        "gradio.http_server:Server.run_in_thread",
        "launching.py",
        "on a busy machine the app quits while starting, after 5 s",
    ),
    Internal("gradio.exceptions:ServerFailedToStartError", "launching.py", "as above"),
    Internal(
        "gradio.blocks:Blocks.launch(_app, _frontend, app_kwargs)",
        "launching.py",
        "on a busy machine the app quits, since its page does not answer within 3 s; no route of ours is served",
    ),
    Internal(
        "gradio.blocks:Blocks.process_api(block_fn, inputs, session_hash, request)",
        "guard.py",
        "calls go unchecked, and faults are reported as null",
    ),
    Internal(
        "gradio.block_function:BlockFunction(inputs, api_name)",
        "guard.py",
        "calls go unchecked",
    ),
    Internal("gradio.exceptions:ComponentProcessingError", "guard.py", "a bad upload is reported as a fault"),
    Internal(
        "gradio.route_utils:upload_fn(request, upload_dir, max_file_size, upload_id, upload_progress)",
        "routes.py",
        "nothing can be uploaded",
    ),
    Internal("gradio.route_utils:FnIndexInferError", "routes.py", "a call of an unknown name is reported as a fault"),
    Internal("gradio.routes:App.get_blocks", "routes.py", "sessions are not bounded, and no name is refused"),
    Internal("gradio.routes:file_upload_statuses", "routes.py", "an upload shows no progress"),
    Internal(
        "gradio.state_holder:SessionState._update_config",
        "sessions.py",
        "a session keeps 0.24 MB of copies",
    ),
    Internal("gradio.state_holder:SessionState._update_value_in_config", "sessions.py", "as above"),
    Internal(
        "gradio.state_holder:StateHolder.delete_all_expired_state",
        "sessions.py",
        "closed sessions stay, and memory has no bound",
    ),
    Internal("gradio.state_holder:StateHolder.set_blocks", "sessions.py", "as above"),
    Internal("gradio.server_messages:EventMessage", "sessions.py", "nothing but a type"),
    Internal(
        "gradio.server_messages:ProcessCompletedMessage(output, success)",
        "listening.py",
        "whoever listens too late waits for an answer that does not come",
    ),
    Internal(
        "gradio.data_classes:CancelBody(session_hash, event_id)",
        "owners.py",
        "whoever knows the name of another session's event ends it",
    ),
    Internal(
        "gradio.data_classes:PredictBody(session_hash)", "owners.py", "a session with an empty name warns in the log"
    ),
    Internal("gradio.queueing:Queue.get_events", "listening.py", "videos nobody listens for occupy the only reader"),
    Internal("gradio.queueing:Queue.send_message(event, event_message)", "listening.py", "as the message above"),
    Internal("gradio.utils:LRUCache", "sessions.py", "answers that nobody fetches stay in memory"),
)
# What instances of its classes hold.
HELD = {
    "gradio.blocks:Blocks": ("default_config", "_queue", "state_holder", "upload_file_set", "fns"),
    "gradio.blocks:BlocksConfig": ("blocks", "fns"),
    "gradio.queueing:Queue": (
        "event_ids_to_events",
        "pending_messages_per_session",
        "pending_event_ids_session",
        "event_queue_per_concurrency_id",
    ),
    "gradio.queueing:EventQueue": ("queue",),
    "gradio.queueing:Event": ("session_hash", "enqueue_time", "_id"),
}
