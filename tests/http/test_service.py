# SPDX-License-Identifier: Apache-2.0
"""The service over a real socket: resources, conditional and compressed answers, parallel clients, draining."""
import concurrent.futures
import email.utils
import gzip
import json
import lzma
import os
import re
import signal
import socket
import subprocess
import time
from http import HTTPStatus

import pytest

from conftest import DUMP, ROOT, SANITIZERS, Server, wait_until
from test_command_line import PROGRAM


def test_uploading_twice_is_the_same_topology(server, topology):
    response, data = server.ask("POST", "/v1/topologies", DUMP)
    assert response.status == 200
    assert response.getheader("Location") == f"/v1/topologies/{topology}"
    assert json.loads(data)["machine"]["gpus"] == 2


COARSE = 5  # Linux's CLOCK_REALTIME_COARSE, which C's time() reads and which may lag by a tick


def test_every_answer_has_the_time_and_an_id_of_its_own(server, topology):
    """Replies are kept and sent again: the date and the request's id in them must not be those of the answer before."""
    seen = []
    for wanted in (None, "mine", "x" * 64, None):
        before = int(time.clock_gettime(COARSE))
        response, _ = server.ask(
            "GET", f"/v1/topologies/{topology}/analysis/summary", headers={"X-Request-Id": wanted} if wanted else {}
        )
        dates = response.headers.get_all("Date")
        assert (
            len(dates) == 1 and before <= email.utils.parsedate_to_datetime(dates[0]).timestamp() <= time.time()
        ), dates
        seen.append(response.getheader("X-Request-Id"))
        assert wanted in (None, seen[-1])
        time.sleep(1.1)
    assert len(set(seen)) == 4


def test_the_source_comes_back_byte_for_byte(server, topology):
    response, data = server.ask("GET", f"/v1/topologies/{topology}/source")
    assert data == DUMP and response.getheader("Content-Type") == "application/xml"


def test_name_and_labels_can_be_changed_and_searched(server):
    status, made = server.json("POST", "/v1/topologies?name=first&label=rack%3D7", DUMP + b"<!-- another -->")
    assert status == 201 and made["labels"] == {"rack": "7"}
    target = f"/v1/topologies/{made['id']}"
    status, changed = server.json("PATCH", target, json.dumps({"name": "second", "labels": {"row": "b"}}))
    assert status == 200 and (changed["name"], changed["labels"]) == ("second", {"row": "b"})
    assert server.json("PATCH", target, '{"names": 1}')[0] == 400
    assert server.json("PATCH", target, "{")[1]["type"] == "/problems/invalid-json"
    assert [t["id"] for t in server.json("GET", "/v1/topologies?q=second")[1]["items"]] == [made["id"]]
    assert server.json("GET", f"{target}/analysis/ranks") == (200, 2)
    assert server.ask("DELETE", target)[0].status == 204
    assert server.ask("DELETE", target)[0].status == 404
    for below in (
        "",
        "/source",
        "/analysis",
        "/analysis/ranks",
        "/path?from=rank:0&to=rank:1",
        "/findings",
        "/diagram.svg",
    ):
        assert server.json("GET", target + below)[0] == 404, below


