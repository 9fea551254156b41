"""The command line, in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from narrowed import assert_contains
from PySide6.QtGui import QImage

from tokenarium_core.version import __version__


def run(
    *arguments: str, folder: Path, text: str = "", encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "TIKTOKEN_CACHE_DIR": str(folder / "none"),
        "PYTHONIOENCODING": encoding,
        "COLUMNS": "100",
        "XDG_DATA_HOME": str(folder / "data"),
    }
    command = [sys.executable, "-m", "tokenarium", *arguments]
    return subprocess.run(
        command,
        env=environment,
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def test_version(tmp_path: Path) -> None:
    found = run("--version", folder=tmp_path)
    assert found.returncode == 0
    assert found.stdout.startswith(f"Tokenarium {__version__}, core ")


@pytest.mark.slow
def test_render_writes_four_pictures_and_prints_the_tokens(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Hello, [bold] wörld", encoding="utf-8")
    found = run("--render", str(tmp_path / "out"), str(text), folder=tmp_path)
    assert found.returncode == 0, found.stderr
    pictures = sorted((tmp_path / "out").glob("*.png"))
    assert [path.stem for path in pictures] == [
        "pretokens-dark",
        "pretokens-light",
        "tokens-dark",
        "tokens-light",
    ]
    assert all(QImage(str(path)).width() == 1440 for path in pictures)
    assert_contains(found.stdout, "Tokenarium 8k", "␣[")


@pytest.mark.slow
def test_an_output_that_does_not_have_every_character(tmp_path: Path) -> None:
    found = run("decode", "tokenarium-8k", "5000", folder=tmp_path)
    assert not found.stdout.isascii()
    shown = run("inspect", "tokenarium-8k", "5000", folder=tmp_path, encoding="ascii")
    assert shown.returncode == 0, shown.stderr
    assert found.stdout.encode("ascii", "backslashreplace").decode() in shown.stdout
    answer = run("inspect", "tokenarium-8k", "5000", "--json", folder=tmp_path, encoding="ascii")
    assert json.loads(answer.stdout)[0]["piece"] == found.stdout


@pytest.mark.slow
def test_a_wrong_option_is_refused(tmp_path: Path) -> None:
    found = run("--wrong", folder=tmp_path)
    assert found.returncode == 2
    assert "--wrong" in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["tiktoken", "pyqtgraph", "rich", "sentencepiece", "typer", "PySide6.QtSvg"]
)
def test_the_window_does_not_import_what_it_does_not_need(module: str) -> None:
    code = f"import sys, tokenarium.app.window; sys.exit({module!r} in sys.modules)"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )


def test_the_command_line_does_without_qt() -> None:
    code = "import sys, tokenarium.commands.cli; sys.exit('PySide6' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


_OF_A_WINDOW = """
import sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from tokenarium.app.start import make_window
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.session.settings import Settings
app = QApplication([])
window = make_window(app, Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
window.show()
app.processEvents()
loaded = {name.removeprefix("tokenarium.views.") for name in sys.modules}
print(*loaded & {kind.name.id for kind in WORKSPACES})
"""


@pytest.mark.slow
def test_a_window_loads_the_workspace_that_it_shows_and_no_other(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", _OF_A_WINDOW, str(tmp_path / "settings.ini")],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert answer.stdout.split() == ["tokens"]


FAULT = """
import sys
from tokenarium.commands import cli, encode
def stumble(*_, **__):
    raise {raised}
{where} = stumble
sys.argv = ["tokenarium", {arguments}]
cli.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "raised", "sentence", "code"),
    [
        ("cli._command", "KeyError('nowhere')", "This is a fault in Tokenarium (KeyError", 1),
        ("cli._command", "PermissionError(13, 'denied', '/x')", "/x cannot be used: denied.", 1),
        ("cli._command", "MemoryError()", "There is not enough memory for this.", 1),
        (
            "encode.tokenizer_of",
            "KeyError('nowhere')",
            "This is a fault in Tokenarium (KeyError",
            1,
        ),
    ],
)
def test_what_no_command_takes_is_a_sentence(
    where: str, raised: str, sentence: str, code: int, tmp_path: Path
) -> None:
    program = FAULT.format(where=where, raised=raised, arguments="'encode', 'gpt2', 'a', '--json'")
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert found.returncode == code, found.stderr
    assert found.stdout == ""
    assert found.stderr.startswith(sentence)
    assert "Traceback" not in found.stderr
    assert "nowhere" not in found.stderr
    if "fault" in sentence:
        log = Path(found.stderr.partition("details are in /")[2].partition(".log")[0])
        written = Path(f"/{log}.log").read_text("utf-8")
        assert_contains(written, "KeyError", "tokenarium/commands/")
        assert "nowhere" not in written
