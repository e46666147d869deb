#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scheduler extender for Kubernetes that asks Orrery where a job's GPUs communicate best.

kube-scheduler calls /filter and /prioritize (KubeSchedulerConfiguration, extenders). For each node, Orrery's REST API
says which of the free GPUs the pod should get and what bus bandwidth they reach: GET /v1/topologies/{id}/place. Nodes
that cannot give the GPUs, or not the bandwidth that the pod asks for, are filtered out; the others get a score from 0
to 10 by their bandwidth. README.md says more.
"""
import argparse
import concurrent.futures
import http.server
import json
import pathlib
import re
import signal
import ssl
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

PREFIX = "orrery.dev/"
TOPOLOGY = PREFIX + "topology"  # label of a node: the id of its topology
FREE = PREFIX + "free-gpus"  # annotation of a node: "0,1,4"
HOSTS = PREFIX + "hosts"  # annotation of a pod: hosts of its job, "4"
LEAST = PREFIX + "min-busbw"  # annotation of a pod: GB/s
MOST_BODY = 64 << 20  # 5000 nodes with their objects have some 50 MB
MOST_NODES = 5000
MAX_SCORE = 10  # of kube-scheduler's extenders
GPU_LIST = re.compile(r"[0-9]{1,4}(,[0-9]{1,4})*")
TOPOLOGY_ID = re.compile(r"[0-9a-f]{32}")
NODE_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


class Refused(Exception):
    """What the scheduler sent cannot be used."""


class Unavailable(Exception):
    """Orrery did not answer, or not in time."""


def member(value, name, kind, default):
    """A member of an object as Go writes it (Pod) or as its JSON tags would (pod); null counts as absent."""
    if not isinstance(value, dict):
        raise Refused(f"an object with {name} is expected")
    found = value.get(name, value.get(name[0].lower() + name[1:], value.get(name.lower())))
    if found is None:
        return default
    if not isinstance(found, kind):
        raise Refused(f"{name} is not {kind.__name__}")
    return found


def number_of(text, what):
    try:
        number = int(text) if isinstance(text, (int, str)) and not isinstance(text, bool) else -1
    except ValueError:
        number = -1
    if not 0 <= number <= 1 << 20:
        raise Refused(f"{what} is not a whole number: {str(text)[:40]}")
    return number


def gpus_of(pod, resource):
    """GPUs that the pod holds at once: those of its containers together, or of the largest init container."""
    spec = member(pod, "spec", dict, {})

    def of(container):
        resources = member(container, "resources", dict, {})
        limit = member(resources, "limits", dict, {}).get(resource)
        return number_of(
            limit if limit is not None else member(resources, "requests", dict, {}).get(resource, 0), resource
        )

    containers = sum(of(one) for one in member(spec, "containers", list, []))
    return max([containers, *(of(one) for one in member(spec, "initContainers", list, []))])


def annotations_of(thing):
    return member(member(thing, "metadata", dict, {}), "annotations", dict, {})


class Question:
    """A call of the scheduler: the pod's wish, and the nodes."""

    def __init__(self, body, resource):
        try:
            arguments = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Refused(f"the body is not JSON: {error}") from None
        pod = member(arguments, "Pod", dict, None)
        if pod is None:
            raise Refused("Pod is missing")
        self.node_list = member(arguments, "Nodes", dict, None)
        self.by_name = self.node_list is None
        self.nodes = {}  # name: its object, {} where only names were sent (nodeCacheCapable)
        for node in [] if self.by_name else member(self.node_list, "items", list, []):
            self.nodes[self.check_name(member(member(node, "metadata", dict, {}), "name", str, ""))] = node
        for name in member(arguments, "NodeNames", list, []) if self.by_name else []:
            self.nodes[self.check_name(name)] = {}
        if len(self.nodes) > MOST_NODES:
            raise Refused(f"{len(self.nodes)} nodes; this extender answers about {MOST_NODES}")
        self.gpus = gpus_of(pod, resource)
        wishes = annotations_of(pod)
        self.hosts = number_of(wishes.get(HOSTS, 0), HOSTS)
        try:
            self.least = float(wishes.get(LEAST, 0))
        except (TypeError, ValueError):
            raise Refused(f"{LEAST} is not a number") from None

    @staticmethod
    def check_name(name):
        if not isinstance(name, str) or not NODE_NAME.fullmatch(name):
            raise Refused(f"no node can be called {str(name)[:80]!r}")
        return name


