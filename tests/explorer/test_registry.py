"""Every format under a strange name: opened by the core, by the command line, and dropped on the window; texts stay texts."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path

import gguf_files
import pytest
from flat_models import flat
from litertlm_files import SENTENCEPIECE, bundle
from mutation_seeds import seeds
from narrowed import there
from other_files import FILES
from pytestqt.qtbot import QtBot
from sentencepiece_models import trained
from small_files import new_folder
from small_vocabularies import LOWER, rank_file
from tekken_files import tekken
from typer.testing import CliRunner
from windows import emitted

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.commands.cli import app
from tokenarium.menus.library_commands import file_filters
from tokenarium.models.tokenizers.library import State
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.session.catalogue import needs_pattern
from tokenarium_core.formats.format import CERTAIN, HEAD_BYTES, FileHead
from tokenarium_core.formats.named import NAMED, cache_path
from tokenarium_core.formats.opening import is_tokenizer, tokenizers_in
from tokenarium_core.formats.registry import FORMATS, has_own_name, recognized
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces

TEXT = "low lower"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "low", "##er", "##l"]


def saved(folder: Path, format: str, name: str, algorithm: str = "bpe") -> Path:
    tc.train(algorithm, ["low lower lowest"], pattern="gpt2", vocab_size=260).save(
        folder / name, format
    )
    return folder / name


def gpt2_pair(folder: Path) -> Path:
    saved(folder, "gpt2", "encoder.json")
    (folder / "encoder.json").rename(folder / "mine-vocab.json")
    (folder / "vocab.bpe").rename(folder / "mine-merges.txt")
    return folder / "mine-vocab.json"


def written(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def fairseq(folder: Path) -> Path:
    pieces = [piece for piece, _, kind in raw_pieces(trained("bpe"), "m.model")[0] if kind != 3]
    lines = [f"{piece} {9000 - place}\n" for place, piece in enumerate(pieces[1:])]
    written(folder, "m.model", trained("bpe"))
    return written(folder, "dict.txt", "".join(lines).encode())


SMALL: dict[str, Callable[[Path], Path]] = {
    "tokenarium": lambda folder: saved(folder, "tokenarium", "strange.dat"),
    "huggingface": lambda folder: saved(folder, "huggingface", "strange.txt"),
    "tekken": lambda folder: written(folder, "mistral.json", json.dumps(tekken()).encode()),
    "tiktoken": lambda folder: saved(folder, "tiktoken", "strange.txt"),
    "sentencepiece": lambda folder: written(folder, "strange", trained("bpe")),
    "sentencepiece-lite": lambda folder: written(folder, "strange.spm.fb", flat(trained("bpe"))),
    "litertlm": lambda folder: written(
        folder, "strange", bundle([(SENTENCEPIECE, trained("bpe"), "")])
    ),
    "gpt2": gpt2_pair,
    "fairseq": fairseq,
    "gguf": lambda folder: gguf_files.of_merges(
        folder / "strange", tc.open(shipped_path("tokenarium-8k")), "gpt-2"
    ),
    "boundless": lambda folder: saved(folder, "boundless", "strange.txt", "boundless-bpe"),
    "vocab.txt": lambda folder: written(folder, "my_vocab.txt", "\n".join([*WORDS, ""]).encode()),
    **{
        format: lambda folder, format=format: written(folder, "strange.txt", FILES[format][1]())
        for format in FILES
    },
}
"""A tokenizer of each format, made in a folder."""


def mistral(data: Path, folder: Path) -> Path:
    return written(folder, "mistral.txt", (data / "tokenizers" / "mistral-v3.model").read_bytes())


def gpt2(data: Path, folder: Path) -> Path:
    for name in ("encoder.json", "vocab.bpe"):
        written(folder, f"gpt-2-{name}", (data / "tokenizers" / "gpt2" / name).read_bytes())
    return folder / "gpt-2-vocab.bpe"


def cl100k(data: Path, folder: Path) -> Path:
    file = cache_path(NAMED["cl100k_base"].files[0]).name
    return written(
        folder, "ranks.txt", (data / "tokenizers" / "tiktoken-cache" / file).read_bytes()
    )


REAL: dict[str, Callable[[Path, Path], Path]] = {
    "sentencepiece": mistral,
    "gpt2": gpt2,
    "tiktoken": cl100k,
}


def check_all_ways(window: MainWindow, qtbot: QtBot, path: Path, format: str) -> None:
    tokenizer = tc.open(path)
    assert tokenizer.source.format == format
    ids = tokenizer.encode_ids(TEXT)
    result = CliRunner().invoke(app, ["encode", str(path), TEXT, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["ids"] == ids
    window.session.set_text("before")
    said: list[str] = emitted(window.session.problem)
    window.take_files([path])
    qtbot.waitUntil(lambda: not window.session.opening)
    item = there(window.session.library.item(f"file:{path}"))
    assert (item.state, "".join(said)) == (State.OPEN, "")
    assert item.tokenizer is not None
    assert item.tokenizer.encode_ids(TEXT) == ids
    assert window.session.text == "before"


def test_each_format_is_in_the_table() -> None:
    assert SMALL.keys() == FORMATS.keys()


@pytest.mark.parametrize("format", list(SMALL))
def test_a_strange_name_changes_nothing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, format: str
) -> None:
    folder = new_folder(tmp_path / "strange")
    path = SMALL[format](folder)
    check_all_ways(window, qtbot, path, format)
    if path.suffix:
        found = tokenizers_in(folder, sorted(os.listdir(folder)))
        beside = {"fairseq": ["sentencepiece", "fairseq"]}  # the model is one by itself, too
        listed = [] if path.suffix == ".dat" else beside.get(format, [format])
        assert [one.format.name for one in found] == listed


@pytest.mark.parametrize("format", list(REAL))
def test_a_strange_name_of_a_published_file(
    window: MainWindow, qtbot: QtBot, data: Path, tmp_path: Path, format: str
) -> None:
    folder = new_folder(tmp_path / "strange")
    check_all_ways(window, qtbot, REAL[format](data, folder), format)


@pytest.mark.parametrize("file", ["gemma3.model", "gemma3-tokenizer.json"])
def test_large_files_are_known_by_their_beginning(data: Path, tmp_path: Path, file: str) -> None:
    (tmp_path / "strange.txt").symlink_to(data / "tokenizers" / file)
    assert is_tokenizer(tmp_path / "strange.txt")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.txt", b"It was a bright cold day in April.\n" * 9),
        ("notes.txt", b"[UNK]\n"),
        ("notes.txt", b"BERT's words begin so:\n[PAD]\n[UNK]\n##er\n"),
        ("notes.txt", b"Chapter 1\nIn the beginning\n"),
        ("notes.txt", b"Four 1\n" * 40),
        ("notes.txt", b"\nHi\nthere\n"),
        ("notes.txt", b"\n\nA\n\n"),
        ("notes.txt", b""),
        ("shader.txt", b"#version 330 core\nvoid main() {}\n"),
        ("vocab.txt", b"Words that I learnt\n"),
        ("data.json", b'{"a": 1, "b": 2}'),
        ("data.json", b'{"model": {"name": "a car"}, "doors": 4}'),
        ("data.json", b'{"config": {"theme": "dark"}}'),
        ("data.json", b'{"config": {"theme": "dark"}, "vocab": {"le": "the"}}'),
        ("data.json", b'{"format": "A4", "pages": [1, 2]}'),
        ("data.json", b'{"vocab": ["a", "b"]}'),
        ("data.json", b'["model", "added_tokens"]'),
        ("data.json", b'{"cut": '),
    ],
)
def test_texts_and_data_are_dropped_as_text(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str, content: bytes
) -> None:
    path = written(tmp_path, name, content)
    window.session.set_text("before")
    count = len(list(window.session.library))
    window.take_files([path])
    qtbot.waitUntil(lambda: not window.session.opening)
    assert window.session.text == content.decode()
    assert len(list(window.session.library)) == count


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("merges.txt", b"#version: 0.2\na b\n", "merges.txt needs vocab.json beside it"),
        ("merges.txt", b"a b\n", "choose File › Open text"),
        ("added_tokens.json", b'{"<pad>": 7}', "the settings of a model"),
    ],
)
def test_a_part_of_a_tokenizer_is_not_dropped_as_text(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    window.session.set_text("before")
    count = len(list(window.session.library))
    window.take_files([written(tmp_path, name, content)])
    qtbot.waitUntil(lambda: said in window.messages.label.text())
    assert window.session.text == "before"
    assert len(list(window.session.library)) == count


def test_a_huge_file_is_looked_at_for_a_moment(tmp_path: Path) -> None:
    path = written(tmp_path, "huge.json", b'{"config": {"a": "' + b"x" * HEAD_BYTES)
    os.truncate(path, 1 << 40)
    assert not is_tokenizer(path)


@pytest.mark.parametrize("seed", list(seeds()))
def test_what_is_certain_by_its_beginning_is_opened_as_that(seed: str) -> None:
    for name, content in seeds()[seed].items():
        for cut in range(0, min(len(content), 400), 7):
            faulty = content[:cut] + content[cut + 1 :]
            certain = recognized(FileHead(faulty[:HEAD_BYTES], name), CERTAIN)
            assert certain is None or certain is recognized(FileHead(faulty, name))


def test_ranks_of_any_name_ask_for_their_pattern(tmp_path: Path) -> None:
    ranks = rank_file([b"lo", b"low"])
    for name in ("small.tiktoken", "tokenizer.model", "strange.txt"):
        assert needs_pattern(written(tmp_path, name, ranks)), name
    LOWER.save(tmp_path / "whole.txt", "tiktoken")
    assert not needs_pattern(tmp_path / "whole.txt")
    lines = b"".join(base64.b64encode(b"abc") + b" %d\n" % n for n in range(99))
    assert not needs_pattern(written(tmp_path, "twice.txt", lines))


def test_half_of_a_pair_says_what_it_needs(tmp_path: Path) -> None:
    path = written(tmp_path, "words.json", b'{"a": 0}')
    written(tmp_path, "encoder.json", b'{"b": 0}')
    with pytest.raises(
        tc.FormatError, match=r"name them encoder\.json and vocab\.bpe or vocab\.json"
    ):
        tc.open(path)


def test_menus_and_dialogs_name_every_format(window: MainWindow) -> None:
    declared = window.actions_by_id.declared
    tip = next(action.tip for action in declared if action.id == "open_tokenizer")
    filters = file_filters().split(";;")
    assert len(filters) == len(FORMATS) + 3  # all together, archives, any file
    for format in FORMATS.values():
        assert all(f"*{suffix}" in tip for suffix in format.suffixes)
        (own,) = [filter for filter in filters if filter.startswith(f"{format.title} (")]
        for suffix in format.suffixes:
            assert f"*{suffix}" in own
            assert f"*{suffix}" in filters[0]


@pytest.mark.parametrize(
    ("name", "own"),
    [
        *[(name, True) for name in ("x.tiktoken", "x.bpe", "x.model", "x.spm")],
        *[(name, True) for name in ("tokenizer.json", "my-tokenizer.json", "tekken.json")],
        *[(name, False) for name in ("x.json", "x.txt", "vocab.txt", "merges.txt", "x.v3", "")],
    ],
)
def test_names_of_no_other_kind_of_file(name: str, own: bool) -> None:
    assert has_own_name(name) is own
