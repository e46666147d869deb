#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for sentences that were thought in another language, in every text of the repository that people read.

The rows of PATTERNS are habits, not words: each has a hint how a fluent writer would say it. ACCEPTED lists what a
pattern finds although it is right, with the reason. Strings, documentation, openapi.yaml, comments, docstrings, scripts
and kept answers are all read.

    check_english.py            prints each hit as FILE:LINE: "words": hint, and ends with 1 if there is one
    check_english.py FILE...    the same for these files alone
    check_english.py --bites    checks that each pattern finds its example and leaves its near miss, and that no
                                sentence that was rewritten came back
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

START = r"(?:^|(?<=[.!?;:(] )|(?<=\n))"  # of a sentence or a clause
# Pattern, hint, an example that it finds, a near miss that it leaves. Patterns with a capital at the start of a
# sentence are written with START; case counts nowhere else.
PATTERNS = [
    (
        r"(?<!there )(?<!There )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|better\b|worse\b|different\b"
        r"|larger\b|smaller\b|slower\b|faster\b|later\b|doubt\b|further\b|wider\b|higher\b|deeper\b)[A-Za-z\"]",
        'write "is not a ..." or "is not valid ..."',
        "the host name is no UTF-8",
        "there is no NIC; it is no longer used",
    ),
    (
        r"(?<!there )(?<!There )\b(?:is|are) none\b(?! of)",
        'write "there is no ..." with the noun',
        "a dump of what is none yet",
        "it is none of these",
    ),
    (
        r"\b(?:of|by|into|from|like|as) what (?:is|are|was|were) (?:no|not|none|shown|said|left|asked|posted"
        r"|taken|given|gone|made|learned|"
        r"released|called|alike|found|wanted|recognised|changed)\b|\b(?:of|by|into|from|like|as) what (?:may"
        r"|cannot|does|no)\b|\b(?:of|by) what "
        r"(?:it|they) (?:is|are|costs?|changes?|asks?|does|do)\b",
        "name the thing: a relative clause needs a noun",
        "ETags of what may not be changed",
        "for what kind of machine",
    ),
    (
        START + r"(?:Who|Whoever|What (?:is (?:no|not)|cannot|may|must|no|does not|most|costs|follows|differs|goes"
        r"|came|comes|remains)) "
        r"[^?.!:\n]{3,90}[a-z)] (?:is|are|was|were|counts?|goes|comes|stays?|has|gets?|needs?) [^?\n]{2,}?\.(?:\s|$)",
        "begin with the noun: who or what is it?",
        "What is no such text is as fast as can be.",
        "What does NCCL do on this machine?",
    ),
    (
        r"(?<!lag )(?<!lags )(?<!fall )(?<!falls )(?<!hide )(?<!hidden )(?<!engines )(?<!and )(?<!reasons )"
        r"(?<!assumption )(?<!assumptions )\bbehind (?!(?:a|an|the|its|one|several|another|each|such a|both|that"
        r"|this|every|two|some)? ?(?:same |reverse |own )?"
        r"(?:proxy|proxies|switch|switches|bridge|bridges|PCI|PCIe|NVSwitch|firewall|NAT|load balancer|nginx"
        r"|it all|CPUs?|sockets?|"
        r"root|port|ports|host bridge)\b)",
        'write "after" for an order of things, "below" for PCIe',
        "a value is missing behind --x",
        "behind a proxy",
    ),
    (
        r"(?:\b(?:NULL|null|empty|absent|false|true|negative|none|SETTING|LIMIT|INVALID|UNSUPPORTED|NOT_FOUND"
        r"|[-–]?\b[01])(?:\)|`)?) where\b",
        'write "if" or "when"',
        "0 where that is not known",
        "a folder where the page lies",
    ),
    (
        r"(?<!say )(?<!says )(?<!show )(?<!shows )(?<!shown )(?<!know )(?<!knows )(?<!from )(?<!exactly )"
        r"(?<!and )(?<!find )(?<!finds )(?<!of )"
        r"(?<!to )\bwhere (?:it|there|that|they|this|these|none|nothing|no \w+|neither|either|both|not|all|some|one) "
        r"(?:is|are|was|were|has|have|had|does|do|can|cannot|may|must|knows?|says?|fits?|needs?|would|gives?|names?)\b",
        'write "if" or "when"',
        "nearest where that is asked for",
        "a map that shows where each GPU is",
    ),
    (
        r"(?<=[.!?;:(] )Where (?!does\b|do\b|is\b|are\b|to\b|it \w+ from)[^?\n]{3,}?, ",
        'write "If" or "When"',
        "It reads a dump. Where NCCL would ask, Orrery assumes.",
        "Where the store is, without a password.",
    ),
    (
        r"\bso (?:many|much|few)\b(?! (?:that|as)\b)|\bthat many\b",
        'write "this many", "N" or "as many as"',
        "keep so many dumps at most",
        "so many that none is left",
    ),
    (
        r"\b(?:which|as|that) is so\b|\bis so for\b|\bit is so(?=[.,;:])",
        'write "always" or name the case',
        "null, which is so for one GPU",
        "it is so slow",
    ),
    (
        r"\b(?:is|are|was|were|be|being) taken (?:for|to|as)\b(?! (?:an? )?(?:argument|example))|\btakes? (?:it"
        r"|them|that|this) for\b",
        'write "assumed to be", "read as" or "Orrery assumes"',
        "CPUs are taken for Intel Sapphire Rapids",
        "the time is taken into account",
    ),
    (
        START + r"Of (?!course\b)(?:what|which|whom|the|a|an|two|three|several|equal|equally|these|those|each|all"
        r"|both|text|hosts|sets|[A-Z`])[^.\n]{2,}?,",
        "put the subject first",
        "Of equally fast sets, the first is taken.",
        "Of course, it works.",
    ),
    (
        r"\b(?:is|are|was|were) to be (?!found\b)\w+|\bis to (?:say|stay|have|come|go)\b",
        'write "must", "should" or "will"',
        "what is to be changed",
        "it is due to be sent",
    ),
    (
        r"(?<!even )\bif only (?:that|to|by|for)\b",
        'write "even if only to ..."',
        "if only that there is no answer",
        "even if only to say",
    ),
    (
        r"\b(?:stands?|stood) (?:there|in (?!for)|at|on|behind|before|below|above|beside|under|between|with|alone)\b",
        'write "is"; a text "is in" a file',
        "as it stands in the file",
        "it stands for a host; stand-in",
    ),
    (
        r"(?<!reach )(?<!way )(?<!path )(?<!looking )\b(?:along|aside)(?=[.;)])",
        "put the particle next to its verb",
        "takes its lines along.",
        "along the path.",
    ),
    (
        r"\bwants? (?!to\b)(?:a|an|the|from|two|one|no|NAME|\d+|more|at least)\b|\bis wanted\b|\bare wanted\b",
        'programs "need", people want',
        "--set wants a value",
        "if the user wants to",
    ),
    (
        r"\bgo(?:es)? by (?:the|its|a|their|that)\b",
        'write "follows", "depends on" or "is named after"',
        "the rule goes by the release",
        "days go by",
    ),
    (
        r"\b(?:held|holds?|hold) (?:\w+ )?(?:against|beside)\b",
        'write "compared with"',
        "texts held against files",
        "hold the door",
    ),
    (r"\bno such thing\b|\bsuch (?:that|as) (?:is|are)\b", "name the thing", "There is no such thing", "such as ring"),
    (
        r"\b(?:is|are|was|were|be) not there\b|\b(?:if|where|when) (?:it|that|they) (?:is|are) there\b",
        'write "is missing", "exists" or "if there is one"',
        "skipped where it is not there",
        "there is no file",
    ),
    (r"\bas (?:do|does|did) (?!not\b)", 'write "like" and the noun', "it ends, as do its lines", "as it does not"),
    (
        r"(?<![\w.:'\"])(?:NULL|None|false|true|-1): "
        r"(?:none|unknown|not known|not given|out of memory|it|there|no|any|all)\b",
        'write "NULL if ..." or "-1 means ..."',
        "the NIC; NULL: none",
        "false if there is none; GPU 0: no NIC",
    ),
    (
        r"(?:; |^|\. |, )(?:null|undefined|NULL|\"\"): (?=[a-z])",
        'write "null if ..." or """ for ..."',
        'the name of the file; "": none',
        'nodes: [{id: "", rank: null}]',
    ),
    (r"\bspeaks? of\b", 'write "mentions" or "is about"', "the text speaks of a hang", "it speaks HTTP"),
    (r"\bsa(?:y|ys|id) of (?!which)", 'write "about"', "what the log says of them", "it says of which release it is"),
    (
        r"(?<=[.;] )[Bb]efore, (?!before_id)",
        'write "until then" or "in earlier releases"',
        "2.30.7 has a rule; before, there was none.",
        "Before the answer, it waits.",
    ),
    (
        r"\bfor want of\b|\bin want of\b",
        'write "for lack of", or say what is missing',
        "fails for want of memory",
        "if you want",
    ),
    (
        r"\b(?:the|those|these|a) ones?\b(?= (?:of|is|are|has|that|which) (?:which|whom|what))",
        "repeat the noun",
        "the ones of which",
        "the one that is best",
    ),
    (
        r"\bby that\b(?=[,.;]| the| it| is)",
        'write "therefore" or "so"',
        "links it, and by that the rooms below",
        "by that time",
    ),
    (
        r"\b(?:it|they|that|this) (?:is|are) said\b|\bis (?:told|asked) (?:why|what|how)\b"
        r"|\bnothing else is said\b|\bunless (?:it )?is said\b",
        "say who says or asks it",
        "What is asked why",
        "she said so",
    ),
    (
        r"\b(?:goes|go|come|comes|put|puts|gives?) (?:round|about)\b|\bround the (?:host|rank|ring|path)s?\b",
        'write "around", "alternate" or "in turn"',
        "ranks go round the hosts",
        "goes around",
    ),
    (
        r"\b(?:forgets?|forgot|forgotten)\b(?! to\b)",
        'write "remove" or "delete"',
        "forget this host",
        "do not forget to save",
    ),
    (
        r"\btakes? away\b|\bleaves? away\b|\blet(?:s)? away\b",
        'write "removes" or "omits"',
        "takes away a link",
        "far away",
    ),
]
PATTERNS = [(re.compile(pattern), hint, example, miss) for pattern, hint, example, miss in PATTERNS]
ATTRIBUTE = re.compile(r"\b(Gdr|Busid|Guid|Numaid|Link_width|Link_speed|Maxconn|Familyid|Modelid|Tclass|Coll|Keep)=")
ONE = re.compile(
    r"(?<![\d.,/–-])(?<![-+] )\b1 "
    r"(links|NICs|GPUs|hosts|channels|ranks|ports|findings|sockets|switches|nodes|errors|warnings|facts|lines|bytes)\b"
)
# The verbs with which summaries of openapi.yaml's operations begin.
IMPERATIVES = (
    "Analyse|Anonymise|Change|Check|Choose|Compare|Convert|Delete|Detect|Download|Draw|Explain|Export|Find|Get|List"
    "|Make|Predict|Store|Stream"
)
MOST_WORDS = 45  # of a sentence that users read: nobody follows a longer one

