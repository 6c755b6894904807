"""Error messages for the model hub: one sentence with a remedy for the many exceptions of its library."""

from huggingface_hub import constants
from huggingface_hub.errors import (
    FileMetadataError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

LOGIN = "log in with hf auth login"
NO_NAME = "no name of the model hub (owner/name, in letters, digits, '-', '_' and '.')"


def reading_sentence(error: Exception, repo_id: str, files: tuple[str, ...], revision: str | None = None) -> str:
    """Explain why files of a repo at a revision (None: the main branch) are not available."""
    address = f"{constants.ENDPOINT}/{repo_id}"
    if isinstance(error, HFValidationError):
        return f"{repo_id!r} is no folder and {NO_NAME}: check it."
    if isinstance(error, GatedRepoError):
        return f"{repo_id} is gated: agree to its terms at {address}, {LOGIN}, and try again."
    if isinstance(error, RevisionNotFoundError):
        return f"{repo_id} has no revision {revision!r}: name a branch, a tag or a commit of {address}/commits/main."
    status = status_of(error)
    if isinstance(error, RepositoryNotFoundError):
        return f"{repo_id} is not on the model hub, or is private: check the name at {address}, or {LOGIN}."
    if status == 401:
        return f"{repo_id} cannot be loaded: the model hub does not know this machine's token. {LOGIN} again."
    if status == 403:
        return f"{repo_id} cannot be loaded: this machine's token has no read access. {LOGIN} with one that has."
    if status is not None and status >= 429:
        return f"{repo_id} cannot be loaded: the model hub is busy (status {status}). Try again later."
    asked = f"{repo_id} (revision {revision})" if revision else repo_id
    return (
        f"{asked} cannot be loaded from the model hub ({reason_of(error)}): download {', '.join(files)} from "
        f"{address} into a folder and name that folder instead."
    )


def reason_of(error: Exception) -> str:
    """Return in a few words why the hub did not deliver a file."""
    if isinstance(error.__cause__, FileMetadataError):
        return "what answers there is no model hub"
    if isinstance(error, LocalEntryNotFoundError | OfflineModeIsEnabled):
        asked = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else "it cannot be reached"
        return f"{asked}, and this machine's cache does not have it"
    return "it refused the request" if status_of(error) else " ".join(str(error).split()) or type(error).__name__


def missing_sentence(repo_id: str, name: str, revision: str | None = None) -> str:
    """Report that a repo lacks a required file of a model; arguments as in `reading_sentence`."""
    place = f"{constants.ENDPOINT}/{repo_id}/tree/{revision or 'main'}"
    return f"{repo_id} has no {name} on the model hub, so it holds no model: look at {place} for what it has."


def writing_sentence(error: Exception, repo_id: str) -> str:
    """Explain why a model could not be uploaded; arguments as in `reading_sentence`."""
    if isinstance(error, HFValidationError):
        return f"{repo_id!r} is {NO_NAME}: give another."
    status = status_of(error)
    if status == 401:
        return f"{repo_id} was not uploaded, since the model hub has to know who asks: {LOGIN} and a token that writes."
    if status == 403:
        return f"{repo_id} was not uploaded, since this machine's token may not write there: {LOGIN} with one that may."
    if isinstance(error, RevisionNotFoundError):
        return f"{repo_id} was not uploaded, since it has no such branch: make it on the model hub first."
    reason = f"it answered with status {status}" if status else "it cannot be reached"
    if isinstance(error, OfflineModeIsEnabled):
        reason = "HF_HUB_OFFLINE is set"
    return (
        f"{repo_id} was not uploaded to the model hub ({reason}): try again later, or write a folder with "
        "save_pretrained and upload it with hf upload."
    )


def is_of_hub(error: Exception) -> bool:
    """Return whether an error comes from the hub or from its library."""
    kinds = HfHubHTTPError | HFValidationError | ConnectionError  # the last where HF_HUB_OFFLINE is set
    return isinstance(error, kinds) or type(error).__module__.startswith(("httpx", "hf_xet"))


def status_of(error: BaseException | None) -> int | None:
    """Return the HTTP status behind an error; None if the hub did not answer."""
    while error is not None and not isinstance(error, HfHubHTTPError):
        error = error.__cause__
    return None if error is None else int(error.response.status_code)
