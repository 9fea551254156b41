"""Writes text into HTML: everything that is not markup of our own passes through here."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Final

_SIGNS: Final = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: 0x2421,
    **dict.fromkeys(range(128, 160), 65533),
    **dict.fromkeys(range(55296, 57344), 65533),
    0xFFFE: 0xFFFD,
    0xFFFF: 0xFFFD,
}
"""What is written for characters that HTML cannot have: the signs of control characters, and U+FFFD for halves of
surrogate pairs."""

_IN_SCRIPT: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def escaped(text: str) -> str:
    """Returns a text as it is written between tags or in an attribute in double quotation marks.

    >>> escaped('<b title="&">\\0')
    '&lt;b title=&quot;&amp;&quot;&gt;␀'
    """
    return escape(text if text.isprintable() else text.translate(_SIGNS))


def bdi(text: str) -> str:
    """Returns a text as HTML whose direction does not affect the text around it."""
    return f"<bdi>{escaped(text)}</bdi>"


def remark(text: str) -> str:
    """Returns a sentence as a paragraph in the colour of remarks; nothing if it is empty."""
    return f'<p class="remark">{escaped(text)}</p>' if text else ""


def paragraphs(sentences: Iterable[str]) -> str:
    """Returns sentences, each as a paragraph."""
    return "".join(f"<p>{escaped(sentence)}</p>" for sentence in sentences)


def json_block(data: object) -> str:
    """Returns data as the element that a script of a page reads; nothing in it is markup, whatever its texts are."""
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=True).translate(_IN_SCRIPT)
    return f'<script type="application/json">{written}</script>'


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str = "",
    numbers: Collection[int] = (),
    picked: int = -1,
    markers: Mapping[int, str] = MappingProxyType({}),
) -> str:
    """Returns a table; its cells are HTML, its heads and its caption are text.

    The columns ``numbers`` are on the right of their room; the row ``picked`` is marked. ``markers`` are HTML before the heads
    of some columns.
    """
    kinds = [' class="num"' if at in numbers else "" for at in range(len(head))]
    heads = "".join(
        f'<th scope="col"{kind}>{markers.get(at, "")}{escaped(one)}</th>'
        if one
        else f"<td{kind}></td>"
        for at, (kind, one) in enumerate(zip(kinds, head, strict=True))
    )
    body = "".join(
        f"<tr{' class=picked' if at == picked else ''}>"
        f"{''.join(f'<td{kind}>{cell}</td>' for kind, cell in zip(kinds, row, strict=True))}</tr>"
        for at, row in enumerate(rows)
    )
    said = f"<caption>{escaped(caption)}</caption>" if caption else ""
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{escaped(caption)}"><table>{said}<thead><tr>{heads}'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
    )


def attributes(values: Mapping[str, str | int | float]) -> str:
    """Returns attributes of an element, each after a space."""
    return "".join(f' {name}="{escaped(str(value))}"' for name, value in values.items())