class Orrery:
    """The REST API, each call within a deadline."""

    def __init__(self, url, token, context):
        self.url, self.token, self.context = url.rstrip("/"), token, context

    def get(self, target, deadline):
        """(status, answer). Raises Unavailable."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise Unavailable("Orrery cannot be asked: the time limit is over")
        request = urllib.request.Request(self.url + target)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=left, context=self.context) as response:
                return response.status, json.loads(response.read(1 << 20))
        except urllib.error.HTTPError as error:
            with error:
                if error.code in (400, 404):
                    return error.code, json.loads(error.read(1 << 16) or b"{}")
            raise Unavailable(f"Orrery answers {error.code}") from None
        except (OSError, ValueError) as error:  # refused, reset, too slow; no JSON
            raise Unavailable(f"Orrery cannot be asked: {error}") from None


class Extender:
    def __init__(self, orrery, options):
        self.orrery, self.options = orrery, options
        self.pool = concurrent.futures.ThreadPoolExecutor(options.parallel)

    def topology_of(self, name, node, deadline):
        """The id that the node's label names, or else that of the last upload with the label host=NAME; None if there
        is neither."""
        labels = member(member(node, "metadata", dict, {}), "labels", dict, {})
        if TOPOLOGY in labels:
            return (
                labels[TOPOLOGY]
                if isinstance(labels[TOPOLOGY], str) and TOPOLOGY_ID.fullmatch(labels[TOPOLOGY])
                else None
            )
        status, answer = self.orrery.get(f"/v1/hosts/{urllib.parse.quote(name, safe='')}/uploads?limit=1", deadline)
        return answer["items"][0]["topology"] if status == 200 and answer.get("items") else None

    def place(self, topology, free, question, deadline):
        query = {"count": question.gpus, "top": 1}
        if free is not None:
            query["free"] = free
        if question.hosts:
            query["hosts"] = question.hosts
        return self.orrery.get(f"/v1/topologies/{topology}/place?{urllib.parse.urlencode(query)}", deadline)

    def judge(self, question):
        """{node: (GB/s or None, why not or None)}. (None, None) means that nothing is known of the node, which passes.
        Equal questions are asked once."""
        deadline = time.monotonic() + self.options.timeout
        verdicts, asked, waiting = {}, {}, {}
        for name, node in question.nodes.items():
            waiting[name] = self.pool.submit(self.topology_of, name, node, deadline)
        for name, future in waiting.items():
            free = annotations_of(question.nodes[name]).get(FREE)
            try:
                topology = self.result_of(future, deadline)
            except Unavailable as error:
                verdicts[name] = self.unknown(str(error))
                continue
            if free is not None and (not isinstance(free, str) or free and not GPU_LIST.fullmatch(free)):
                verdicts[name] = self.unknown(f"the annotation {FREE} is not a list of GPUs")
            elif free is not None and (len(set(free.split(","))) if free else 0) < question.gpus:
                verdicts[name] = (None, f"{question.gpus} GPUs are needed, fewer are free")
            elif topology is None:
                verdicts[name] = self.unknown("Orrery has no topology of this node")
            else:
                key = (topology, free)
                if key not in asked:
                    asked[key] = self.pool.submit(self.place, topology, free, question, deadline)
                waiting[name] = key
        for name in question.nodes:
            if name not in verdicts:
                verdicts[name] = self.verdict(asked[waiting[name]], question, deadline)
        return verdicts

    @staticmethod
    def result_of(future, deadline):
        """For a whole question, however slowly its answer comes byte by byte."""
        try:
            return future.result(timeout=max(0, deadline - time.monotonic()))
        except concurrent.futures.TimeoutError:
            future.cancel()
            raise Unavailable("Orrery cannot be asked: the time limit is over") from None

    def verdict(self, future, question, deadline):
        try:
            status, answer = self.result_of(future, deadline)
        except Unavailable as error:
            return self.unknown(str(error))
        if status == 404:
            return self.unknown("Orrery has no topology of this node")
        if status == 400:
            return None, str(answer.get("detail", "these GPUs cannot be chosen"))[:200]
        if not answer.get("best"):
            return None, "no set of free GPUs is large enough"
        bus_bw = answer["best"][0]["busbw"]
        if question.least and bus_bw is not None and bus_bw < question.least:
            return None, f"the best free GPUs reach {bus_bw:.3g} GB/s, {question.least:.3g} are needed"
        return bus_bw, None

    def unknown(self, why):
        return None, None if self.options.fail == "open" else why

    def filter(self, question):
        verdicts = self.judge(question) if question.gpus else {name: (None, None) for name in question.nodes}
        passed = [name for name in question.nodes if verdicts[name][1] is None]
        answer = {
            "Nodes": None,
            "NodeNames": None,
            "FailedNodes": {name: why for name, (_, why) in verdicts.items() if why is not None},
            "FailedAndUnresolvableNodes": {},
            "Error": "",
        }
        if question.by_name:
            answer["NodeNames"] = passed
        else:
            answer["Nodes"] = {**question.node_list, "items": [question.nodes[name] for name in passed]}
        return answer

    def prioritize(self, question):
        """By bandwidth, the best node 10. Nodes of which nothing is known get 0, like every node if no GPUs are
        wanted."""
        verdicts = self.judge(question) if question.gpus else {}
        best = max((bus_bw for bus_bw, _ in verdicts.values() if bus_bw is not None), default=0)
        return [
            {"Host": name, "Score": round(MAX_SCORE * (verdicts.get(name, (None,))[0] or 0) / best) if best else 0}
            for name in question.nodes
        ]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds without a byte from the scheduler

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status >= 400:
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(
            *(
                (200, {"status": "ok"})
                if self.path == "/healthz"
                else (404, {"error": "there is /filter, /prioritize and /healthz"})
            )
        )

    def do_POST(self):
        verbs = {"/filter": self.server.extender.filter, "/prioritize": self.server.extender.prioritize}
        length = self.headers.get("Content-Length", "")
        if self.path not in verbs:
            return self.answer(404, {"error": "there is /filter, /prioritize and /healthz"})
        if not length.isascii() or not length.isdigit():
            return self.answer(411, {"error": "Content-Length is missing"})
        if len(length) > 9 or int(length) > MOST_BODY:
            return self.answer(413, {"error": f"more than {MOST_BODY} bytes"})
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            return None
        try:
            return self.answer(200, verbs[self.path](Question(body, self.server.extender.options.resource)))
        except Refused as error:
            return self.answer(400, {"error": str(error)})
        except Exception as error:  # noqa: BLE001: the scheduler gets an answer whatever happens
            print(f"orrery-extender: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            return self.answer(500, {"error": "internal error"})

    def log_message(self, format, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


def read_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listen", default="127.0.0.1:8888", help="ADDRESS:PORT (default: %(default)s)")
    parser.add_argument("--orrery", default="http://127.0.0.1:8080", help="URL of the service (default: %(default)s)")
    parser.add_argument("--token-file", help="its first line is the token of Orrery's service")
    parser.add_argument("--ca-file", help="certificates (PEM) that are trusted in place of the system's")
    parser.add_argument(
        "--resource",
        default="nvidia.com/gpu",
        help="the resource whose count is the number of GPUs (default: %(default)s)",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=3,
        help="seconds for all questions of one call; below httpTimeout of the scheduler (default: %(default)s)",
    )
    parser.add_argument(
        "--fail",
        choices=["open", "closed"],
        default="open",
        help="open: a node about which Orrery cannot be asked passes, with score 0; closed: it is filtered out "
        "(default: %(default)s)",
    )
    parser.add_argument("--parallel", type=int, default=16, help="questions to Orrery at once (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = read_options(arguments)
    address, _, port = options.listen.rpartition(":")
    token = pathlib.Path(options.token_file).read_text().splitlines()[0].strip() if options.token_file else None
    context = ssl.create_default_context(cafile=options.ca_file) if options.orrery.startswith("https:") else None
    server = Server((address.strip("[]"), int(port)), Handler)
    server.extender = Extender(Orrery(options.orrery, token, context), options)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"orrery-extender: listening on {server.server_address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    server.extender.pool.shutdown(wait=False, cancel_futures=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
