"""A local server in the place of OpenML: its possible responses, and what `load` makes of them."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from calibrant.data import list_datasets, load
from calibrant.data._datasets import download, openml
from calibrant.data._datasets.download import Limits
from calibrant.exceptions import DataError, ParameterError, ReadError

ARFF = b"""@relation plants
@attribute id numeric
@attribute height numeric
@attribute colour {red, blue, green}
@attribute kind {tall, short}
@data
1, 2.5, red, tall
2, 0.5, ?, short
3, 0.7, blue, short
"""
DESCRIPTION, DATA = "/api/v1/json/data/7", "/data/v1/download/77/plants.arff"
BY_NAME = "/api/v1/json/data/list/data_name/plants/status/active/limit/100"
UNKNOWN = b'{"error": {"code": "111", "message": "Unknown dataset"}}'
NO_RESULTS = b'{"error": {"code": "372", "message": "No results"}}'


@dataclass
class Response:
    """One response of the server: ``send`` writes the body, ``length`` is what its header claims."""

    body: bytes = b""
    status: int = 200
    compressed: bool = False
    length: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    send: Callable[[BaseHTTPRequestHandler], object] | None = None


class FakeOpenML:
    """The responses to each path, the last of them repeated; every requested path is recorded."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requested: list[str] = []
        self.responses: dict[str, list[Response]] = {}
        self.describe(ARFF)

    def describe(self, arff: bytes, **more: object) -> None:
        about = {
            "id": "7",
            "name": "plants",
            "version": "2",
            "format": "ARFF",
            "url": f"https://www.openml.org{DATA}",
            "default_target_attribute": "kind",
            "row_id_attribute": "id",
            "md5_checksum": hashlib.md5(arff, usedforsecurity=False).hexdigest(),
            **more,
        }
        self.responses[DESCRIPTION] = [Response(json.dumps({"data_set_description": about}).encode())]
        self.responses[DATA] = [Response(arff)]
        versions = [{"did": 9, "version": 3}, {"did": 7, "version": 2}]
        self.responses[BY_NAME] = [Response(json.dumps({"data": {"dataset": versions}}).encode())]

    def respond_to(self, path: str) -> Response:
        self.requested.append(path)
        responses = self.responses.get(path, [Response(NO_RESULTS if "list" in path else UNKNOWN, status=412)])
        return responses.pop(0) if len(responses) > 1 else responses[0]


class Handler(BaseHTTPRequestHandler):
    fake: FakeOpenML

    def do_GET(self) -> None:
        response = self.fake.respond_to(self.path)
        body = gzip.compress(response.body) if response.compressed else response.body
        self.send_response(response.status)
        if response.compressed:
            self.send_header("Content-Encoding", "gzip")
        if response.send is None or response.length is not None:
            self.send_header("Content-Length", str(len(body) if response.length is None else response.length))
        for header, value in response.headers.items():
            self.send_header(header, value)
        self.end_headers()
        try:
            response.send(self) if response.send else self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests clean."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenML]:
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    fake = FakeOpenML(f"http://127.0.0.1:{listening.server_port}")
    listening.RequestHandlerClass = type("Bound", (Handler,), {"fake": fake})
    monkeypatch.setenv("CALIBRANT_OPENML_URL", fake.url)
    monkeypatch.setattr(download, "_RETRY_DELAYS", (0.0, 0.0))
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield fake
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CALIBRANT_CACHE", str(tmp_path))
    return tmp_path


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def endless(handler: BaseHTTPRequestHandler) -> None:
    while True:
        handler.wfile.write(b"1, 2.5, red, tall\n" * 100)


def dripping(handler: BaseHTTPRequestHandler) -> None:
    while True:
        handler.wfile.write(b"%")
        time.sleep(0.001)


