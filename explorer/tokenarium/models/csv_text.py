"""Tables as CSV (RFC 4180), for all that the program writes as such.

A cell is written exactly as it is, so that any reader of CSV gets the same table back: the entries of a vocabulary are
data, and ``=``, ``+1``, ``-`` and ``@`` are among them. A spreadsheet that opens a CSV file by itself takes such a cell
for a formula; one that imports its columns as text does not (https://owasp.org/www-community/attacks/CSV_Injection has
no form that is both exact and harmless there; pandas writes cells as they are too).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, Literal

_END = "\r\n"  # of the lines of the writer: it puts quotes around a cell that has one of the two, whatever comes after it


def csv_text(
    rows: Iterable[Sequence[Any]], separator: str = ",", *, end: str = "\n", quoted: bool = False
) -> str:
    """Returns rows as CSV, each with ``end``, a line end, after it. ``quoted``: with quotes around all but numbers.

    >>> csv_text([["a,b", 1], ["=1+1", "x\\ry"]])
    '"a,b",1\\n=1+1,"x\\ry"\\n'
    """
    lines: list[str] = []
    out = SimpleNamespace(write=lines.append)  # the writer writes a whole line at once
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=separator, lineterminator=_END, quoting=quoting).writerows(rows)
    return "".join(line[: -len(_END)] + end for line in lines)
