"""Pages that compare tokenizers on several texts: a table of all counts, and a page for each text with its tokens.

On the page of a text, a script offers a menu of the texts, and hides the tokenizers that are not wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tokenarium.models.text.lost_text import is_doubtful, lost_share
from tokenarium.models.text.piece import percent
from tokenarium.models.text.text_map import TextMap
from tokenarium.web.html import bdi, escaped, table
from tokenarium.web.page import Figure, page, united
from tokenarium.web.shown_beginning import beginning
from tokenarium.web.shown_scene import ShownTokenizer
from tokenarium.web.text_figures import text_figure, token_row

MOST_BYTES: Final = 1_500
"""The most bytes of a text whose tokens are shown: a page of more would be slow to load."""

INDEX: Final = "compare.html"
"""The name of the page with the table of all counts."""


class ComparedText(NamedTuple):
    """A text that is compared: its stable name, its group and its title, what it shows, and itself."""

    id: str
    group: str
    title: str
    about: str
    text: str

    @property
    def file(self) -> str:
        """The name of its page."""
        return f"compare-{self.id}.html"


def compare_pages(
    texts: Sequence[ComparedText], tokenizers: Sequence[ShownTokenizer]
) -> Mapping[str, str]:
    """Returns the pages of some texts with some tokenizers by their names, which link to each other."""
    pages = {INDEX: _index(texts, tokenizers)}
    return pages | {one.file: _text_page(one, texts, tokenizers) for one in texts}


def _index(texts: Sequence[ComparedText], tokenizers: Sequence[ShownTokenizer]) -> str:
    head = ["Text", "Bytes", *(shown.name for shown in tokenizers)]
    rows = []
    for one in texts:
        counts = [len(shown.tokenizer.encode_ids(one.text)) for shown in tokenizers]
        lost = [lost_share(shown.tokenizer, [one.text]) for shown in tokenizers]
        whole = [count for count, share in zip(counts, lost, strict=True) if not is_doubtful(share)]
        cells = [
            f"{count:,}{_lost(share)}" if count != min(whole, default=0) else f"<b>{count:,}</b>"
            for count, share in zip(counts, lost, strict=True)
        ]
        link = f'<a href="{escaped(one.file)}">{bdi(one.title)}</a>'
        rows.append([link, f"{len(one.text.encode()):,}", *cells])
    listed = table(head, rows, "Tokens of each text")
    intro = (
        "<p>Tokens of each text. The fewest are bold, without those of tokenizers that lose a part of the text."
        " Choose a text to see its tokens.</p>"
    )
    return page("Compare tokenizers", [Figure(listed)], intro=intro)


def _lost(share: float) -> str:
    """Returns how much of a text a tokenizer loses, where its count says little for that."""
    return f" <small>loses {percent(share)}</small>" if is_doubtful(share) else ""


def _text_page(
    one: ComparedText,
    texts: Sequence[ComparedText],
    tokenizers: Sequence[ShownTokenizer],
) -> str:
    text = TextMap(beginning(one.text, MOST_BYTES))
    rows = [token_row(shown, text) for shown in tokenizers]
    place = [other.id for other in texts].index(one.id)
    links = [f'<a href="{INDEX}">All texts</a>']
    for label, other in (("Previous", place - 1), ("Next", place + 1)):
        if 0 <= other < len(texts):
            file, title = escaped(texts[other].file), bdi(texts[other].title)
            links.append(f'<a href="{file}">{label}: {title}</a>')
    data = {
        "here": one.file,
        "texts": [[other.file, other.group, other.title] for other in texts],
        "names": [shown.name for shown in tokenizers],
    }
    drawn = united([text_figure(text, rows)])
    html = f'<div class="choose-rows"></div>{drawn.html}'
    about = f"{one.about}."
    if len(text.text) < len(one.text):
        about += f" These are its first {text.byte_count:,} bytes."
    intro = f'<p dir="auto">{escaped(about)}</p><nav class="texts">{"".join(links)}</nav>'
    return page(one.title, [Figure(html, data, "compare", styles=drawn.styles)], intro=intro)