def silent(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.flush()
    time.sleep(0.2)


def test_a_set_loads_by_its_number(server: FakeOpenML) -> None:
    table = load("openml:7")
    assert (table.name, table.class_counts) == ("openml:7", {"tall": 1, "short": 2})
    assert table.kinds == {"height": "numeric", "colour": "nominal"}
    assert table.notes == ("OpenML 7: plants, version 2.",)
    assert server.requested == [DESCRIPTION, DATA]


def test_the_row_id_and_what_is_to_be_ignored_are_not_features(server: FakeOpenML) -> None:
    server.describe(ARFF, ignore_attribute=["height"])
    table = load("openml:7")
    assert table.extra is not None
    assert (list(table.X), list(table.extra)) == (["colour"], ["id", "height"])


def test_names_to_ignore_may_be_joined_by_commas(server: FakeOpenML) -> None:
    server.describe(ARFF, ignore_attribute="height,colour", row_id_attribute=None)
    assert list(load("openml:7").X) == ["id"]


def test_of_several_versions_of_a_name_the_first_is_loaded(server: FakeOpenML) -> None:
    assert load("openml:plants").name == "openml:plants"
    assert server.requested == [BY_NAME, DESCRIPTION, DATA]


def test_compressed_responses_are_decompressed(server: FakeOpenML) -> None:
    server.responses[DATA][0].compressed = True
    server.responses[DESCRIPTION][0].compressed = True
    assert load("openml:7").n_rows == 3


@pytest.mark.parametrize("name", ["openml:7", "openml:plants"])
def test_the_second_time_nothing_is_requested(name: str, server: FakeOpenML) -> None:
    first = load(name)
    server.requested.clear()
    assert load(name).X.equals(first.X)
    assert server.requested == []


@pytest.mark.parametrize("file", ["data.arff", "description.json", "plants.json"])
def test_a_damaged_file_in_the_cache_is_downloaded_again(file: str, server: FakeOpenML, cache: Path) -> None:
    load("openml:plants")
    next(cache.rglob(file)).write_bytes(b"spoilt")
    server.requested.clear()
    assert load("openml:plants").n_rows == 3
    assert server.requested != []


def test_an_unknown_number_raises_that_it_is_unknown(server: FakeOpenML) -> None:
    with pytest.raises(DataError, match=r"OpenML has no active data set '12' \(Unknown dataset\)"):
        load("openml:12")
    assert len(server.requested) == 1


def test_an_unknown_name_raises_that_it_is_unknown(server: FakeOpenML) -> None:
    with pytest.raises(DataError, match=r"OpenML has no active data set 'nobody' \(No results\)"):
        load("openml:nobody")
    server.responses[BY_NAME] = [Response(NO_RESULTS, status=412, compressed=True)]
    with pytest.raises(DataError, match=r"'plants' \(No results\)"):
        load("openml:plants")


@pytest.mark.parametrize("name", ["openml:", "openml:../up", "openml:a/b", "openml:a b"])
def test_a_name_that_openml_cannot_have_raises(name: str) -> None:
    with pytest.raises(ParameterError, match="openml: must be followed by an id or by a name"):
        load(name)


def test_a_failing_server_is_tried_again(server: FakeOpenML) -> None:
    server.responses[DESCRIPTION][:0] = [Response(status=503)]
    server.responses[DATA][:0] = [Response(status=500), Response(status=502)]
    assert load("openml:7").n_rows == 3
    assert server.requested == [DESCRIPTION] * 2 + [DATA] * 3


def test_a_server_that_keeps_failing_is_given_up_after_three_attempts(server: FakeOpenML, cache: Path) -> None:
    server.responses[DATA] = [Response(status=500)]
    with pytest.raises(
        ReadError, match=r"no complete response in 3 attempts; the last error: HTTP 500\..*CALIBRANT_DATA"
    ):
        load("openml:7")
    assert server.requested.count(DATA) == 3
    assert files_in(cache) == {"description.json"}


def test_a_refused_request_is_not_tried_again(server: FakeOpenML) -> None:
    server.responses[DATA] = [Response(status=403)]
    with pytest.raises(ReadError, match=r"returned HTTP 403\. OpenML describes the file"):
        load("openml:7")
    assert server.requested.count(DATA) == 1


def test_half_a_file_is_downloaded_again(server: FakeOpenML) -> None:
    server.responses[DATA][:0] = [Response(ARFF[:50], length=len(ARFF))]
    assert load("openml:7").n_rows == 3


@pytest.mark.parametrize(
    "broken",
    [
        Response(ARFF[:50], length=len(ARFF)),
        Response(gzip.compress(ARFF)[:-9], headers={"Content-Encoding": "gzip"}),
        Response(b"no gzip at all", headers={"Content-Encoding": "gzip"}),
        Response(headers={"Transfer-Encoding": "chunked"}, send=lambda to: to.wfile.write(b"5\r\n@re")),
    ],
    ids=["short", "short gzip", "no gzip", "short chunk"],
)
def test_half_a_file_never_reaches_the_cache(broken: Response, server: FakeOpenML, cache: Path) -> None:
    server.responses[DATA] = [broken]
    with pytest.raises(ReadError, match="no complete response in 3 attempts"):
        load("openml:7")
    assert files_in(cache) == {"description.json"}


def test_a_file_with_the_wrong_checksum_raises(server: FakeOpenML, cache: Path) -> None:
    server.describe(ARFF, md5_checksum="0" * 32)
    with pytest.raises(ReadError, match=r"plants\.arff: has the MD5 [0-9a-f]{32}; expected 0{32}"):
        load("openml:7")
    assert server.requested.count(DATA) == 1
    assert files_in(cache) == {"description.json"}


def test_a_file_without_checksum_is_accepted(server: FakeOpenML) -> None:
    server.describe(ARFF, md5_checksum=None)
    assert load("openml:7").n_rows == 3


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        (Response(send=endless), "is larger than 65,536 bytes"),
        (Response(b"%" * 10_000_000, compressed=True), "is larger than 65,536 bytes"),
        (Response(send=dripping), "took longer than 0.05 s"),
        (Response(send=silent, length=9), "no complete response in 3 attempts; the last error: timed out"),
    ],
    ids=["endless", "bomb", "dripping", "silent"],
)
def test_no_server_can_exceed_the_limits(
    response: Response, problem: str, server: FakeOpenML, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds, silence = (0.05 if response.send is dripping else 60), (0.05 if response.send is silent else 60)
    limits = Limits(size=1 << 16, seconds=seconds, silence=silence)
    monkeypatch.setattr(openml, "_FILE_LIMITS", limits)
    server.responses[DATA] = [response]
    with pytest.raises(ReadError, match=problem):
        load("openml:7")
    assert files_in(cache) == {"description.json"}


@pytest.mark.parametrize("page", [b"<html>Please log in</html>", b"[" * 100_000], ids=["html", "deep"])
def test_a_page_in_place_of_a_response_raises(page: bytes, server: FakeOpenML, cache: Path) -> None:
    server.responses[DESCRIPTION] = server.responses[BY_NAME] = [Response(page)]
    for name, problem in (("openml:7", "describes no data set"), ("openml:plants", "lists no data set")):
        with pytest.raises(ReadError, match=rf"the response {problem}\. Is this an OpenML server"):
            load(name)
    assert files_in(cache) == set()


@pytest.mark.parametrize("scheme", ["ftp", "file"])
def test_a_description_can_lead_to_http_only(scheme: str, server: FakeOpenML) -> None:
    server.describe(ARFF, url=f"{scheme}://127.0.0.1/plants.arff")
    with pytest.raises(ReadError, match="only http and https addresses are supported"):
        load("openml:7")


@pytest.mark.parametrize(("scheme", "problem"), [("ftp", "unknown url type: ftp"), ("file", "returned HTTP 302")])
def test_a_redirection_can_lead_to_http_only(scheme: str, problem: str, server: FakeOpenML) -> None:
    server.responses[DATA] = [Response(status=302, headers={"Location": f"{scheme}://127.0.0.1/plants.arff"})]
    with pytest.raises(ReadError, match=problem):
        load("openml:7")


def test_a_redirection_to_http_is_followed(server: FakeOpenML) -> None:
    server.responses["/moved"] = server.responses[DATA]
    server.responses[DATA] = [Response(status=302, headers={"Location": f"{server.url}/moved"})]
    assert load("openml:7").n_rows == 3


def test_a_redirection_to_nowhere_raises(server: FakeOpenML) -> None:
    server.responses[DATA] = [Response(status=302, headers={"Location": "http://["})]
    with pytest.raises(ReadError, match="is not a valid address"):
        load("openml:7")


@pytest.mark.parametrize("url", ["https://api.openml.org/file?id=77&v=2#top", "/file?id=77&v=2", "file?id=77&v=2"])
def test_the_address_of_a_file_keeps_its_query(url: str, server: FakeOpenML) -> None:
    server.describe(ARFF, url=url)
    server.responses["/file?id=77&v=2"] = [Response(ARFF)]
    assert load("openml:7").n_rows == 3


def test_a_file_at_no_address_raises(server: FakeOpenML) -> None:
    server.describe(ARFF, url="http://[")
    with pytest.raises(ReadError, match=r"http://\[: is not a valid address"):
        load("openml:7")


def test_another_format_than_arff_raises(server: FakeOpenML) -> None:
    server.describe(ARFF, format="CSV")
    with pytest.raises(DataError, match="OpenML 7 must be an ARFF file; its format is 'CSV'"):
        load("openml:7")


@pytest.mark.parametrize("target", ["kind,colour", "nobody"])
def test_one_target_is_needed(target: str, server: FakeOpenML) -> None:
    server.describe(ARFF, default_target_attribute=target)
    with pytest.raises(DataError, match=f"must have one target among its columns; it names '{target}'"):
        load("openml:7")


def test_without_a_target_the_last_column_is_the_class(server: FakeOpenML) -> None:
    server.describe(ARFF, default_target_attribute=None)
    assert list(load("openml:7").class_counts) == ["tall", "short"]


@pytest.mark.usefixtures("no_home")
def test_a_set_of_the_catalogue_gets_the_labels_of_the_catalog_and_notes_what_differs(server: FakeOpenML) -> None:
    arff = b"@relation p\n@attribute x numeric\n@attribute kind {tested_negative, tested_positive}\n@data\n"
    server.describe(arff + b"1, tested_negative\n2, tested_positive\n", id="37", row_id_attribute=None)
    server.responses["/api/v1/json/data/37"] = server.responses[DESCRIPTION]
    table = load("pima")
    assert (table.name, table.class_counts, table.positive) == ("pima", {"neg": 1, "pos": 1}, "pos")
    assert any("rows 2 instead of 768" in note for note in table.notes)
    assert list_datasets().to_frame().loc[["pima", "nielsen.pima"], "where"].tolist() == ["OpenML, cached"] * 2
