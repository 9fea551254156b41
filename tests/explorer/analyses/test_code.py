"""Tokens against code, whose leaves and names are found again by Python's own tokenizer."""

from __future__ import annotations

import io
import json
import keyword
import tokenize
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from typer.testing import CliRunner
from windows import Host, show_page

import tokenarium_core as tc
from tokenarium.analyses.code import CODE
from tokenarium.commands.cli import app
from tokenarium.models.compare import code_parts
from tokenarium.models.compare.code_parts import KINDS, CodeParts, parse_code, word_gaps
from tokenarium.models.compare.code_scores import score_code
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.views.analysis_page import page_of

pytest.importorskip("tree_sitter")

# Without strings, whose leaves tree-sitter divides, and without operators of several words.
PYTHON = """
def get_userName(max_entries, größe=1_000):
    # a comment is no leaf
    ünicode_name2 = max_entries + größe * 3.5
    if ünicode_name2 >= HTTPServerError:

        return [getHTTPResponse(x) for x in range(größe)]
\twith_tab = None
    while True:
        pass
""".replace("\twith_tab", "    with_tab").replace("\n\n", "\n    \n")
NAMES = ["tokenarium-8k", "bpe-gpt2-8k", "unigram-8k", "wordpiece-8k", "superbpe-8k"]


def parsed(text: str, language: str = "python") -> CodeParts:
    parts = CodeParts(text.encode())
    list(parse_code(parts.utf8, language, parts))
    return parts


def leaves(text: str) -> list[tuple[str, str]]:
    """Returns the leaves of a program with their kinds, by Python's tokenizer."""
    found = []
    for one in tokenize.generate_tokens(io.StringIO(text).readline):
        if one.type == tokenize.NAME:
            constant = one.string in ("None", "True", "False")
            kind = "Keywords" if keyword.iskeyword(one.string) and not constant else "Identifiers"
            found.append((one.string, "Literals" if constant else kind))
        elif one.type == tokenize.NUMBER:
            found.append((one.string, "Literals"))
        elif one.type == tokenize.OP:
            found.append((one.string, "Punctuation"))
    return found


def test_the_leaves_are_those_of_python() -> None:
    parts = parsed(PYTHON)
    places = zip(parts.starts.tolist(), parts.ends.tolist(), parts.kinds.tolist(), strict=True)
    assert [(parts.utf8[start:end].decode(), KINDS[kind]) for start, end, kind in places] == leaves(PYTHON)  # fmt: skip
    assert parts.errors == 0


def naive(tokenizer: tc.Tokenizer) -> dict[str, float]:
    """Returns the figures, character by character."""
    utf8 = PYTHON.encode()
    flat = list(tokenizer.encode(PYTHON).spans)
    spans = [(a, b) for a, b in zip(flat[::2], flat[1::2], strict=True) if a < b]
    begins = {a for a, _ in spans} | {a + 1 for a, _ in spans if utf8[a] == 32}
    bounds = {a for a, _ in spans} | {b for _, b in spans}
    at, aligned, touching, whole, inner, right, met, found = 0, 0, 0, 0, 0, 0, 0, 0
    names = 0
    plain = PYTHON.replace("a comment is no leaf", "_" * 20).encode()
    for leaf, kind in leaves(PYTHON):
        start = plain.index(leaf.encode(), at)
        end = at = start + len(leaf.encode())
        aligned += start in begins and end in bounds
        if kind != "Identifiers":
            continue
        names += 1
        tokens = sum(a < end and b > start for a, b in spans)
        touching += tokens
        whole += tokens == 1
        places = set(range(start + 1, end)) & bounds
        words = WORDS.get(leaf, [leaf])
        place, ranges = start, []
        for one, other in pairwise(words):
            low = utf8.index(one.encode(), place) + len(one.encode())
            place = utf8.index(other.encode(), low)
            ranges.append(range(low, place + 1))
        inner += len(places)
        right += sum(any(spot in some for some in ranges) for spot in places)
        met += len(ranges)
        found += sum(any(spot in places for spot in some) for some in ranges)
    indented = touched = line_start = 0
    for line in utf8.splitlines(keepends=True):
        width = len(line) - len(line.lstrip(b" "))
        if width and line.strip():
            indented += 1
            touched += sum(a < line_start + width and b > line_start for a, b in spans)
        line_start += len(line)
    return {
        "leaves_aligned": aligned / len(leaves(PYTHON)),
        "identifiers_whole": whole / names,
        "tokens_per_identifier": touching / names,
        "word_precision": right / inner,
        "word_recall": found / met,
        "word_f1": 2 * right / inner * found / met / (right / inner + found / met),
        "tokens_per_indentation": touched / indented,
    }


WORDS = {
    "get_userName": ["get", "user", "Name"],
    "max_entries": ["max", "entries"],
    "ünicode_name2": ["ünicode", "name", "2"],
    "HTTPServerError": ["HTTP", "Server", "Error"],
    "getHTTPResponse": ["get", "HTTP", "Response"],
    "with_tab": ["with", "tab"],
}


