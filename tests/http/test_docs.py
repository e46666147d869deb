# SPDX-License-Identifier: Apache-2.0
"""The documentation that the service shows below /docs/: every Markdown file of docs is a page, and every link and
picture leads somewhere."""
import html.parser
import re
import urllib.parse

import pytest

from conftest import ROOT, Server

ROWS = [
    line.split("\t") for line in (ROOT / "docs/site/pages.txt").read_text().splitlines() if not line.startswith("#")
]


def address(file):
    return re.sub(r"\.md$", ".html", re.sub(r"README\.md$", "index.md", file.removeprefix("docs/")))


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.pictures, self.title = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if tag in ("a", "link") and "href" in values:
            self.links.append(values["href"])
        if tag in ("img", "script") and "src" in values:
            self.pictures.append(values["src"])

    def handle_data(self, data):
        self.title = self.title or data.strip() or None


@pytest.fixture(scope="module")
def docs():
    running = Server("--database", ":memory:", "--static", str(ROOT / "static"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def pages(docs):
    found = {}
    for file, _ in ROWS:
        answer, data = docs.ask("GET", f"/docs/{address(file)}")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8"), file
        found[address(file)] = Page(data.decode())
    return found


def test_every_markdown_file_of_docs_is_a_page():
    assert sorted(file for file, _ in ROWS) == sorted(
        ["README.md", *(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
    )


def test_every_link_and_anchor_leads_somewhere(docs, pages):
    wrong, others = [], set()
    for where, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), where
        for link in [*page.links, *page.pictures]:
            parts = urllib.parse.urlsplit(urllib.parse.urljoin(f"http://x/docs/{where}", link))
            if parts.netloc != "x":
                assert link in page.links, f"{where} loads {link} from elsewhere"
                continue
            name = parts.path.removeprefix("/docs/")
            if name in pages:
                if parts.fragment and parts.fragment not in pages[name].ids:
                    wrong.append(f"{where}: {link}")
            else:
                others.add(parts.path)
    assert not wrong
    statuses = {path: docs.ask("GET", path)[0].status for path in others}
    assert {path: status for path, status in statuses.items() if status != 200} == {}


def test_every_finding_has_its_anchor(pages):
    ids = re.findall(r"^### ([a-z0-9-]+)$", (ROOT / "docs/findings.md").read_text(), re.M)
    assert len(ids) > 80 and set(ids) <= set(pages["findings.html"].ids)


def test_the_folder_of_the_documentation_is_in_the_address(docs):
    answer, _ = docs.ask("GET", "/docs")
    assert (answer.status, answer.headers["Location"]) == (308, "docs/")
    for folder in ("/docs/", "/docs/nccl/"):
        assert docs.ask("GET", folder)[1] == docs.ask("GET", f"{folder}index.html")[1]


@pytest.mark.parametrize(
    "path",
    [
        "/docs/none.html",
        "/docs/../api/openapi.yaml",
        "/docs//",
        "/docs/.git/",
        "/docs/guides",
        "/docs/" + "a" * 300 + "/",
    ],
)
def test_what_is_no_page_is_not_found(docs, path):
    assert docs.ask("GET", path)[0].status == 404