def test_a_list_counts_findings_before_costs_and_an_analysis_rates_them(server):
    """A PCIe switch whose link is narrower than its equals' is a warning about the dump. Its repair changes no figure,
    as data goes over NVLinks: a note."""
    made = subprocess.run(
        [PROGRAM, "convert", "--machine", "dgx-a100"], capture_output=True, check=True, env={**os.environ, **SANITIZERS}
    ).stdout
    narrow = re.sub(rb'(class="0x060400"[^>]*) link_width="16"', rb'\1 link_width="4"', made, count=1)
    assert narrow != made
    topology = server.json("POST", "/v1/topologies?name=before-costs", narrow)[1]
    listed = server.json("GET", "/v1/topologies?q=before-costs")[1]["items"][0]["findings"]
    about = server.json("GET", f"/v1/topologies/{topology['id']}/findings")[1]
    assert listed == topology["findings"] == about["counts"] and listed["warning"] == 1
    assert [row["id"] for row in about["findings"] if row["severity"] == "warning"] == [
        "slow-link"
    ] and "cost" not in about["findings"][0]
    rated = next(
        row
        for row in server.json("GET", f"/v1/topologies/{topology['id']}/analysis/findings?hosts=2")[1]
        if row["id"] == "slow-link"
    )
    assert rated["severity"] == "info" and rated["cost"]["now"] == rated["cost"]["repaired"]
    assert rated["cost"]["hosts"] in (1, 2) and f"on {rated['cost']['hosts']} host" in rated["cost"]["for"]


def test_pages_hold_everything_once_newest_first(server):
    made = [server.json("POST", f"/v1/topologies?name=page-{i}", DUMP + b"<!-- %d -->" % i)[1]["id"] for i in range(5)]
    seen, cursor = [], ""
    while True:
        status, page = server.json("GET", f"/v1/topologies?limit=2&q=page-{cursor}")
        assert status == 200 and len(page["items"]) <= 2
        seen += [t["id"] for t in page["items"]]
        if not page["next"]:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == made[::-1]
    for id_ in made:
        server.ask("DELETE", f"/v1/topologies/{id_}")


def test_the_analysis_answers_to_release_hosts_and_settings(server, topology):
    base = f"/v1/topologies/{topology}/analysis"
    one, two = server.json("GET", base)[1], server.json("GET", base + "?hosts=2&release=2.27.7&NCCL_P2P_LEVEL=SYS")[1]
    assert (one["ranks"], two["ranks"], two["settings"]) == (2, 4, {"NCCL_P2P_LEVEL": "SYS"})
    assert sorted(p["via"] for p in one["p2p"]) == [-1, -1] and two["net_devs"]
    assert server.json("GET", base + "/p2p")[1] == one["p2p"]
    assert server.json("GET", base + "/nothing")[1]["type"] == "/problems/not-found"
    posted = server.json("POST", "/v1/analyze?hosts=2&release=2.27.7&NCCL_P2P_LEVEL=SYS", DUMP)[1]
    assert posted == two


@pytest.mark.parametrize(
    "query, kind, word",
    [
        ("hots=2", "invalid-parameter", "hosts"),
        ("hosts=0", "invalid-setting", "hosts"),
        ("hosts=2x", "invalid-setting", "hosts"),
        ("hosts=1&hosts=2", "invalid-parameter", "twice"),
        ("release=2.99.0", "invalid-setting", "2.30.7"),
        ("release=2.13.4", "invalid-setting", ", between which these changed: "),
        ("release=v2.27.7", "invalid-setting", "did you mean 2.27.7?"),
        ("release=2.27", "invalid-setting", "did you mean 2.27.7?"),
        ("release=2.27.7-1", "invalid-setting", "did you mean 2.27.7?"),
        ("release=2.27.7+cuda12.9", "invalid-setting", "did you mean 2.27.7?"),
        ("release=2.27.7%2Bcuda12.9", "invalid-setting", "did you mean 2.27.7?"),
        ("release=22707", "invalid-setting", "did you mean 2.27.7?"),
        ("release=2.4.8", "invalid-setting", "older than 2.7.8"),
        ("release=2.99.0", "invalid-setting", "newer than "),
        ("NCCL_CROSS_NICS=1", "invalid-setting", "NCCL_CROSS_NIC"),
        ("strict=maybe", "invalid-parameter", "strict"),
    ],
)
def test_wrong_parameters_are_named_with_what_was_meant(server, topology, query, kind, word):
    status, problem = server.json("GET", f"/v1/topologies/{topology}/analysis?{query}")
    assert (status, problem["type"]) == (400, f"/problems/{kind}")
    assert word in problem["detail"] + problem.get("advice", "")


