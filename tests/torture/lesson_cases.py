"""What the attacks on lessons and handouts are made of: heads, steps, blocks, prose and expressions of strangers."""

from __future__ import annotations

import base64
import functools
import json
import os
import re
import struct
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

import zoo
from PySide6.QtWidgets import QApplication

import tokenarium_core as tc
from tokenarium.models.lessons.checking import shipped_tokenizer

TEXTS = [
    *(
        "",
        "a",
        " the",
        "Egg an Egg",
        "é",
        "e\u0301",
        "日本語",
        "👩\u200d🚀",
        "\u202e",
        "\x00",
        "<|endoftext|>",
    ),
    *('"', "'", "\\", "{{", "}}", "+++", "```", "## ", "]]>", "<b>", "&amp;", "javascript:x"),
]
PARTS = ["x", "ab", "the ", " ", "\n", "😀", "1", "é"]
TIMES = [0, 1, 7, 300, 2_000, 19_999, 20_000, 20_001, 10**9, -1]
NUMBERS = [
    *("0", "1", "2", "-1", "3", "100", "1000", "20000", "1e15", "1e-300", "1e999", "0.1", "10**9"),
    *("1000000000000000", "1000000000000001", "9" * 30, "9" * 5_000),
]
FUNCTIONS = [
    *("name", "kind", "size", "entries", "score", "ids", "count", "counted", "tokens", "piece"),
    *("fewest", "is_token", "decoded", "round_trip", "same_ids", "cuts", "same_cuts", "spellings"),
    *("letters", "special_count", "pre_tokens", "pre_token_cuts", "steps", "merges", "next_merge"),
    *("waiting", "learned", "tokens_after", "picky", "entries_for", "count_with", "characters"),
    *(
        "bytes",
        "hex",
        "reversed",
        "length",
        "item",
        "ratio",
        "percent",
        "rest",
        "joined",
        "nothing",
    ),
    *("value", "filled", "about", "run", "_of", "__init__"),
]
ODD = [
    *("-" * 1_000 + "1", "(" * 500 + "1" + ")" * 500, "[" * 500 + "]" * 500, "not " * 300 + "1"),
    *("1+" * 900 + "1", "lambda: 1", "text.upper()", "[x for x in text]", "f'{text}'", "text[0]"),
    *(
        "__import__('os')",
        "{1: 2}",
        "1 if 1 else 2",
        "*text",
        "b'a'",
        "...",
        "a := 1",
        "",
        " ",
        "\x00",
    ),
    *("f'" + "{" * 200 + "}" * 200 + "'", "'\\N{DIGIT ONE}'", "1_000", "0x10", "1j", "text" * 900),
]


def expression(chance: Random, depth: int = 3) -> str:
    """Returns an expression: mostly one of the language, with values that are too large or of another kind."""
    kind = chance.random()
    if depth == 0 or kind < 0.25:
        return chance.choice(
            [
                json.dumps(chance.choice(TEXTS), ensure_ascii=False),
                f"{json.dumps(chance.choice(PARTS), ensure_ascii=False)} * {chance.choice(TIMES)}",
                chance.choice(NUMBERS),
                "text",
                "selected",
            ]
        )
    inside = functools.partial(expression, chance, depth - 1)
    if kind < 0.75:
        given = ", ".join(inside() for _ in range(chance.choice([0, 1, 1, 1, 2, 2, 3])))
        return f"{chance.choice(FUNCTIONS)}({given})"
    if kind < 0.88:
        sign = chance.choice(
            ["+", "-", "*", "/", "==", "!=", "<", "<=", "in", "not in", "and", "**"]
        )
        return f"({inside()}) {sign} ({inside()})"
    if kind < 0.96:
        return f"[{', '.join(inside() for _ in range(chance.choice([0, 1, 3, 30])))}]"
    return chance.choice(ODD)