# Correct text that a pattern finds all the same: file, words around it, reason.
ACCEPTED = [
    ("tests/tools/check_english.py", r".", "the patterns themselves, with their examples"),
    ("docs/nccl/release-table.md", r".", "generated from engine/release, which is checked"),
    (".*", r"taken as an? ", "an argument is taken as a name"),
    (".*", r"takes (?:it|this|them) for ", "NCCL mistakes one thing for another"),
    ("engine/detect/surroundings.c", r"GPUs are behind /dev", "the device file is in front of them"),
    ("engine/log_messages/messages_job.c", r"lags behind|is behind \(", "a rank is slower than the others"),
    ("engine/place/scores.c", r"where it would be", "a place in a table"),
    ("engine/perf/README.md", r"goes by the CPU's root port", "the route of data"),
    ("engine/input/read_topology.c", r"behind one another|after one another", "files in one text"),
    (
        "static/.*",
        r"where it is farthest|pointer -> where it is|stays where it is|where this is, what",
        "a place on the page",
    ),
    ("docs/findings.md", r".", "generated from engine/findings, which is checked"),
    ("docs/developing/sentences.md", r".", "it shows sentences before they were rewritten"),
    ("docs/reference/.*", r".", "generated from openapi.yaml and the tables of options, which are checked"),
    (r"tests/golden/.*(?<!\.py)", r".", "kept answers, generated from strings that are checked"),
]
SENTENCES = "docs/developing/sentences.md"
# Files that another change rewrites at the moment, by the beginning of their names; empty when it has landed.
REWRITTEN = ()