def test_a_path_tells_its_hops_and_its_narrowest_link(server, topology):
    status, path = server.json("GET", f"/v1/topologies/{topology}/path?from=rank:0&to=GPU/0-41000")
    assert status == 200 and path["from"] == "GPU/0-1000" and path["to"] == "GPU/0-41000"
    assert path["hops"][-1]["to"] == "GPU/0-41000"
    assert path["hops"][path["narrowest"]]["bw"] == min(h["bw"] for h in path["hops"])
    assert path["decisions"]["p2p"]["text"]
    status, problem = server.json("GET", f"/v1/topologies/{topology}/path?from=rank:0&to=NET/0-0&release=2.27.7")
    assert status == 404 and "hosts=2" in problem["advice"]
    assert server.json("GET", f"/v1/topologies/{topology}/path?from=rank:0")[0] == 400


def test_drawings_in_every_format(server, topology):
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b""}
    for form, start in starts.items():
        response, data = server.ask("GET", f"/v1/topologies/{topology}/diagram.{form}")
        assert response.status == 200 and data.startswith(start), (form, data[:300])
    assert "sandbox" in response.getheader("Content-Security-Policy")
    assert server.ask("POST", "/v1/render?format=png", DUMP)[1].startswith(b"\x89PNG")
    response, data = server.ask(
        "GET", f"/v1/topologies/{topology}/diagram", headers={"Accept": "text/html, image/png;q=0.5"}
    )
    assert data.startswith(b"\x89PNG")
    assert server.json("GET", f"/v1/topologies/{topology}/diagram", headers={"Accept": "text/html"})[0] == 406
    assert server.json("GET", f"/v1/topologies/{topology}/diagram.gif")[0] == 404
    assert server.json("GET", f"/v1/topologies/{topology}/diagram.svg?view=ring&channel=63")[0] == 404


def test_etag_304_head_and_gzip(server, topology):
    target = f"/v1/topologies/{topology}/analysis"
    response, data = server.ask("GET", target)
    tag = response.getheader("ETag")
    assert tag.startswith('"') and response.getheader("Vary") == "Accept-Encoding"
    again, nothing = server.ask("GET", target, headers={"If-None-Match": f'"other", W/{tag}'})
    assert (again.status, nothing, again.getheader("ETag")) == (304, b"", tag)
    assert server.ask("GET", target, headers={"If-None-Match": '"other"'})[0].status == 200
    head, nothing = server.ask("HEAD", target)
    assert (head.status, nothing, int(head.getheader("Content-Length")), head.getheader("ETag")) == (
        200,
        b"",
        len(data),
        tag,
    )
    zipped, small = server.ask("GET", target, headers={"Accept-Encoding": "br, gzip;q=0.8"})
    assert (
        zipped.getheader("Content-Encoding") == "gzip" and gzip.decompress(small) == data and len(small) < len(data) / 3
    )
    assert zipped.getheader("ETag") != tag
    assert server.ask("GET", target, headers={"Accept-Encoding": "gzip;q=0"})[0].getheader("Content-Encoding") is None
    other = server.ask("GET", target + "?hosts=2")[0].getheader("ETag")
    assert other != tag


def test_methods_that_a_resource_does_not_know(server, topology):
    response, _ = server.ask("PUT", f"/v1/topologies/{topology}", b"x")
    assert response.status == 405 and set(response.getheader("Allow").split(", ")) == {"GET", "HEAD", "PATCH", "DELETE"}
    response, _ = server.ask("GET", "/v1/analyze")
    assert (response.status, response.getheader("Allow")) == (405, "POST")
    assert server.ask("POST", "/index.html", b"x")[0].status == 405


