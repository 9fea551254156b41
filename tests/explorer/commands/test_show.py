"""Tokens in the terminal: colours of every kind of terminal, widths, lines, and plain text elsewhere."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run
from rich.cells import cell_len
from rich.console import Console
from small_vocabularies import LOWER, of_pieces, rank_file
from typer.testing import CliRunner

from tokenarium.commands.cli import app
from tokenarium.commands.coloured_tokens import AT_ONCE, BAR, ColouredTokens
from tokenarium.models.text.token_lines import LOOK_LINES, token_lines
from tokenarium_core.html_view import FILLS, colour_number
from tokenarium_core.progress import Progress

OTHER = of_pieces([b"lo", b"low"], "gpt2")


def drawn(text: str, *, ids: bool = False, width: int = 60, system: str | None = None) -> str:
    """Returns what a terminal of some colours gets for the tokens of a text."""
    out = io.StringIO()
    console = Console(
        file=out, width=width, color_system=system, force_terminal=bool(system), legacy_windows=False,
        no_color=False, _environ={},
    )  # type: ignore[arg-type] # fmt: skip
    console.print(ColouredTokens(token_lines(text, {"small": LOWER}), ids), end="")
    return out.getvalue()


def test_without_colours_a_line_stands_between_tokens() -> None:
    assert drawn("lowest lower\n") == (
        f"small  low{BAR}e{BAR}s{BAR}t{BAR}␣{BAR}lower{BAR}⏎\nsmall  7 tokens, 1.86 bytes per token\n"
    )


def test_ids_stand_under_their_tokens() -> None:
    first, second, _ = drawn("lowest", ids=True).splitlines()
    assert first == f"small  low{BAR}e  {BAR}s  {BAR}t"
    assert second == f"       258{BAR}101{BAR}115{BAR}116"


def test_of_several_tokenizers_the_text_stands_above() -> None:
    out = io.StringIO()
    lines = token_lines("low\nlower", {"one": LOWER, "another": OTHER})
    Console(file=out, width=60, color_system=None).print(ColouredTokens(lines), end="")
    assert out.getvalue().splitlines()[:6] == [
        "low",
        f"one      low{BAR}⏎",
        f"another  low{BAR}⏎",
        "lower",
        "one      lower",
        f"another  low{BAR}e{BAR}r",
    ]


def test_24_bits_are_the_colours_of_the_theme() -> None:
    found = re.findall(r"\x1b\[38;2;22;24;29;48;2;(\d+);(\d+);(\d+)m(\S+?)\x1b\[0m", drawn("lowlow", system="truecolor"))  # fmt: skip
    grounds = [FILLS[colour_number(258, place)] for place in (0, 1)]
    assert found == [
        (*(str(int(ground[at : at + 2], 16)) for at in (1, 3, 5)), "low") for ground in grounds
    ]


def test_in_16_colours_neighbours_differ() -> None:
    found = re.findall(r"\x1b\[([\d;]+)m(low)\x1b\[0m", drawn("lowlow", system="standard"))
    codes = [set(code.split(";")) for code, _ in found]
    assert len(codes) == 2
    assert {"30"} < codes[0]  # black on a bright ground
    assert {"40"} < codes[1]  # a bright colour on black
    assert all(len(code) == 2 for code in codes)
    assert not re.search(r"[34]8;[25];", drawn("lowlow", system="standard"))
    assert re.search("48;5;", drawn("lowlow", system="256"))


@pytest.mark.parametrize(
    "text",
    ["日本語の文章", "नमस्ते दुनिया", "e\u0301a\u0300o", "🧑‍🚀 👍🏽", "שלום", "a\tb\x1b[31m\u202e"],
)
@pytest.mark.parametrize("width", [14, 20, 40, 60, 100])
def test_lines_are_no_wider_than_the_terminal(text: str, width: int) -> None:
    plain = drawn(text * 12, ids=True, width=width).splitlines()
    assert all(cell_len(line) <= width for line in plain[: -1 if width < 30 else None])
    first = int(plain[0] == "small")  # where there is little room, the name has a line of its own
    assert first == (width < 30)
    above, below = plain[first : first + 2]
    bars = [
        [cell_len(line[: at.start()]) for at in re.finditer(BAR, line)] for line in (above, below)
    ]
    assert bars[0] == bars[1]
    assert bars[0]
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e]", "".join(plain))


def test_what_a_narrow_terminal_has_no_room_for_is_marked() -> None:
    lines = drawn("lowest 日本", ids=True, width=8).splitlines()
    assert lines[:3] == ["small", f"low{BAR}e", f"258{BAR}101"]
    assert not [one for one in lines[1:-2] if cell_len(one) > 8]
    assert drawn("\U0001f680" * 3, width=9).splitlines()[1] == "<0xF0>"
    wide = of_pieces(["語".encode()[:2]])
    out = io.StringIO()
    lines_of = token_lines("語", {"wide": wide})
    Console(file=out, width=9, color_system=None).print(ColouredTokens(lines_of), end="")
    assert out.getvalue().splitlines()[1] == "<0xE8><0…"


def test_no_name_commands_the_terminal(tmp_path: Path, terminal: CliRunner) -> None:
    """A file's name may have any characters."""
    path = tmp_path / "a\x1b[31m\u202eb.tiktoken"
    path.write_bytes(rank_file([b"lo"]))
    for command in (["show", "-t", "lo"], ["inspect"]):
        written = run(terminal, command[0], str(path), "--pattern", "gpt2", *command[1:])
        assert "a‹ESC›[31m‹RLO›b" in written
        assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e]", written)
    refused = terminal.invoke(app, ["show", f"{path}\x07.json", "-t", "lo"])
    assert refused.exit_code == 1
    assert "‹BEL›" in refused.stderr
    assert "\x1b" not in refused.stderr