def comments_and_strings_of_c(text):
    """(line, words, is a string): adjacent literals are one, a block of // lines too."""
    literal = r'"(?:[^"\\\n]|\\.)*"'
    pattern = rf"(/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)|'(?:[^'\\]|\\.)+'|({literal}(?:\s*{literal})*)"
    for found in re.finditer(pattern, text, re.S):
        line = text.count("\n", 0, found.start()) + 1
        if found[1]:
            yield line, re.sub(r"\n\s*(?:\*(?!/) ?|// ?)?", " ", re.sub(r"\n\s*\*\n", "\n\n", found[1])).strip(
                "/* "
            ), False
        elif found[2]:
            joined = "".join(part[1:-1] for part in re.findall(literal, found[2]))
            yield line, joined.replace("\\n", "\n").replace('\\"', '"'), True


def comments_and_strings_of_js(text):
    pattern = r"(/\*.*?\*/|(?<![:\w\"'])//[^\n]*(?:\n[ \t]*//[^\n]*)*)|(\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
    for found in re.finditer(pattern, text, re.S):
        line = text.count("\n", 0, found.start()) + 1
        if found[1]:
            yield line, re.sub(r"\n\s*(?:\*(?!/) ?|// ?)?", " ", found[1]).strip("/* "), False
        elif found[2]:
            yield line, re.sub(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "X", found[2][1:-1]), True


