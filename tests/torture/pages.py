"""Pages, notebooks and terminals with strangers' texts and tokenizers: nothing runs or is loaded, and all steps are the trace's.

What is written over a page is whole after a kill, and nothing commands a terminal.
"""

from __future__ import annotations

import functools
import io
import json
import re
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import zoo
from attack import Attack, Case, apart, check_sentence
from disk_results import commanded
from handouts import Runs
from killing import Say, age, killed, make_moment, names_in
from planting import in_place, instead, no_sentence, patched
from rich.cells import cell_len
from rich.console import Console
from small_vocabularies import of_pieces
from stepped_pages import ISOLATES, parts_of

import tokenarium_core as tc
from tokenarium import notebook
from tokenarium.commands.coloured_tokens import LEAST_WIDTH, ColouredTokens
from tokenarium.models.merges.playback import NO_PIECE
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.scene import Scene, SceneText, SceneTokenizer, scene_bytes
from tokenarium.models.text.piece import in_tile, readable
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_lines import token_lines
from tokenarium.notebook.figure import NotebookFigure
from tokenarium.web import page as of_page
from tokenarium.web.scene_pages import FIGURES, page_of_shown
from tokenarium.web.shown_scene import ShownScene, named_tokenizer
from tokenarium.web.step_parts import StepParts
from tokenarium.web.step_scenes import run_figure
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.models import LongestMatch, Unigram, WordPiece

EVIL = [
    *("</script><script>alert(1)</script>", "<!--<script>", '"><img src=x onerror=a>', "' onclick='a"),
    *("]]>&amp;&#0;", "</style><style>", "</textarea></title>", "javascript:a", "url(//a)", "{{a}}"),
    *("\0\x01\x1b[31m\x7f\x9b2J", "\ud800\udfff", "a\u2028b\u2029c\ufeff", "\u202e\u2066a\u2069", "\r\n"),
    *("a" + "\u0301" * 300, "\x1b]0;a\x07", "[bold]a[/]", "👩\u200d🚀", "ﷺ", "नि", "x" * 500, "\n" * 30),
]  # fmt: skip
MOST_BYTES = 8_000_000
MOST_TAGS = 700_000
COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066\u2067\ud800-\udfff]"
)
HALVES = re.compile("[\ud800-\udfff]")
ADDRESS = re.compile(r"(?:https?:)?//\w|@import|url\((?!'?data:)")
SVG = "http://www.w3.org/2000/svg"
MODELS = ("BPE", "Unigram", "WordPiece", "WordLevel")
"""Models of a tokenizer.json whose entries are such texts."""


def text_of(chance: Random) -> str:
    """Returns a text of strangers' parts; few are long."""
    parts = [
        chance.choice(EVIL) if chance.random() < 0.5 else zoo.text_of(chance, 5)
        for _ in range(chance.choice([0, 1, 1, 2, 3]))
    ]
    if chance.random() < 0.05:
        parts *= chance.choice([100, 20_000])
    return "".join(parts)[:300_000]


def make_tokenizer(chance: Random) -> Any:
    """Returns a kind of the zoo, or a model and its entries."""
    if chance.random() < 0.5:
        return chance.choice(list(zoo.MAKERS))
    entries = chance.sample(EVIL, chance.choice([0, 1, 5, 15]))
    return [
        chance.choice(["bytes", *MODELS]),
        entries,
        chance.sample(EVIL, chance.choice([0, 1, 9])),
    ]


def opened(made: Any, name: str) -> tc.Tokenizer:
    """Returns such a tokenizer with a name; TokenariumError if it is refused."""
    if isinstance(made, str):
        tokenizer = zoo.MAKERS[made]() if made.startswith("bytes") else zoo.shared(made)
    elif made[0] == "bytes":
        utf8 = [one.encode("utf-8", "surrogatepass") for one in made[1]]
        special = {zoo.whole(one): 256 + len(utf8) + at for at, one in enumerate(made[2])}
        tokenizer = of_pieces(utf8, "gpt2", special)
    else:
        tokenizer = _of_json(made[0], [zoo.whole(one) for one in made[1]], made[2])
    tokenizer.name = name
    return tokenizer


