"""Options that several commands have, those that read corpora or write tokenizers."""

from __future__ import annotations

from typing import Annotated

import typer

from tokenarium_core.formats.registry import EXPORT_FORMATS

FieldOption = Annotated[
    str,
    typer.Option(
        "--field",
        "--column",
        help="The field of JSON lines, or the column of a table, that holds the text.",
    ),
]
AllowOption = Annotated[
    bool,
    typer.Option(
        "--allow-differences",
        help="Write a copy that treats some texts otherwise, and list them.",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-t",
        help=f"One of {', '.join(EXPORT_FORMATS)}; without it, the suffix decides.",
        show_default=False,
    ),
]