def comments_of_scripts(text):
    """Blocks of # lines of shell, CMake, Python, Dockerfiles and YAML, and the docstrings and strings of Python."""
    pattern = r'(?:^|(?<=\s))#(?!!)[^\n]*(?:\n[ \t]*#(?!!)[^\n]*)*|"""(.*?)"""|"([^"\\\n]{24,})"'
    for found in re.finditer(pattern, text, re.S | re.M):
        line = text.count("\n", 0, found.start()) + 1
        words = found[1] or found[2] or re.sub(r"\n[ \t]*# ?", " ", found[0].lstrip("# "))
        yield line, words, False


def paragraphs_of_markdown(text):
    """(line, words) of paragraphs, items and cells of tables, without blocks of code; spans of code are X."""
    start, block, code = 1, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.startswith("```")
        if fence or code or not line.strip() or line.startswith(("    ", "|", "#", "- ", "* ")):
            if block:
                yield start, " ".join(block)
            block, code = [], code != fence
            if not (fence or code) and line.startswith("|"):
                yield from ((number, cell.strip()) for cell in line.split("|"))
            elif not (fence or code) and line.startswith(("#", "- ", "* ")):
                start, block = number, [line.lstrip("#-* ")]
        else:
            start = start if block else number
            block.append(line.strip())