def _of_json(kind: str, entries: list[str], added: list[str]) -> tc.Tokenizer:
    entries = ["<unk>", *(one for one in entries if one != "<unk>")]
    numbered = {one: at for at, one in enumerate(entries)}
    model: dict[str, Any] = {"type": kind, "vocab": numbered, "unk_token": "<unk>"}
    if kind == "Unigram":
        model = {
            "type": kind,
            "unk_id": 0,
            "vocab": [[one, -(3.0**at)] for one, at in numbered.items()],
        }
        model["vocab"][-1][1] = -1e308
    elif kind == "BPE":
        model["merges"] = []
    elif kind == "WordPiece":
        model |= {"continuing_subword_prefix": "<b>", "max_input_chars_per_word": 100}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    tokens = [
        {"id": len(entries) + at, "content": zoo.whole(one), "special": bool(at % 2), **flags}
        for at, one in enumerate(added)
    ]
    empty = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"))  # fmt: skip
    content = {"version": "1.0", **empty, "added_tokens": tokens, "model": model}
    return read_huggingface(json.dumps(content).encode(), "tokenizer.json")


def check_page(html: str) -> None:
    """Raises AssertionError if a page would load or run anything but its own script, or is too much for a browser."""
    assert len(html) < MOST_BYTES, "the page is too large"
    assert html.count("<") < MOST_TAGS, "the page has too many elements"
    runs = Runs()
    runs.feed(re.sub("<(/?)svg", r"<\1u", html))  # drawings are the page's own
    assert not runs.found, f"the page loads or runs: {runs.found[:3]}"
    assert runs.scripts == 1, "the page has other scripts"
    assert not HALVES.search(html), "the page cannot be written"
    style = html[html.index("<style>") : html.index("</style>")].replace(SVG, "")
    assert not ADDRESS.search(style), "the page has an address in its style"


# Figures of scenes.


