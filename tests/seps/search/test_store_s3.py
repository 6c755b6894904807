import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from seps.search.schema import Layout
from seps.search.store import GalleryStore
from tests.seps.search.test_store import LAYOUT, photo

URI = "s3://photographs/gallery.lance"
READING = f"""
from seps.search.store import GalleryStore
store = GalleryStore.read({URI!r}, "an encoder")
photos = store.photos(store.rows())
assert sorted(photo.file.path for photo in photos.values()) == ["1.jpg", "2.jpg"]
print(float(sum(photo.embeddings.sum() for photo in photos.values())))
"""
pytestmark = pytest.mark.slow


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    boto3.client("s3").create_bucket(Bucket="photographs")
    yield URI
    server.stop()


def test_one_process_writes_a_table_that_others_read(bucket: str) -> None:
    with pytest.raises(ValueError, match=r"There is no table s3://photographs/gallery\.lance"):
        GalleryStore.read(bucket)
    photos = [photo(f"{seed}.jpg", seed) for seed in range(3)]
    with GalleryStore.write(bucket, LAYOUT) as store:
        store.put(photos[:2])
    with GalleryStore.write(bucket, LAYOUT) as store:
        store.put(photos[2:])
        store.remove(["0.jpg"])
        store.tidy()
    command = [sys.executable, "-c", READING]
    root = Path(__file__).parents[3]
    readers = [subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    total = sum(float(each.embeddings.sum()) for each in photos[1:])
    for reader in readers:
        output, _ = reader.communicate()
        assert reader.returncode == 0
        assert float(output) == pytest.approx(total, abs=1e-5)


def test_a_second_writer_is_told(bucket: str) -> None:
    bucket = f"{bucket}.second"
    first, second = GalleryStore.write(bucket, LAYOUT), GalleryStore.write(bucket, LAYOUT)
    first.put([photo("1.jpg", 1)])
    with pytest.raises(ValueError, match="Another process changed the table"):
        second.put([photo("2.jpg", 2)])
    assert [facts.path for _, facts in GalleryStore.read(bucket).files().values()] == ["1.jpg"]
    with pytest.raises(ValueError, match=r"The table s3://photographs/gallery\.lance\.second was indexed"):
        GalleryStore.write(bucket, Layout("another encoder", 5, 4))


def test_a_bucket_that_is_not_there_is_told(bucket: str) -> None:
    with pytest.raises(ValueError, match=r"The bucket of s3://nothing/gallery\.lance does not exist"):
        GalleryStore.write("s3://nothing/gallery.lance", LAYOUT)
