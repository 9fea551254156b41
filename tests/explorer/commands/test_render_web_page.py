"""``tokenarium render SESSION --out page.html``: a web page of a session, without a window."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from shown_scenes import shipped
from typer.testing import CliRunner

from tokenarium.commands import render as render_command
from tokenarium.commands.cli import app
from tokenarium.models.scene import Scene, SceneText, SceneTokenizer, scene_bytes
from tokenarium.models.scene_texts import sha256
from tokenarium.models.text.inspection import touching
from tokenarium_core.progress import Progress

TOKENARIUM = SceneTokenizer("shipped:tokenarium-8k")


def render(
    terminal: CliRunner, folder: Path, scene: Scene, *options: str, out: str = "page.html"
) -> Any:
    """Runs the command on a scene that is saved in a folder."""
    path = folder / "a.tokenarium"
    path.write_bytes(scene_bytes(scene))
    return terminal.invoke(app, ["render", str(path), "--out", str(folder / out), *options])


def test_a_page_has_the_text_the_tokenizers_and_the_selection(
    terminal: CliRunner, tmp_path: Path
) -> None:
    unigram = SceneTokenizer("shipped:unigram-8k")
    scene = Scene(
        text=SceneText("Tokens, <b>bold</b>", title="Two & more"),
        tokenizers=(TOKENARIUM, unigram),
        front=unigram.key,
        workspace="tokens",
        selection=(0, 6),
        colours={"scheme": "dark"},
    )
    done = render(terminal, tmp_path, scene)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"wrote {tmp_path / 'page.html'}\n"
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<title>Two &amp; more</title>" in html
    assert 'data-theme="dark"' in html
    assert "<p>Tokens, &lt;b&gt;bold&lt;/b&gt;</p>" in html
    assert html.index("<b>Unigram 8k</b>") < html.index("<b>Tokenarium 8k</b>")
    counts = [
        last - first
        for id in ("unigram-8k", "tokenarium-8k")
        for first, last in [touching(shipped(id).encode("Tokens, <b>bold</b>"), 0, 6)]
    ]
    assert [int(one) for one in re.findall(r"<b>(\d+)</b> selected", html)] == counts
    assert "Computed with Tokenarium 8k (BPE), 8,000 entries; Unigram 8k" in html


def test_the_theme_of_the_option_wins(terminal: CliRunner, tmp_path: Path) -> None:
    scene = Scene(text=SceneText("a"), tokenizers=(TOKENARIUM,), colours={"scheme": "dark"})
    render(terminal, tmp_path, scene, "--theme", "contrast")
    assert 'data-theme="contrast"' in (tmp_path / "page.html").read_text("utf-8")


def test_what_is_missing_is_said_and_replaced(terminal: CliRunner, tmp_path: Path) -> None:
    away = SceneTokenizer("file:/nowhere/mine.json", "Mine", instead=("shipped:bpe-gpt2-8k",))
    gone = SceneTokenizer("file:/nowhere/yours.json", "Yours")
    scene = Scene(text=SceneText("a"), tokenizers=(away, gone, TOKENARIUM), workspace="tokens")
    done = render(terminal, tmp_path, scene)
    assert done.exit_code == 0
    assert "Mine is not on this computer; BPE 8k, GPT-2 cuts replaces it." in done.stderr
    assert "Yours is left out." in done.stderr
    html = (tmp_path / "page.html").read_text("utf-8")
    assert html.count('<li class="card ') == 2
    assert "/nowhere" not in html


def test_a_text_in_a_file_is_read_and_compared(terminal: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "beside.txt").write_text("The text")
    text = SceneText(beside="beside.txt", sha256=sha256(b"Another text"))
    done = render(terminal, tmp_path, Scene(text=text, tokenizers=(TOKENARIUM,)))
    assert "beside.txt has changed since this was saved." in done.stderr
    assert "<p>The text</p>" in (tmp_path / "page.html").read_text("utf-8")
    (tmp_path / "beside.txt").unlink()
    done = render(terminal, tmp_path, Scene(text=text, tokenizers=(TOKENARIUM,)))
    assert done.exit_code == 0
    assert "The text is not here." in done.stderr


def test_pages_without_tokenizers_and_without_a_text(terminal: CliRunner, tmp_path: Path) -> None:
    for workspace, page in (("tokens", "tokens"), ("pretokens", ""), ("bytes", "bytes")):
        for scene in (
            Scene(text=SceneText("a"), workspace=workspace, page=page),
            Scene(tokenizers=(TOKENARIUM,), workspace=workspace, page=page),
        ):
            done = render(terminal, tmp_path, scene)
            assert done.exit_code == 0, (workspace, done.output)


def test_a_selection_without_tokenizers_leaves_the_text_whole(
    terminal: CliRunner, tmp_path: Path
) -> None:
    render(terminal, tmp_path, Scene(text=SceneText("abc"), selection=(1, 2)))
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<p>abc</p>" in html
    assert re.findall(r"<u data-t=(\w+)></u>", html) == ["a", "b", "c"]


def test_a_pattern_that_is_wrong_has_no_row(terminal: CliRunner, tmp_path: Path) -> None:
    display = {"patterns": ["own", "gpt2"], "own_pattern": "("}
    scene = Scene(text=SceneText("a"), workspace="pretokens", display=display)
    assert render(terminal, tmp_path, scene).exit_code == 0
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<p>Own pattern: " in html
    assert html.count('<li class="card ') == 1


@pytest.mark.parametrize(
    ("scene", "options", "said"),
    [
        (Scene(workspace="vocabulary", page="prune"), (), "These pages can: Tokens, Steps, "),
        (Scene(workspace="vocabulary", page="entries"), (), "the scene has too few tokenizers"),
        (Scene(workspace="no such"), (), "This page cannot be a web page."),
        (Scene(), ("--size", "900x700"), "A web page has no size: leave out --size."),
        (Scene(workspace="merges", page="why"), (), "Nothing is selected"),
        (Scene(above={"why": {}}), (), "Nothing is selected"),
        (
            Scene(text=SceneText("a" * 999), selection=(0, 999), above={"why": {}}),
            (),
            "Only strings of up to 300 bytes",
        ),
    ],
)  # fmt: skip
def test_it_says_why_there_is_no_page(
    terminal: CliRunner, tmp_path: Path, scene: Scene, options: tuple[str, ...], said: str
) -> None:
    done = render(terminal, tmp_path, scene, *options)
    assert said in done.output
    assert "Traceback" not in done.output


def test_a_terminal_shows_how_many_steps_are_drawn(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Progress | None] = []
    monkeypatch.setattr(render_command, "write_stage", told.append)
    scene = Scene(
        text=SceneText("Some lower weather " * 5),
        tokenizers=(SceneTokenizer("shipped:bpe-gpt2-8k"),),
        workspace="merges",
        page="steps",
        selection=(0, 90),
    )
    assert render(terminal, tmp_path, scene).exit_code == 0
    shares = [one.fraction for one in told if one is not None]
    assert shares == sorted(set(shares))
    assert shares[0] == 0
    assert len(shares) > 2
    assert told[-1] is None  # so that nothing of it stays


def test_a_training_that_is_made_again_is_reported_too(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Progress | None] = []
    monkeypatch.setattr(render_command, "write_stage", told.append)
    trained = {"corpus": "text", "file": "", "algorithm": "bpe", "size": 300, "options": {}}
    scene = Scene(
        text=SceneText("Some lower weather " * 50),
        tokenizers=(TOKENARIUM,),
        workspace="merges",
        page="training",
        pages={"merges.training": {"trained": trained}},
    )
    assert render(terminal, tmp_path, scene).exit_code == 0
    phases = [one.phase for one in told if one is not None]
    assert "drawing the steps" in phases
    assert phases[0] != "drawing the steps"


def test_of_a_long_text_the_page_has_the_beginning(terminal: CliRunner, tmp_path: Path) -> None:
    scene = Scene(text=SceneText("a b\n" * 200_000), tokenizers=(TOKENARIUM,))
    assert render(terminal, tmp_path, scene).exit_code == 0
    html = (tmp_path / "page.html").read_text("utf-8")
    assert re.search(r"<p>These are the first [\d,]+ of 800,000 bytes of the text", html)
    assert len(html) < 6_000_000


def test_a_folder_is_no_session(terminal: CliRunner, tmp_path: Path) -> None:
    done = terminal.invoke(app, ["render", ".", "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 1
    assert done.stderr.startswith(". cannot be read: ")
    assert not (tmp_path / "page.html").exists()