def test_what_the_service_says_about_itself(server):
    assert server.json("GET", "/healthz") == (200, {"status": "ok"})
    assert server.json("GET", "/readyz") == (200, {"status": "ready"})
    assert "2.27.7" in server.json("GET", "/version")[1]["nccl_releases"]
    assert any(r["release"] == "2.27.7" and r["verified"] for r in server.json("GET", "/v1/releases")[1]["releases"])
    assert any(s["name"] == "NCCL_CROSS_NIC" for s in server.json("GET", "/v1/settings?release=2.27.7")[1]["settings"])
    assert server.ask("GET", "/openapi.yaml")[1].startswith(b"openapi: 3.1")


def test_problem_titles_are_the_reason_phrases_of_http(server):
    # IANA's registry of status codes, in sentence case; http.HTTPStatus of Python before 3.13 has older phrases
    phrases = {413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}
    description = server.ask("GET", "/openapi.yaml")[1].decode()
    listed = re.search(r"The problem, its place, and advice\..*", description)[0]
    groups = re.findall(r"\b(\d{3}): ([^.]+)\.", re.sub(r" \([^)]*\)", "", listed))
    kinds = {kind: int(status) for status, kinds in groups for kind in kinds.split(", ")}
    assert len(kinds) > 30
    for kind, status in kinds.items():
        title = phrases.get(status, HTTPStatus(status).phrase)
        answer = server.json("GET", f"/problems/{kind}")[1]
        assert (answer["title"].lower(), answer["status"]) == (title.lower(), status), kind


def test_releases_say_what_distinguishes_them(server, topology):
    answer = server.json("GET", "/v1/releases")[1]
    rows = {row["release"]: row for row in answer["releases"]}
    assert rows[answer["default"]]["verified"] and rows[answer["default"]]["default"]
    assert (
        rows["2.21.5"]["figures"]["nvlink_bw"]["sm 90"] == 20.6
        and rows["2.30.7"]["figures"]["nvlink_bw"]["sm 100"] == 40.1
    )
    assert rows["2.27.7"]["figures"]["qpi_intel"] == {"BDW": 6, "SKL": 10, "SRP": 22, "ERP": 40}
    assert rows["2.7.8"]["figures"]["steps_all"] == 1572864 and rows["2.7.8"]["figures"]["NCCL_PXN_DISABLE"] is None
    assert rows["2.30.7"]["node_types"][-2:] == ["DEV", "CXB"] and rows["2.27.7"]["node_types"][-1] == "NET"
    names = [row["release"] for row in answer["releases"]]
    for newer, older in zip(names, names[1:] + [None]):
        assert rows[newer]["previous"] == older
        assert bool(rows[newer]["differs_from_previous"]) == bool(older)
        for row in rows[newer]["differs_from_previous"]:
            assert row["here"] != row["before"] and row["sentence"] and row["behaviour"] in rows[newer]["figures"]
    change = {row["behaviour"]: row for row in rows["2.28.7"]["differs_from_previous"]}["nvls_least_gpus"]
    assert (change["here"], change["before"]) == ("2", "3") and "channels" in change["bears_on"]


def test_a_release_is_verified_if_the_repository_has_cases_of_it(server):
    """Their comparison is the part `conformance`; a row of the release table without cases has to say so."""
    with lzma.open(ROOT / "tests/conformance/references.xz", "rt") as archive:
        compared = {
            release
            for line in archive
            for question in [json.loads(line)]
            if isinstance(question, dict)
            for releases, *_ in question.get("answers", [])
            for release in releases
        }
    rows = server.json("GET", "/v1/releases")[1]["releases"]
    assert len(compared) > 30 and {row["release"] for row in rows if row["verified"]} == compared


def test_a_tag_that_behaves_alike_is_accepted_by_name(server, topology):
    rows = {row["release"]: row for row in server.json("GET", "/v1/releases")[1]["releases"]}
    assert all(row["verified"] for row in rows.values()) and rows["2.18.5"]["behaves_alike"] == ["2.18.6"]
    own, alike = (
        server.json("GET", f"/v1/topologies/{topology}/analysis?release={name}")[1] for name in ("2.18.5", "2.18.6")
    )
    assert (own["nccl"], own["asked"], alike["nccl"], alike["asked"]) == ("2.18.5", None, "2.18.5", "2.18.6")
    assert own["verified"] and alike["verified"] and {**own, "asked": 0} == {**alike, "asked": 0}