def make_figure(chance: Random) -> Case:
    """Returns a page of the window, a text with a title and a selection, and tokenizers."""
    text = text_of(chance)
    size = len(text.encode("utf-8", "surrogatepass"))
    places = sorted(chance.choice([0, 1, size // 2, size, size + 9]) for _ in range(2))
    return {
        "page": chance.choice(list(FIGURES)),
        "text": text,
        "selection": places if chance.random() < 0.7 else None,
        "title": chance.choice(EVIL),
        "tokenizers": [make_tokenizer(chance) for _ in range(chance.choice([1, 1, 2, 3]))],
        "names": chance.sample(EVIL, 3),
        "many": chance.random() < 0.1,
        "special": chance.choice(["none", "all"]),
        "pages": {
            "typed": text_of(chance),
            "strings": text_of(chance),
            "asked": text_of(chance)[:99],
        },
    }


def run_figure_case(case: Case) -> str:
    """Makes the page: it is safe and of a bounded size, or is refused with a sentence."""
    workspace, _, page = case["page"].partition(".")
    above: dict[str, dict[str, object]] = {"why": {}} if workspace == "above" else {}
    try:
        shown = [
            named_tokenizer(SceneTokenizer(f"trained:{at}", name), opened(made, name))
            for at, (made, name) in enumerate(zip(case["tokenizers"], case["names"], strict=False))
        ]
        scene = Scene(
            text=SceneText(case["text"], title=case["title"]),
            workspace="tokens" if above else workspace,
            page="tokens" if above else page,
            above=above,
            selection=tuple(case["selection"]) if case["selection"] else None,
            display={"special": case["special"], "patterns": ["tokenizers", "gpt2"]},
            pages={case["page"]: case["pages"]},
        )
        many = shown * 25 if case["many"] else shown
        html = page_of_shown(ShownScene(scene, TextMap(case["text"]), tuple(many)))
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    check_page(html)
    names = "".join(re.findall('class="name">(.*?)</span>', html, re.DOTALL))
    assert not COMMANDS.search(names), "a name turns or commands what is around it"
    return str(case["page"])


# Steps.


def make_steps(chance: Random) -> Case:
    """Returns a text and a tokenizer that plays it."""
    return {"text": text_of(chance)[:60], "tokenizer": make_tokenizer(chance)}


def run_steps(case: Case) -> str:
    """Plays it: at each step the page shows the symbols of the trace."""
    try:
        tokenizer = opened(case["tokenizer"], "a")
        utf8 = zoo.whole(case["text"]).encode()
        run = TraceRun(tokenizer, utf8, 0, len(utf8))
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    figure = run_figure(run, "a", "b")
    assert isinstance(figure.data, dict)
    assert len(figure.data["figures"]) == len(run) + 1, "the page has other steps than the trace"
    if isinstance(tokenizer.model, Unigram | WordPiece | LongestMatch):
        return "said"
    tiles = parts_of(figure, "symbol")
    for step in range(len(run) + 1):
        run.go_to(step)
        symbols = [symbol for word in run.symbols() for symbol in word]
        wanted = [
            in_tile(readable(run.data[one.start : one.end]))
            for one in symbols
            if one.end > one.start
        ]
        wanted = [one.translate(ISOLATES) for one in wanted]
        found = [part for part in tiles if part.seen(step)]
        shown = [part.texts[0] for part in found if part.texts]
        missing = [one for one in wanted if one not in shown]
        assert not missing, f"a step has other symbols than the trace: {missing[:3]}"
        more = len(shown) - len(wanted)
        empty = sum(one.start == one.end for one in symbols)
        assert more <= empty, "a step has more symbols than the trace"
        loose = sum("loose" in part.classes + part.look(step) for part in found)
        assert loose == sum(one.id == NO_PIECE for one in symbols), (
            "a step has other ids than the trace"
        )
    return "played"


# Notebooks.

ASKED: dict[str, Callable[[str, list[tc.Tokenizer]], object]] = {
    "show": lambda text, given: notebook.show(text, *given, most=400),
    "play": lambda text, given: notebook.play(text[:60], given[0]),
    "trace": lambda text, given: notebook.trace(text[:60], given[0]),
    "pretokens": lambda text, given: notebook.pretokens(text, *given, pattern="gpt2"),
    "bytes": lambda text, given: notebook.bytes(text, *given),
    "why": lambda text, given: notebook.why(text[:90], *given),
    "compare": lambda text, given: notebook.compare({text[:99]: text[:9_000]}, *given),
    "numbers": lambda text, given: notebook.ask("numbers", given[0], up_to=20),
    "stages": lambda text, given: notebook.ask("stages", *given, text=text[:200]),
    "encoding": lambda text, given: given[0].encode(text)._repr_html_(),
    "tokenizer": lambda text, given: given[0]._repr_html_(),
    "vocabulary": lambda text, given: given[0].vocabulary._repr_html_(),
}
MOST_STILL = 3_000_000


def make_notebook(chance: Random) -> Case:
    """Returns a question, a text, and tokenizers."""
    return {
        "asked": chance.choice(list(ASKED)),
        "text": text_of(chance),
        "name": chance.choice(EVIL),
        "tokenizers": [make_tokenizer(chance) for _ in range(chance.choice([1, 2]))],
    }


def run_notebook(case: Case) -> str:
    """Shows it as a notebook does: safely, as much as a cell has room for, and with the ids of the tokenizer."""
    try:
        given = [opened(made, case["name"]) for made in case["tokenizers"]]
        made = ASKED[case["asked"]](case["text"], given)
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    still = made.still if isinstance(made, NotebookFigure) else str(made)
    assert not HALVES.search(still), "a still form cannot be written"
    assert len(still) < MOST_STILL, "a still form is too large"
    runs = Runs()
    runs.feed(re.sub(r' style="[^"<>]*"', "", still))
    assert not runs.found, f"a still form loads or runs: {runs.found[:3]}"
    assert not runs.scripts, "a still form has a script"
    assert not COMMANDS.search(re.sub("<[^>]*>", "", still).replace("\r", "")), (
        "a still form has controls"
    )
    if isinstance(made, NotebookFigure):
        assert not COMMANDS.search(repr(made)), "a figure commands a terminal"
        if made.page:
            check_page(made.page)
        if case["asked"] == "show":
            name = made.rows[0]["tokenizer"] if made.rows else ""
            ids = [int(str(row["id"])) for row in made.rows if row["tokenizer"] == name]
            wanted = given[0].encode_ids(case["text"])
            whole = len(case["text"]) < 400
            assert sorted(wanted) == sorted(ids) if whole and name else len(ids) <= len(wanted), "a figure has other ids"  # fmt: skip
    return str(case["asked"])


# Terminals.


def make_terminal(chance: Random) -> Case:
    """Returns a text, and a terminal."""
    return {
        "text": text_of(chance)[:3_000],
        "tokenizer": make_tokenizer(chance),
        "name": chance.choice(EVIL),
        "width": chance.choice([1, 2, 8, 20, 39, 80, 300]),
        "colours": chance.choice([None, "standard", "256", "truecolor"]),
        "ids": chance.random() < 0.5,
    }


def run_terminal(case: Case) -> str:
    """Draws its tokens: no line is wider than there is room, and only colours are commanded."""
    out = io.StringIO()
    console = Console(
        file=out, width=case["width"], color_system=case["colours"], force_terminal=bool(case["colours"]),
        no_color=False, legacy_windows=False, _environ={},
    )  # fmt: skip
    try:
        lines = token_lines(case["text"], {case["name"]: opened(case["tokenizer"], case["name"])})
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    console.print(ColouredTokens(lines, case["ids"]), end="", crop=False, no_wrap=True)
    plain = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()) if case["colours"] else out.getvalue()
    assert not COMMANDS.search(plain), "a text or a name commands the terminal"
    tokens = plain.split("\n")[: -2 if len(plain) > 1 else None]
    most = max(case["width"], LEAST_WIDTH)
    wide = [
        one for one in tokens if cell_len(one) > most and not one.startswith(tuple("0123456789"))
    ]
    assert not wide, f"a line is wider than the terminal: {wide[0][:80]!r}"
    return "coloured" if case["colours"] else "plain"


# Writing.

TEXTS = ("one page\n" * 9, "another page, " * 300)


def make_writing(chance: Random) -> Case:
    """Returns when the process that writes a page is killed, and the largest file."""
    return {
        "moments": [make_moment(chance, 60, 300) for _ in range(2)],
        "bytes": chance.choice([0, 1, 4_096, 40_000]),
    }


def _rendered(number: int, out: Path) -> int:
    """Writes the page of one of two sessions."""
    path = Path(f"{number}.tokenarium")
    scene = Scene(
        text=SceneText(TEXTS[number]), tokenizers=(SceneTokenizer("shipped:tokenarium-8k"),)
    )
    path.write_bytes(scene_bytes(scene))
    return commanded(["render", str(path), "--out", str(out)])


def run_writing(case: Case) -> str:
    """Writes one page over another again and again: whatever happens, one of the two is there, whole."""
    folder = Path("pages")
    folder.mkdir()
    out = folder / "page.HTML"
    (folder / "notes.txt").write_text("mine")
    wanted = []
    for which in (1, 0):
        assert _rendered(which, out) == 0
        wanted.append(out.read_bytes())

    def write(say: Say) -> None:
        for _ in range(3):
            _rendered(0, out)
            _rendered(1, out)

    for moment in case["moments"]:
        killed(write, moment)
        assert out.read_bytes() in wanted, "a page is half-written"
    apart(functools.partial(_limited, case["bytes"], out))
    assert out.read_bytes() in wanted, "a page is half-written"
    age(folder)
    assert _rendered(1, out) == 0
    assert names_in(folder) == {"page.HTML", "notes.txt"}, "litter of a page stays"
    return "whole"


def _limited(most: int, out: Path) -> None:
    paths = [Path(f"{number}.tokenarium") for number in (0, 1)]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    for path in paths:
        assert commanded(["render", str(path), "--out", str(out)]) in (0, 1)


def _in_place(files: dict[Path, bytes]) -> None:
    for path, content in files.items():
        try:
            in_place(path, content)
        except OSError as error:
            raise tc.WriteError(f"{path} cannot be written.") from error


def _kept(before: Any) -> Any:
    """Returns what hides nothing from the second step on."""
    return lambda parts, key: None


SEEDS = (zoo.make_all,)

ATTACKS = [
    Attack(
        "pages-figures",
        make_figure,
        run_figure_case,
        seconds=30.0,
        planted={
            "the page loads or runs": patched("tokenarium.web.text_figures.escaped", str),
            "the page has an address": instead(
                of_page,
                "joined",
                lambda before: (
                    lambda kind, *rest: (
                        before(kind, *rest) + "\n.a{background:url(https://a.b)}" * (kind == "css")
                    )
                ),
            ),
            "a name turns or commands": patched("tokenarium.web.shown_scene.harmless", str),
            "the page is too large": patched(
                "tokenarium.web.shown_beginning.MOST_ELEMENTS", 600_000
            ),
            "is no sentence": patched("tokenarium.web.scene_pages.refusal", no_sentence),
        },
    ),
    Attack(
        "pages-steps",
        make_steps,
        run_steps,
        seconds=30.0,
        planted={"a step has more symbols": instead(StepParts, "drop", _kept)},
    ),
    Attack(
        "pages-notebook",
        make_notebook,
        run_notebook,
        seconds=30.0,
        planted={
            "a still form": patched("tokenarium.notebook.showing.escaped", str),
            "a figure commands": patched("tokenarium.commands.tables.harmless", str),
        },
    ),
    Attack(
        "pages-terminal",
        make_terminal,
        run_terminal,
        planted={
            "commands the terminal": patched("tokenarium.commands.coloured_tokens.harmless", str),
            "wider than the terminal": patched(
                "tokenarium.commands.coloured_tokens.LEAST_ROOM", -99
            ),
        },
    ),
    Attack(
        "pages-writing",
        make_writing,
        run_writing,
        seconds=30.0,
        planted={
            "a page is half-written": patched("tokenarium_core.whole_files.write_files", _in_place)
        },
    ),
]
