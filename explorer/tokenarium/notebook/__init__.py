"""Tokens, steps, comparisons and trainings in a notebook, without a window.

    from tokenarium import notebook

    notebook.show("Hello, world", "cl100k_base", "tokenarium-8k")

A tokenizer is given as it is, or by what opens it on the command line: a file, a folder, the name of an encoding or of a
trained tokenizer. Without one, those that come with Tokenarium and are on at the first start are taken. Everything is
also drawn in a terminal, by ``rich.print``.
"""

from tokenarium.notebook.asking import ask, compare, diff
from tokenarium.notebook.figure import NotebookFigure
from tokenarium.notebook.given import open_tokenizer as open
from tokenarium.notebook.looking import bytes_of as bytes
from tokenarium.notebook.looking import pretokens, why
from tokenarium.notebook.showing import play, show, trace
from tokenarium.notebook.training import count, train

__all__ = [
    "NotebookFigure",
    "ask",
    "bytes",
    "compare",
    "count",
    "diff",
    "open",
    "play",
    "pretokens",
    "show",
    "trace",
    "train",
    "why",
]