def test_a_line_is_broken_between_tokens() -> None:
    lines = drawn("lower " * 20, width=40).splitlines()
    assert len(lines) > 3
    assert all(line.startswith("       ") for line in lines[1:-1])
    tokens = BAR.join(line[7:] for line in lines[:-1]).split(BAR)
    assert tokens == [cell.label for cell in token_lines("lower " * 20, {"": LOWER}).lines[0].rows[0]]  # fmt: skip


def test_the_command_writes_plain_text_into_a_pipe(terminal: CliRunner) -> None:
    written = run(terminal, "show", "tokenarium-8k", "unigram-8k", "-t", "lowest", "--ids")
    lines = written.splitlines()
    assert lines[0] == "lowest"
    assert lines[1].split() == ["Tokenarium", "8k", f"low{BAR}est"]
    assert "\x1b" not in written
    assert lines[-1].split()[-5:] == ["tokens,", "3.00", "bytes", "per", "token"]


def test_parts_of_a_long_text_are_what_is_drawn_at_once() -> None:
    lines = token_lines("low lower\n" * (2 * AT_ONCE + 1), {"one": LOWER, "another": OTHER})
    whole, parts, ends = io.StringIO(), io.StringIO(), []
    Console(file=whole, width=60, color_system=None).print(ColouredTokens(lines), end="")
    console = Console(file=parts, width=60, color_system=None)
    for end, part in ColouredTokens(lines).parts():
        console.print(part, end="")
        ends.append(end)
    assert parts.getvalue() == whole.getvalue()
    assert ends == [AT_ONCE, 2 * AT_ONCE, 2 * AT_ONCE + 1]


def test_a_long_text_reports_how_far_it_is() -> None:
    """A text of ten megabytes takes minutes."""
    reports: list[Progress] = []
    text = "low lower\n" * (3 * LOOK_LINES)
    token_lines(text, {"small": LOWER}, len(text), reports.append)
    found = [one for one in reports if one.phase == "finding the tokens of each line"]
    ends = [10 * (LOOK_LINES * part - 1) for part in (1, 2, 3)]
    assert [(one.done, one.total) for one in found] == [(end, len(text)) for end in ends]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_into_a_file_the_command_says_how_much_it_has_written(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("low\n" * (2 * AT_ONCE))
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "tokenarium", "show", "tokenarium-8k", "-f", str(path)]
    with (tmp_path / "out").open("wb") as out:
        subprocess.run(command, stdout=out, stderr=slave, stdin=slave, check=True)
    os.close(slave)
    said = b"".join(_read(master)).decode()
    os.close(master)
    assert re.findall(r"writing the lines … (\d+)%", said) == ["50"]
    assert said.endswith("\x1b[K")
    assert "writing" not in (tmp_path / "out").read_text()


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Returns what the command writes to a terminal of 80 columns."""
    master, slave = pty.openpty()
    given = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    given = {name: value for name, value in given.items() if value != "-"}
    with subprocess.Popen(
        [sys.executable, "-m", "tokenarium", *arguments], stdout=slave, stdin=slave, env=given
    ) as process:
        os.close(slave)
        parts = list(_read(master))
        assert process.wait() == 0
    os.close(master)
    return b"".join(parts).decode()


def _read(master: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # nothing writes any more
            return
        if not part:
            return
        yield part


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_real_terminal_decides_on_the_colours() -> None:
    asked = ("show", "tokenarium-8k", "-t", "lowest")
    assert "48;2;" in on_a_terminal(*asked, COLORTERM="truecolor", NO_COLOR="-")
    assert "48;5;" in on_a_terminal(*asked, COLORTERM="-", NO_COLOR="-")
    few = on_a_terminal(*asked, COLORTERM="-", NO_COLOR="-", TERM="xterm-16color")
    assert re.search(r"\x1b\[30;(?:4|10)\dm", few)
    plain = on_a_terminal(*asked, COLORTERM="truecolor", NO_COLOR="1")
    assert f"low{BAR}est" in plain
    assert not re.search(r"[34][0-9;]+m(low|est)", plain)