MARKS = [
    *(
        "[",
        "![",
        "*",
        "**a ",
        "`",
        "> ",
        "- ",
        "- a\n",
        "1. ",
        "# a\n",
        "<",
        "_a",
        "&",
        "|a",
        "a\n",
        "\n",
    ),
    *(
        "```\n",
        "~~~\n",
        "    ",
        "\t",
        "[a](b)",
        "![a](b)",
        "[a]: b\n",
        "a  \n",
        "---\n",
        "===\n",
        "\\",
        "{{",
    ),
]
PROSE = [
    *("![a](/dev/zero)", "![a](/dev/stdin)", "![a](pipe.png)", "![a](zero.png)", "![a](own.png)"),
    *("![a](../secret.png)", "![a](way/secret.png)", "![a](link.png)", "![a](%2e%2e/secret.png)"),
    *("![a](sub/../../secret.png)", "![a](large.png)", "![a](many.png)", "![a](text.png)"),
    *("![a](http://127.0.0.1:9/a.png)", "![a](//127.0.0.1:9/a.png)", "![a](file:///dev/zero)"),
    *(
        "![a](data:image/png;base64,AAAA)",
        "![a](qrc:/x)",
        "![a][b]\n\n[b]: /dev/zero\n",
        "![](<a\nb>)",
    ),
    *("<img src=/dev/zero>", "<img src='http://127.0.0.1:9/a.png'>", "<script>alert(1)</script>"),
    *(
        "<style>@import url(/dev/zero)</style>",
        "<iframe src=//x></iframe>",
        "<!-- ",
        "<a href='x'>",
    ),
    *(
        "[a](javascript:alert(1))",
        "[a](file:///etc/hosts)",
        "[a](&#106;avascript:x)",
        "<vscode://x>",
    ),
    *(
        '[a](https://example.org/"onclick=x)',
        "[![a](/dev/zero)](javascript:x)",
        "<https://example.org>",
    ),
    *('![a" onerror="x](own.png "b\\" onload=x")', "\x00", "\u202e", "{{ text }}", "{{ no end"),
]


def prose(chance: Random) -> str:
    """Returns Markdown, short or long, with what would be loaded, run or laid out for long."""
    parts = []
    for _ in range(chance.randrange(1, 8)):
        kind = chance.random()
        if kind < 0.55:
            parts.append(chance.choice(PROSE))
        elif kind < 0.7:
            parts.append("{{ " + expression(chance, 2) + " }}")
        elif kind < 0.85:
            mark = chance.choice(MARKS)
            parts.append(mark * chance.choice([1, 9, 200, 3_000]))
        else:
            parts.append(zoo.text_of(chance, 6))
        parts.append(chance.choice(["", " ", "\n", "\n\n"]))
    if chance.random() < 0.05:
        parts *= chance.choice([20, 500])
    return "".join(parts)


def toml_text(text: str) -> str:
    """Returns a text as TOML."""
    whole = text.encode("utf-16", "replace").decode("utf-16", "replace")
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml(chance: Random, depth: int = 2) -> str:
    """Returns a value of TOML, of any kind."""
    kind = chance.random()
    if depth == 0 or kind < 0.5:
        return chance.choice(
            [
                toml_text(chance.choice(TEXTS)),
                chance.choice(
                    ["0", "1", "-5", "3.5", "inf", "nan", "true", "2020-01-01", "07:32:00"]
                ),
                "9" * chance.choice([3, 16, 30, 5_000]),
                f"'''\n{chance.choice(PARTS)}'''",
            ]
        )
    if kind < 0.8:
        many = chance.choice([0, 1, 3, 101, 5_000])
        if many > 3:
            return f"[{', '.join([toml(chance, 0)] * many)}]"
        return f"[{', '.join(toml(chance, depth - 1) for _ in range(many))}]"
    if kind < 0.95:
        return f"{{ {key(chance)} = {toml(chance, depth - 1)} }}"
    deep = chance.choice([3, 15, 17, 200])
    return chance.choice(["[" * deep + "]" * deep, "{a=" * deep + "1" + "}" * deep])


def key(chance: Random) -> str:
    """Returns a key of TOML, with dots or without."""
    part = chance.choice(["a", '"b.c"', "'d'", "e-f", "1"])
    return chance.choice([".", " . "]).join(
        [part] * chance.choice([1, 1, 1, 2, 15, 17, 18, 40, 400])
    )