@pytest.mark.parametrize("name", NAMES)
def test_the_figures_are_those_of_the_definitions(name: str) -> None:
    tokenizer = tc.open(shipped_path(name))
    answer = CODE.run({"t": tokenizer}, PYTHON, language="python")
    (row,) = CODE.table(answer.inputs, answer.result).values()
    assert row == pytest.approx(naive(tokenizer))


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("x", ["x"]),
        ("__init__", ["init"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("camelCase", ["camel", "Case"]),
        ("HTTPServer", ["HTTP", "Server"]),
        ("MAX_SIZE", ["MAX", "SIZE"]),
        ("utf8Name", ["utf", "8", "Name"]),
        ("größeÄndern", ["größe", "Ändern"]),
        ("变量_名", ["变量", "名"]),
        ("$_", []),
    ],
)
def test_the_words_of_identifiers(identifier: str, words: list[str]) -> None:
    utf8, place, wanted = identifier.encode(), 0, []
    for one, other in pairwise(words):
        low = utf8.index(one.encode(), place) + len(one.encode())
        place = utf8.index(other.encode(), low)
        wanted.append((low, place))
    assert list(word_gaps(utf8)) == wanted


@pytest.mark.parametrize(
    ("language", "text", "identifiers", "keywords"),
    [
        ("javascript", "const aB = (x) => { return this.aB + `a${x}`; };", "aB x aB x", "const return this"),
        ("typescript", "interface Point { x: number; }\nlet p: Point;", "Point x p Point", "interface number let"),
        ("java", "class A { int b() { return this.c; } } // no", "A b c", "class int return this"),
        ("c", "static int add(int *a) { return *a; } /* no */", "add a a", "static int int return"),
        ("cpp", "template <typename T> class V { T x; };", "T V T x", "template typename class"),
        ("go", "package main\nfunc f(a int) string { return b }", "main f a int string b", "package func return"),
        ("rust", "fn f(mut a: u8) -> S { self.b }", "f a S b", "fn mut u8 self"),
    ],
)  # fmt: skip
def test_each_language(language: str, text: str, identifiers: str, keywords: str) -> None:
    parts = parsed(text, "automatic")
    assert parts.language == language
    assert parts.errors == 0
    for kind, wanted in (("Identifiers", identifiers), ("Keywords", keywords)):
        chosen = parts.kinds == KINDS.index(kind)
        places = zip(parts.starts[chosen].tolist(), parts.ends[chosen].tolist(), strict=True)
        assert " ".join(text[start:end] for start, end in places) == wanted


def test_white_space_is_no_leaf() -> None:
    text = "x = ' '\n\n"
    parts = parsed(text)
    places = zip(parts.starts.tolist(), parts.ends.tolist(), strict=True)
    assert [text[start:end] for start, end in places] == ["x", "=", "'", "'"]


def test_empty_tokens_do_not_count() -> None:
    parts = parsed("ab")
    spans = np.array([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)], np.int32)
    scores = score_code(spans, parts)
    assert (scores.identifier_tokens, scores.inner, scores.alignment) == (2, 1, 1.0)


def test_errors_are_counted_and_said() -> None:
    answer = CODE.run({"t": tc.open(shipped_path("tokenarium-8k"))}, "x = = )\ny = 1\n", language="python")  # fmt: skip
    assert answer.result.parts.errors > 0  # type: ignore[attr-defined]
    assert "not valid Python" in "\n".join(CODE.remarks(answer.inputs, answer.result))


@pytest.mark.parametrize(("text", "language", "why"), [("x", "cobol", "no language cobol"), (" \n", "python", "no code"), ("# only\n", "python", "no code")])  # fmt: skip
def test_what_is_refused(text: str, language: str, why: str) -> None:
    with pytest.raises(tc.ArgumentError, match=why):
        CODE.run({"t": tc.open(shipped_path("tokenarium-8k"))}, text, language=language)


def test_without_grammars_the_sentence_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(code_parts, "find_spec", lambda _: None)
    with pytest.raises(tc.NotAvailable, match=r'pip install "tokenarium\[code\]"'):
        CODE.run({"t": tc.open(shipped_path("tokenarium-8k"))}, PYTHON)


def test_the_work_is_in_slices() -> None:
    parts = CodeParts(PYTHON.encode() * 2_000)
    assert len(list(parse_code(parts.utf8, "python", parts))) > 2


def test_the_command_writes_json(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PYTHON, encoding="utf-8")
    line = ["code", NAMES[0], "--with", NAMES[1], "--file", str(path)]
    answer = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    assert (answer["language"], answer["leaves"]) == ("python", len(leaves(PYTHON)))
    for name, row in zip(NAMES[:2], answer["tokenizers"], strict=True):
        wanted = naive(tc.open(shipped_path(name)))
        assert {key: row[key] for key in wanted} == pytest.approx(wanted)
    assert "Rust: " in CliRunner().invoke(app, [*line, "--language", "rust"]).stdout


def test_the_page_follows_its_control(host: Host, qtbot: QtBot) -> None:
    host.session.set_text(PYTHON)
    page: Any = show_page(host, "compare", "code", page_of("code"))
    qtbot.waitUntil(lambda: not page.busy and page.answered)
    assert page.result.parts.language == "python"
    box = page.controls["language"].widget
    box.setCurrentIndex(box.findData("go"))
    qtbot.waitUntil(lambda: not page.busy and page.result.parts.language == "go")
    assert "not valid Go" in page.parts["note"].text()
