"""`python -m seps.index PHOTOS --to URI`: index a folder of photographs into a table."""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from seps.common.checks import usable_device
from seps.common.cli import Parser, check_folder, errors_in_one_line
from seps.common.progress import Progress
from seps.indexing.ahead import encode_ahead
from seps.indexing.cluster import encode_on_cluster, join_cluster
from seps.indexing.files import FolderFile, folder_files
from seps.indexing.layout import table_layout
from seps.indexing.sync import Encoded, SyncReport, is_stored, sync_files
from seps.media.photos import open_image
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.search.engine import ScoringEngine
from seps.search.features import feature_key, pack_features
from seps.search.schema import PRECISIONS
from seps.search.store import GalleryStore

Encoding = Callable[[Sequence[FolderFile]], Callable[[FolderFile], Encoded]]


def parser() -> argparse.ArgumentParser:
    """Return the program's argument parser."""
    top = Parser("python -m seps.index", description=__doc__)
    top.add_argument("photos", type=Path, help="a folder of photographs; those below it are read too")
    top.add_argument("--to", required=True, metavar="URI", help="the table: a folder, or s3://BUCKET/NAME")
    top.add_argument("--model", default="photos", help="a shipped model, a folder, or a hub repo (photos)")
    top.add_argument("--precision", choices=tuple(PRECISIONS), default="float32", help="float16 is half as large")
    top.add_argument("--device", help="device; default: CUDA if available, else the CPU")
    top.add_argument("--ray", metavar="auto|local|ADDRESS", help="encode on a Ray cluster: running, new, or elsewhere")
    return top


def index_folder(
    model: SEPSModel,
    photos: Path,
    uri: str,
    precision: str = "float32",
    progress: Progress = False,
    encoding: Encoding | None = None,
    ahead: bool | None = None,
) -> SyncReport:
    """Update a table to contain exactly the photographs of a folder; an interrupted run can be continued."""
    files = folder_files(photos)
    if not files:
        raise ValueError(f"The folder {photos} holds no photographs: give another one.")

    def encode_here(file: FolderFile) -> Encoded:
        return Encoded(model.encode_photos([open_image(file.file)])[0])

    engine = ScoringEngine(model.cross_net)
    layout, features = table_layout(model, precision, feature_key(engine)), partial(pack_features, engine)
    with GalleryStore.write(uri, layout, features=features) as store:
        encode: Callable[[FolderFile], Encoded] = encode_here
        stored = store.files()
        changed = [file for file in files if not is_stored(file, stored)]
        if encoding is not None:
            encode = encoding(changed)
        elif model.device.type != "cpu" if ahead is None else ahead:
            encode = encode_ahead(model, changed, {facts.digest for _, facts in stored.values()})
        return sync_files(store, files, encode, progress)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code."""
    options = parser().parse_args(arguments)
    with errors_in_one_line():
        check_folder(options.photos, "a folder with photographs")
        device = usable_device(options.device)
        model, encoding = load_model(options.model).to(device), None
        if options.ray is not None:
            join_cluster(options.ray)
            encoding = partial(encode_on_cluster, options.model)
        report = index_folder(model, options.photos, options.to, options.precision, True, encoding)
    for sentence in report.skipped:
        print(f"Left out: {sentence}", file=sys.stderr)
    print(report.sentence())
    return 0