FIELDS: dict[str, dict[str, Callable[[Random], str]]] = {
    "scene": {
        "text": lambda c: toml_text(prose(c) if c.random() < 0.3 else zoo.text_of(c)),
        "workspace": lambda c: toml_text(c.choice(["tokens", "merges", "compare", "nothing"])),
        "page": lambda c: toml_text(c.choice(["", "steps", "x"])),
        "select": lambda c: toml_text(c.choice(TEXTS)),
        "nth": lambda c: c.choice(["1", "2", "20000", "0", "99999999"]),
        "at": lambda c: c.choice(["0", "1", "-1", "1000000", "1000000000000000", "9" * 5_000]),
        "front": lambda c: c.choice(["1", "2", "0", "-1", "99"]),
        "mark": lambda c: c.choice(
            [
                '["text"]',
                '["range: a", "token 3"]',
                '["strip 99"]',
                '["x"]',
                f'["token {"9" * 5_000}"]',
            ]
        ),
        "display": lambda c: f"{{ annotations = {toml(c, 1)} }}",
        "page_settings": lambda c: c.choice(
            ["{}", '{ sources = ["/dev/zero"] }', f"{{ form = {toml(c, 2)} }}"]
        ),
    },
    "question": {
        "kind": lambda c: toml_text(
            c.choice(["choose", "number", "click", "order", "merge", "split", "write", "x"])
        ),
        "part": lambda c: toml_text(c.choice(["token", "cut"])),
        "ask": lambda c: toml_text(prose(c)),
        "answer": lambda c: toml_text(expression(c)),
        "choices": lambda c: (
            f"[{', '.join(toml_text(prose(c)) for _ in range(c.choice([2, 3, 12, 13])))}]"
        ),
        "text": lambda c: toml_text(c.choice(["ab", "x" * 500, "{{ text }}"])),
        "hint": lambda c: toml_text(prose(c)),
        "after": lambda c: toml_text(prose(c)),
    },
}


TAME = {
    "scene": {
        **FIELDS["scene"],
        "nth": lambda c: "1",
        "at": lambda c: c.choice(["0", "1", "-1", "1000000"]),
        "mark": lambda c: '["text", "range: a", "strip 99"]',
        "display": lambda c: '{ annotations = "ids" }',
        "page_settings": lambda c: "{ form = [1, 2] }",
    },
    "question": {
        **FIELDS["question"],
        "kind": lambda c: toml_text(
            c.choice(["choose", "number", "click", "order", "merge", "write"])
        ),
        "part": lambda c: toml_text("token"),
        "choices": lambda c: f"[{toml_text(prose(c))}, {toml_text(expression(c))}]",
    },
}
"""Fields that mostly have a right form, whatever is in them."""


def block(chance: Random, kind: str, tame: bool) -> str:
    """Returns a block of a step; a ``tame`` one has a right form."""
    if kind not in FIELDS:
        content = "A question? | words" if tame else chance.choice([prose(chance), "a\n" * 101])
        return f"```{kind}\n{content}\n```\n"
    fields = (TAME if tame else FIELDS)[kind]
    needed = ("ask", "answer", "choices") if kind == "question" else ()
    names = [name for name in fields if name in needed or chance.random() < 0.5]
    lines = [f"{name} = {fields[name](chance)}" for name in names]
    if not tame and chance.random() < 0.15:
        lines.append(f"{key(chance)} = {toml(chance)}")
    return f"```{kind}\n" + "\n".join(lines) + "\n```\n"


def head(chance: Random, tame: bool) -> str:
    """Returns the head of a lesson."""
    lines = {
        "title": toml_text(chance.choice(["Title", "<script>alert(1)</script>", "\u202e <b>"])),
        "minutes": "5",
        "learns": chance.choice(['["x"]', '["<img src=x onerror=y>"]', "[]"]),
        "tokenizers": chance.choice(
            [
                '["shipped:unigram-8k"]',
                '[["named:none", "shipped:tokenarium-8k"], "shipped:unigram-8k"]',
            ]
        ),
    }
    if not tame:
        lines[chance.choice([*lines, "asked", key(chance)])] = toml(chance)
    if not tame and chance.random() < 0.2:
        lines["asked"] = f"[{', '.join([toml_text('Why?')] * chance.choice([3, 101, 900]))}]"
    return "+++\n" + "\n".join(f"{name} = {value}" for name, value in lines.items()) + "\n+++\n"