def test_releases_name_the_frameworks_that_bring_them(server):
    rows = {row["release"]: row["shipped_with"] for row in server.json("GET", "/v1/releases")[1]["releases"]}
    assert rows["2.26.2"] == [{"framework": "PyTorch", "version": "2.7", "build": "CUDA 12", "nccl": "2.26.2"}]
    assert [wheel["nccl"] for wheel in rows["2.29.2"]] == ["2.29.3", "2.29.3"] and rows[
        "2.16.5"
    ] == []  # 2.29.3 behaves as 2.29.2


def test_the_nearest_release_says_that_it_is_not_the_one_asked_for(server, topology):
    path = f"/v1/topologies/{topology}"
    assert server.json("GET", f"{path}/analysis?release=2.31.0")[0] == 400
    status, analysis = server.json("GET", f"{path}/analysis?release=2.31.0&nearest=1")
    assert (status, analysis["nccl"], analysis["asked"], analysis["verified"]) == (200, "2.30.7", "2.31.0", False)
    assert (
        any(row["id"] == "release-nearest" for row in analysis["assumptions"])
        and "release-nearest" in analysis["explanations"]["rests_on"]
    )
    drawing = server.ask("GET", f"{path}/diagram?view=system&release=2.31.0&nearest=1")[1].decode()
    assert "NCCL 2.31.0 is assumed to behave like 2.30.7, the nearest release" in drawing.replace("&#45;", "-")
    assert server.json("GET", f"{path}/analysis?nearest=2")[0] == 400
    assert not any(
        row["id"] == "release-nearest" for row in server.json("GET", f"{path}/analysis?nearest=1")[1]["assumptions"]
    )


def test_the_example_of_an_unknown_release_is_what_is_said(server):
    text = (ROOT / "api" / "openapi.yaml").read_text()
    example = json.loads(re.search(r"unknown-release:\n +summary: .*\n +value: (\{.*\})", text)[1])
    status, problem = server.json("GET", "/v1/settings?release=2.13.4")
    assert status == example["status"] and problem.keys() == example.keys()
    words = lambda text: re.sub(r"\d+(\.\d+)+|changed: .*", "N", text)  # releases may have come between
    for key in problem.keys() - {"instance", "advice"}:
        assert words(str(problem[key])) == words(str(example[key]))
    releases = [row["release"] for row in server.json("GET", "/v1/releases")[1]["releases"]]
    assert problem["advice"].startswith(
        f"choose one of the {len(releases)} releases from {releases[-1]} to {releases[0]}"
    )


def test_the_page_and_its_examples(server):
    response, data = server.ask("GET", "/")
    assert (
        response.status == 200
        and b"<html" in data.lower()
        and "default-src 'self'" in response.getheader("Content-Security-Policy")
    )
    assert server.ask("GET", "/", headers={"If-None-Match": response.getheader("ETag")})[0].status == 304
    assert server.ask("GET", "/v1/examples")[0].status == 200
    examples = sorted((ROOT / "static" / "examples").glob("*.xml"))
    assert examples
    for path in examples:
        body = server.ask("GET", f"/examples/{path.name}")[1]
        assert body == path.read_bytes() and server.ask("POST", "/v1/analyze", body)[0].status == 200, path.name


def test_request_ids_are_echoed_when_they_are_sane(server):
    assert server.ask("GET", "/healthz", headers={"X-Request-Id": "abc-1"})[0].getheader("X-Request-Id") == "abc-1"
    made = server.ask("GET", "/healthz", headers={"X-Request-Id": "a b;c"})[0].getheader("X-Request-Id")
    assert len(made) == 16