def texts_of(path):
    """(line, words, whether users read it)"""
    text, suffix = path.read_text(errors="replace"), path.suffix
    room = path.relative_to(ROOT).parts[0]
    if suffix in (".c", ".h", ".def"):
        if not path.name.startswith("store_sql"):
            for line, words, string in comments_and_strings_of_c(text):
                if words.count(" ") > 1:
                    yield line, words, string and room != "tests"
    elif suffix in (".js", ".mjs", ".css"):
        for line, words, string in comments_and_strings_of_js(text):
            if words.count(" ") > 1:
                yield line, words, string and room == "static"
    elif suffix == ".md":
        for line, words in paragraphs_of_markdown(text):
            words = re.sub(r"`[^`]*`", "X", re.sub(r"\]\([^)]*\)", "]", words))
            yield line, words, room in ("docs", "README.md")
    elif suffix == ".html":
        for found in re.finditer(r">([^<>]+)<", text):
            yield text.count("\n", 0, found.start()) + 1, found[1], True
    elif path.name == "openapi.yaml":
        yield from descriptions_of_yaml(text)
    elif suffix in (".txt", ".csv") and room == "tests":
        yield from ((number, line, False) for number, line in enumerate(text.splitlines(), 1))
    elif suffix not in (".xml", ".html"):
        yield from comments_of_scripts(text)


def descriptions_of_yaml(text):
    """Every summary, description and title: plain, quoted, and block scalars, and those in {braces}."""
    pattern = (
        r"^( *)(?:- )?(?:description|summary|title): *(?:[|>][-+]?\n((?:\1 +[^\n]*\n|\n)+)"
        r"|([^\n]+(?:\n\1  +[^\n:]+$)*))"
    )
    for found in re.finditer(pattern, text, re.M):
        words = " ".join((found[2] or found[3]).split()).strip("\"'")
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"`[^`]*`", "X", words), True
    for found in re.finditer(r"[{,] (?:description|summary|title): (?:'((?:[^'\n]|'')+)'|([^',}\n][^,}\n]*))", text):
        words = (found[1] or found[2]).replace("''", "'")
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"`[^`]*`", "X", words), True


def files():
    listed = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Dockerfile", "dev"]
    yield from (ROOT / name for name in [*listed, "CMakeLists.txt", "static/index.html"])
    patterns = (
        "*.[ch]",
        "*.def",
        "*.js",
        "*.mjs",
        "*.css",
        "*.md",
        "*.py",
        "*.sh",
        "*.cmake",
        "CMakeLists.txt",
        "*.awk",
        "*.y*ml",
        "*.conf",
        "*.service*",
        "*.timer",
    )
    for room in (
        ".github",
        "api",
        "bindings",
        "cli",
        "cmake",
        "docs",
        "engine",
        "examples",
        "include",
        "library",
        "server",
        "static",
        "tests",
        "tools",
    ):
        for pattern in patterns:
            for path in sorted((ROOT / room).rglob(pattern)):
                if not {"node_modules", "vendor", "expected"} & set(path.parts):
                    yield path
    yield from (path for path in sorted((ROOT / "tools/commands").glob("*")) if path.is_file() and not path.suffix)
    yield from sorted(path for path in (ROOT / "tests/golden").rglob("*.txt") if path.parent.name != "expected")


LIST = re.compile(r"\w\|[^|&]+\|[^&]+&")  # words that engine/symptoms looks for: "a|b|c&d"


def hits_of(words, user):
    """(where in the words, the words that are wrong, hint)"""
    for pattern, hint, _, _ in PATTERNS:
        for found in pattern.finditer(words):
            yield found.start(), found[0], hint
    for found in ATTRIBUTE.finditer(words):
        yield found.start(), found[0], "attributes are never capitalised"
    for found in ONE.finditer(words):
        yield found.start(), found[0], "one is singular"
    if user:
        for sentence in re.split(r"(?<=[.!?:;])\s+|\n\s*\n|\n(?=  )", words):
            count = len(re.findall(r"[A-Za-z][\w'’-]*", sentence))
            if count > MOST_WORDS and not LIST.search(sentence):
                yield 0, sentence[:60], f"{count} words in one sentence"