def lesson(chance: Random) -> str:
    """Returns a lesson of a stranger: mostly one that has a right form, with all that it may have."""
    tame = chance.random() < 0.8
    parts = [head(chance, tame)]
    for _ in range(chance.choice([1, 2, 3, 3, 5])):
        parts.append(f"## {chance.choice(['One', '<b onclick=x>', '![a](/dev/zero)'])}\n\n")
        parts.append(prose(chance)[: 5_000 if tame else None] + "\n\n")
        parts += [
            block(chance, kind, tame)
            for kind in ("scene", "notes", "question", "asked")
            if chance.random() < 0.5
        ]
    if not tame and chance.random() < 0.3:
        parts.append(
            chance.choice(["## x\n", "Title\n---\n", "\n", "- a\n"]) * chance.choice([101, 5_000])
        )
    text = "".join(parts)
    if not tame and chance.random() < 0.3:
        at = chance.randrange(len(text))
        text = text[:at] + text[at + chance.randrange(40) :]
    return text.encode("utf-8", "replace").decode()


GOOD = (
    '+++\ntitle = "Good"\nminutes = 5\nlearns = ["x"]\ntokenizers = ["shipped:tokenarium-8k"]\n+++\n'
    "## One\n\nIt is good.\n"
)
"""A lesson with no fault."""


@functools.cache
def tokenizers() -> list[tuple[str, tc.Tokenizer]]:
    """Returns the tokenizers by which expressions are computed."""
    found: list[tuple[str, tc.Tokenizer]] = []
    for name in ("tokenarium-8k", "unigram-8k", "wordpiece-8k"):
        one = shipped_tokenizer(f"shipped:{name}")
        assert one is not None
        found.append((name, one))
    return found


def weight(value: Any) -> int:
    """Returns how many elements, characters and digits a value has."""
    if isinstance(value, list):
        return 1 + sum(map(weight, value))
    return len(str(value))


def longest(value: Any) -> int:
    """Returns the length of the longest list or text in a value."""
    if isinstance(value, list):
        return max([len(value), *map(longest, value)])
    return len(value) if isinstance(value, str) else 0


def pictures(folder: Any) -> None:
    """Makes the pictures that prose names: one of the lesson's own, and what must not be shown."""

    def png(width: int, height: int, more: bytes = b"") -> bytes:
        def chunk(kind: bytes, data: bytes) -> bytes:
            crc = zlib.crc32(kind + data)
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

        head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
        pixels = zlib.compress((b"\0" + b"\x80" * min(width, 64)) * min(height, 64))
        return (
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", head)
            + chunk(b"IDAT", pixels)
            + more
            + chunk(b"IEND", b"")
        )

    (folder / "sub").mkdir(parents=True, exist_ok=True)
    (folder / "own.png").write_bytes(png(5, 5))
    (folder.parent / "secret.png").write_bytes(png(SECRET, 5))
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    (folder / "way").symlink_to(folder.parent)
    (folder / "zero.png").symlink_to("/dev/zero")
    (folder / "large.png").write_bytes(png(5, 5) + bytes(3 << 20))
    (folder / "many.png").write_bytes(png(3_000, 3_000))
    (folder / "text.png").write_text("text")
    os.mkfifo(folder / "pipe.png")


SECRET = 11
"""Pixels: the width of the picture that is not the lesson's."""


def widths(html: str) -> list[int]:
    """Returns the widths of the pictures that HTML contains; AssertionError for one that is elsewhere."""
    found = []
    for address in re.findall(r"<img[^>]*?\ssrc=\"([^\"]*)", html):
        kind, _, data = address.partition(",")
        assert kind == "data:image/png;base64", (
            f"a picture is loaded from elsewhere: {address[:80]}"
        )
        found.append(struct.unpack(">I", base64.b64decode(data)[16:20])[0])
    return found


@functools.cache
def application() -> Any:
    """Returns the application, without a display."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

    return QApplication.instance() or QApplication(["torture"])