def test_many_requests_on_one_connection(server, topology):
    connection = server.connect()
    for i in range(50):
        target = ["/healthz", f"/v1/topologies/{topology}/analysis", "/nope", f"/v1/topologies/{topology}"][i % 4]
        assert server.ask("GET", target, connection=connection)[0].status == (404 if i % 4 == 2 else 200)
    connection.close()


def test_32_clients_at_once(server, topology):
    def one(i):
        query = f"hosts={i % 4 + 1}&NCCL_MIN_NCHANNELS={i % 3}"
        analysis = server.json("GET", f"/v1/topologies/{topology}/analysis?{query}")
        drawing = server.ask("GET", f"/v1/topologies/{topology}/diagram.svg?{query}")
        upload = server.json("POST", "/v1/topologies", DUMP + b"<!-- parallel %d -->" % (i % 8))
        return analysis[0], analysis[1]["ranks"] == 2 * (i % 4 + 1), drawing[0].status, upload[0] in (200, 201)

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        assert set(pool.map(one, range(64))) == {(200, True, 200, True)}


def test_stored_dumps_survive_a_restart(database):
    first = Server("--database", database)
    id_ = first.json("POST", "/v1/topologies?name=kept", DUMP)[1]["id"]
    first.stop()
    second = Server("--database", database)
    assert second.json("GET", f"/v1/topologies/{id_}")[1]["name"] == "kept"
    assert second.ask("GET", f"/v1/topologies/{id_}/source")[1] == DUMP
    second.stop()


def test_sigterm_lets_a_request_in_flight_finish():
    server = Server("--database", ":memory:", "--grace", "60")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as s:
        s.sendall(
            (b"POST /v1/analyze?section=ranks HTTP/1.1\r\nHost: localhost\r\nContent-Length: " b"%d\r\n\r\n")
            % len(DUMP)
            + DUMP[:100]
        )
        wait_until(lambda: b"\norrery_http_requests_in_flight 2\n" in server.ask("GET", "/metrics")[1])
        server.process.send_signal(signal.SIGTERM)
        wait_until(server.turns_away)
        s.sendall(DUMP[100:])
        assert s.recv(65536).startswith(b"HTTP/1.1 200 ")
    server.stop()


def test_an_idle_connection_does_not_delay_the_end():
    server = Server("--database", ":memory:", "--header-timeout", "120", "--timeout", "120", "--grace", "120")
    with socket.create_connection(("127.0.0.1", server.port)):
        begun = time.monotonic()
        server.stop()
        assert time.monotonic() - begun < 60


def test_requests_on_kept_connections_do_not_break_the_end():
    """They come while the threads that compute end: nothing may be handed to these any more."""
    request = (b"POST /v1/analyze?section=ranks HTTP/1.1\r\nHost: localhost\r\nContent-Length: " b"%d\r\n\r\n") % len(
        DUMP
    ) + DUMP
    for _ in range(4):
        server = Server("--database", ":memory:")
        kept = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(48)]
        for s in kept:
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert s.recv(65536).startswith(b"HTTP/1.1 200 ")
        server.process.send_signal(signal.SIGTERM)
        for s in kept:
            try:
                s.sendall(request)
            except ConnectionError:
                pass
        for s in kept:
            s.close()
        server.stop()


def test_every_described_route_is_there(server, topology):
    described = re.findall(
        r"^  (/\S*):$|^    (get|post|patch|delete):$", (ROOT / "api" / "openapi.yaml").read_text(), re.M
    )
    path, count = None, 0
    for new_path, method in described:
        path = new_path or path
        if not method:
            continue
        target = path.format(id="0" * 32, section="ranks", format="svg", type="malformed-xml", host="none")
        status = server.ask(method.upper(), target, b"x" if method != "get" else None)[0].status
        assert status != 405, (method, path)
        count += 1
    assert count >= 21
    response, _ = server.ask("OPTIONS", "/v1/analyze")
    assert response.status == 405