def summaries_of(text):
    """(line, summary) of operations that do not begin with an imperative."""
    for found in re.finditer(rf"^      summary: (?!'?(?:{IMPERATIVES})\b)(.*)", text, re.M):
        yield text.count("\n", 0, found.start()) + 1, found[1]


def is_accepted(name, words, at, found):
    around = words[max(0, at - 40) : at + len(found) + 40]
    return any(re.fullmatch(file, name) and re.search(right, around) for file, right, _ in ACCEPTED)


def check_sentences():
    """No sentence of the left column of docs/developing/sentences.md is back in its file."""
    rows = re.findall(r"^\| (\S+/?\S*) \| (.+) \| .+ \|$", (ROOT / SENTENCES).read_text(), re.M)[1:]
    assert len(rows) >= 100, f"{SENTENCES} has only {len(rows)} rows"
    for name, before in rows:
        there = " ".join(re.sub(r'"\s*\n\s*"', "", (ROOT / name).read_text()).split())
        longest = max(before.replace("\\|", "|").split("…"), key=len).strip()
        assert longest not in there, f"{name} has again: {longest}"
    return len(rows)


def check_itself():
    """Each pattern finds its example and leaves its near miss."""
    for pattern, _, example, miss in PATTERNS:
        assert pattern.search(example), f"{pattern.pattern} does not find {example!r}"
        assert not pattern.search(miss), f"{pattern.pattern} finds {miss!r}"
    assert list(hits_of('Gdr="0" of a NIC', True)) and list(hits_of("a pair with 1 links", True))
    assert not list(hits_of('gdr="0" of a NIC with 1 link, or 11 links', True))
    assert list(hits_of("word " * 46 + ".", True)) and not list(hits_of("word " * 46 + ".", False))
    found = list(comments_and_strings_of_c('/* "not\n * this" */ puts("a b" /* c */ "d");'))
    assert found[0] == (1, '"not this"', False) and found[1][1] == "a b", found
    assert [words for _, words, _ in comments_of_scripts('x = 1  # is no\n# file\n"""so\nmany"""')] == [
        "is no file",
        "so\nmany",
    ]
    assert [
        words
        for _, words, _ in descriptions_of_yaml(
            "a:\n  description: >\n    so\n    many\n  summary: x y\nb: {type: string, description: 'it''s, so'}\n"
        )
    ] == ["so many", "x y", "it's, so"]
    assert list(paragraphs_of_markdown("a\nb\n\n    code\n\n| c | d |\n"))[0] == (1, "a b")
    operation = "    get:\n      summary: %s\n      description: The dumps\n"
    assert not list(summaries_of(operation % "List the dumps")) and list(summaries_of(operation % "Lists the dumps"))
    files_of = {path.suffix or path.name for path in files()}
    assert {".c", ".h", ".js", ".py", ".md", ".cmake", ".yaml", ".conf", ".in", "dev", "Dockerfile"} <= files_of


def main():
    if "--bites" in sys.argv:
        check_itself()
        print(f"{len(PATTERNS)} patterns bite, {check_sentences()} rewritten sentences stay away")
        return 0
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    hits, count = [], 0
    for path in named or files():
        name = str(path.relative_to(ROOT))
        if name.startswith(REWRITTEN):
            continue
        for line, words, user in texts_of(path):
            count += 1
            for at, found, hint in hits_of(words, user):
                if not is_accepted(name, words, at, found):
                    around = " ".join(words[max(0, at - 50) : at + len(found) + 50].split())
                    hits.append(
                        f'{name}:{line + words.count(chr(10), 0, at)}: "{found.strip()}": {hint}: ...{around}...'
                    )
        if path.name == "openapi.yaml":
            for line, words in summaries_of(path.read_text()):
                hits.append(f'{name}:{line}: "{words}": begin the summary with one of the verbs in IMPERATIVES')
    print("\n".join(hits))
    print(f"{count} texts, {len(hits)} hits")
    return 1 if hits or (not named and count < 25000) else 0


if __name__ == "__main__":
    sys.exit(main())
