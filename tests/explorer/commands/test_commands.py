"""The commands of the terminal: their output, their errors and their exit codes."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command_line import refused, run
from logs import close_log
from narrowed import assert_contains, there
from sentencepiece_models import SMALL, message
from small_files import new_folder, saved, write_file
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.commands.cli import app
from tokenarium.commands.price_options import price_list
from tokenarium.commands.terminal import FAILED, FOUND, PARTLY, tokenizer_of
from tokenarium.models.chat.template_files import templates_of
from tokenarium.models.compare.parallel_texts import shipped as shipped_texts
from tokenarium.models.compare.part_tallies import tally_part
from tokenarium.models.diagnosis.diagnosing import diagnose
from tokenarium.models.inequality import gini
from tokenarium.models.training import encoding_race
from tokenarium.models.training.store import Store
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.session.catalogue import shipped
from tokenarium.work.cluster import Cluster
from tokenarium_core.explaining.merge_path import merges

SHIPPED = "tokenarium-8k"
TEXT = "Hello, wörld 123"


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A terminal whose trained tokenizers are in a folder of this test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("tokenarium.commands.reading.store_folder", lambda: tmp_path / "trained")
    monkeypatch.setattr(
        "tokenarium.commands.training_output.store_folder", lambda: tmp_path / "trained"
    )
    monkeypatch.setenv("COLUMNS", "160")
    return CliRunner()


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.open(shipped().source)


def test_shipped_tokenizers_are_known_by_their_names(terminal: CliRunner) -> None:
    for one in SHIPPED_TOKENIZERS:
        assert tokenizer_of(one.id).name == one.name
    found = terminal.invoke(app, ["encode", "nope", TEXT])
    assert found.exit_code == FAILED
    assert all(one.id in found.output.replace("\n", " ") for one in SHIPPED_TOKENIZERS)


def test_encode_and_decode(terminal: CliRunner, tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    ids = tokenizer.encode_ids(TEXT)
    written = " ".join(map(str, ids)) + "\n"
    file = write_file(tmp_path / "text.txt", TEXT)
    for arguments, text in (
        ([TEXT], None),
        (["--file", str(file)], None),
        ([], TEXT),
    ):
        found = terminal.invoke(app, ["encode", SHIPPED, *arguments], input=text)
        assert (found.exit_code, found.stdout) == (0, written)
    found = terminal.invoke(app, ["encode", SHIPPED, TEXT, "--json"])
    answer = json.loads(found.stdout)
    assert answer["ids"] == ids
    assert bytes.fromhex("".join(token["bytes"] for token in answer["tokens"])) == TEXT.encode()
    assert answer["tokens"][-1]["span"][1] == len(TEXT.encode())
    for given in (written, json.dumps(ids)):
        found = terminal.invoke(app, ["decode", SHIPPED], input=given)
        assert (found.exit_code, found.stdout) == (0, TEXT)
    assert json.loads(run(terminal, "decode", SHIPPED, *map(str, ids), "--json"))["text"] == TEXT


def test_encode_shows_tokens(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    found = run(terminal, "encode", SHIPPED, "[bold] a", "--show")
    assert_contains(found, "␣a", "5B")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["encode", "nowhere", "a"], "There is no file nowhere"),
        (["encode", SHIPPED, "--file", "gone.txt"], "gone.txt cannot be used"),
        (["decode", SHIPPED, "one"], "'one' is not an id"),
        (["decode", SHIPPED, "99999999"], "There is no id 99999999"),
        (["decode", SHIPPED, "9" * 30], "There is no id 999"),
        (["decode", SHIPPED, "9" * 5000], "9999…' is not an id"),
        (["decode", SHIPPED, "--", "--5"], "'--5' is not an id"),
        (["inspect", SHIPPED, "9" * 5000], "but not 99999999999999999999…"),
        (["inspect", SHIPPED, "a\udcffb"], r"has no entry 'a\udcffb'"),
        (["inspect", SHIPPED, "zzqqzz"], "has no entry 'zzqqzz'"),
        (["inspect", SHIPPED, "99999999"], "but not 99,999,999"),
        (["inspect", SHIPPED, "a", "--scripts"], "--scripts is about all entries"),
        (["inspect", "wordpiece-8k", "--merges"], "has no merges"),
        (["compare", SHIPPED, "--languages", "--text", "a"], "bring their own texts"),
        (["compare", SHIPPED, "--languages", "--parallel", "."], "not both"),
        (["compare", SHIPPED, "--parallel", "gone"], "gone cannot be read"),
        (["compare", "nowhere", "--text", "a"], "There is no file nowhere"),
        (["compare", SHIPPED, "--file", "gone.txt"], "gone.txt: It cannot be read"),
        (["export", SHIPPED, "--out", "x.onnx"], "belongs to no format"),
        (["export", SHIPPED, "--out", "x.model"], "has different stages"),
        (["train", "-a", "magic", "library"], "'magic' is not an algorithm"),
        (["train"], "There is nothing to train on"),
        (["train", "library", "-o", "nope=1"], "'nope=1' is not an option"),
        (
            ["train", "library", "-o", "min_frequency=often"],
            "takes a whole number, such as 2, not “often”",
        ),
        (["train", "library=0"], "The weight 0 is not possible"),
        (["train", "library", "-n", "10"], "too small"),
        (["train", "library", "-n", str(1 << 32)], "A vocabulary of 4,294,967,296 is too large"),
        (["train", "library", "-o", "min_frequency=" + "9" * 30], "has to be at least 1 and at"),
        (["train", "~no-user-of-that-name/x"], "It cannot be read"),
        (
            ["train", "library", "--out", "made.onnx"],
            "made.onnx belongs to no format: choose one with",
        ),
        (["train", "library", "--out", "gone/made.json"], "there is no folder gone"),
        (["train", "gone.txt"], "Nothing was read from the corpus. gone.txt: It cannot be read"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    terminal: CliRunner, arguments: list[str], sentence: str
) -> None:
    assert sentence in refused(terminal, *arguments)


def test_text_that_is_not_utf8(terminal: CliRunner) -> None:
    assert "byte 3 (0xE9)" in refused(terminal, "encode", SHIPPED, input=b"caf\xe9 ")


def test_a_device_that_never_ends(terminal: CliRunner) -> None:
    if Path("/dev/zero").exists():
        assert "it is a device, not a file" in refused(
            terminal, "encode", SHIPPED, "--file", "/dev/zero"
        )


def test_a_text_is_read_from_the_standard_input_where_that_is_asked_for(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments in (["encode", SHIPPED], ["encode", SHIPPED, "--file", "-"]):
        found = terminal.invoke(app, arguments, input=TEXT)
        assert found.output == terminal.invoke(app, ["encode", SHIPPED, TEXT]).output
    out = str(tmp_path / "t.json")
    trained = ["train", "-", "-n", "260", "--no-keep", "--out", out]
    assert terminal.invoke(app, trained, input=TEXT * 50).exit_code == 0
    assert len(tc.open(out).vocabulary) == 260
    monkeypatch.setattr("tokenarium_core.command_values.LARGEST", 1000)
    for arguments in (["encode", SHIPPED, "--file", "-"], ["train", "-", "-n", "260"]):
        assert "The standard input has more than" in refused(terminal, *arguments, input="x" * 1001)


def test_ids_that_are_not_utf8(terminal: CliRunner) -> None:
    assert "is not an id" in refused(terminal, "decode", SHIPPED, input=b"1 \xff")


def test_a_name_that_is_not_utf8(terminal: CliRunner, tmp_path: Path) -> None:
    """Terminals and file systems pass stray bytes on as surrogates, which cannot be written to a file."""
    text = write_file(tmp_path / "text.txt", TEXT * 9)
    made = tmp_path / "made.json"
    run(terminal, "train", str(text), "-n", "260", "--name", "n\udcff", "--out", str(made))
    assert tc.open(made).name == r"n\udcff"
    if sys.platform != "darwin":  # where file systems have names in UTF-8 only
        copy = write_file(tmp_path / "c\udcff.json", made.read_bytes())
        ranks = tmp_path / "ranks.tiktoken"
        run(terminal, "export", str(copy), "--out", str(ranks))


def test_inspect_writes_infinite_scores_as_null(terminal: CliRunner, tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "x.model", message([*SMALL, ("c", float("-inf"), 1)], kind=4).SerializeToString()
    )
    assert json.loads(run(terminal, "inspect", str(path), "c", "--json"))[0]["score"] is None


def test_inspect(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    assert f"{len(tokenizer.vocabulary):,}" in run(terminal, "inspect", SHIPPED)
    assert json.loads(terminal.invoke(app, ["inspect", SHIPPED, "--json"]).stdout)["Vocabulary"]
    rows = json.loads(run(terminal, "inspect", SHIPPED, "300", " the", "--json"))
    assert [row["id"] for row in rows] == [300, tokenizer.vocabulary.find(b" the")]
    assert "␣the" in terminal.invoke(app, ["inspect", SHIPPED, " the"]).stdout


def test_inspect_lists_added_tokens_with_their_options(terminal: CliRunner, tmp_path: Path) -> None:
    options = {"lstrip": True, "rstrip": False, "single_word": True, "normalized": False}
    token = {"id": 1, "content": "<x>", "special": False, **options}
    model = {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"}
    path = write_file(
        tmp_path / "tokenizer.json", json.dumps({"added_tokens": [token], "model": model})
    )
    assert json.loads(run(terminal, "inspect", str(path), "--json"))["Added tokens"] == [token]
    assert "<x> · lstrip · single_word" in terminal.invoke(app, ["inspect", str(path)]).stdout


def test_inspect_has_the_hash_of_each_file(terminal: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n", "utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}', "utf-8")
    digests = {
        f"SHA-256 of {name}": hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        for name in ("vocab.txt", "tokenizer_config.json")
    }
    assert json.loads(run(terminal, "inspect", str(tmp_path), "--json"))["Files"] == digests
    shown = terminal.invoke(app, ["inspect", str(tmp_path)]).stdout
    assert all(digest in shown for digest in digests.values())


def test_compare_distinguishes_two_of_one_name(terminal: CliRunner, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder / "bert").mkdir(parents=True)
        (tmp_path / folder / "bert" / "vocab.txt").write_text("[UNK]\na\n", "utf-8")
    paths = [str(tmp_path / folder / "bert" / "vocab.txt") for folder in ("one", "two", "two")]
    found = terminal.invoke(app, ["compare", *paths, "--text", "a", "--json"])
    names = [row["tokenizer"] for row in json.loads(found.stdout)["rows"]]
    assert names[:2] == ["bert", "bert (two)"]
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("lines", "entry", "token"),
    [
        (["[UNK]", "the", "##ing", "ing"], "##ing", 2),
        (["[UNK]", "the", "##ing", "ing"], "ing", 3),
        (["[UNK]", "the", "##ing", "ing"], "[UNK]", 0),
    ],
)
def test_inspect_finds_an_entry_as_its_file_spells_it(
    terminal: CliRunner, tmp_path: Path, lines: list[str], entry: str, token: int
) -> None:
    file = write_file(tmp_path / "vocab.txt", "\n".join(lines))
    found = terminal.invoke(app, ["inspect", str(file), entry, "--json"])
    assert [row["id"] for row in json.loads(found.stdout)] == [token]


@pytest.mark.parametrize("entry", ["Ġthe", "▁the"])
def test_inspect_knows_the_signs_of_spaces(terminal: CliRunner, tmp_path: Path, entry: str) -> None:
    kind = "bpe" if entry.startswith("Ġ") else "sentencepiece-bpe"
    trained = tc.train(kind, [sample_text("prose-en")], vocab_size=500)
    file = saved(trained, tmp_path / "made.json", "huggingface", allow_differences=True)
    (row,) = json.loads(run(terminal, "inspect", str(file), entry, "--json"))
    assert row["piece"] == entry
    assert bytes.fromhex(row["bytes"]) == b" the"


@pytest.mark.parametrize(
    ("entry", "piece"), [("Ġthe", b" the"), ("Ċ", b"\n"), ("Ã©", "é".encode()), ("Ã", b"\xc3")]
)
def test_inspect_knows_gpt2s_alphabet_where_the_file_holds_bytes(
    terminal: CliRunner, tmp_path: Path, entry: str, piece: bytes
) -> None:
    file = saved(
        tc.train("bpe", ["the café, the café\n" * 9], vocab_size=275),
        tmp_path / "made.tiktoken",
        "tiktoken",
    )
    found = terminal.invoke(app, ["inspect", str(file), entry, "--json"])
    assert [row["bytes"] for row in json.loads(found.stdout)] == [piece.hex()]
    assert "has no entry 'Ġnever'" in refused(terminal, "inspect", str(file), "Ġnever")


def test_inspect_counts_what_would_be_too_long_to_list(terminal: CliRunner, tmp_path: Path) -> None:
    symbols = [f"<s{number}>" for number in range(40)]
    model = tmp_path / "made.model"
    options = {"vocab_size": 100, "user_defined_symbols": symbols}
    trained = tc.train("sentencepiece-bpe", [sample_text("prose-en")], **options)
    trained.save(model, "sentencepiece")
    found = terminal.invoke(app, ["inspect", str(model)])
    assert "<s11>" in found.stdout
    assert "<s12>" not in found.stdout
    assert "… and 28 more" in found.stdout
    answer = json.loads(terminal.invoke(app, ["inspect", str(model), "--json"]).stdout)
    assert answer["Stored: trainer"]["user_defined_symbols"].split() == symbols


def test_inspect_has_counts_as_numbers(terminal: CliRunner, tmp_path: Path) -> None:
    model = tmp_path / "made.model"
    trained = tc.train("sentencepiece-bpe", [sample_text("prose-en")], vocab_size=400)
    trained.save(model, "sentencepiece")
    answer = json.loads(terminal.invoke(app, ["inspect", str(model), "--json"]).stdout)
    assert answer["Vocabulary"]["Entries"] == len(trained.vocabulary)
    assert isinstance(answer["Stages"]["Added tokens"], int)
    stored = answer["Stored: trainer"]
    assert (stored["vocab_size"], stored["model_type"]) == (400, "BPE")
    values = [
        value for rows in answer.values() if isinstance(rows, dict) for value in rows.values()
    ]
    texts = [value for value in values if isinstance(value, str)]
    assert not [text for text in texts if re.fullmatch(r"-?\d{1,3}(,?\d{3})*(\.\d+)?", text)]


def test_inspect_shows_what_it_finds_and_names_the_rest(terminal: CliRunner) -> None:
    arguments = ["inspect", SHIPPED, " the", "zzqqzz", "300", "99999999"]
    found = terminal.invoke(app, [*arguments, "--json"])
    assert found.exit_code == FAILED
    assert [row["id"] for row in json.loads(found.stdout)][1:] == [300]
    assert_contains(found.stderr, "has no entry 'zzqqzz'", "but not 99,999,999")
    assert "␣the" in terminal.invoke(app, arguments).stdout


@pytest.mark.parametrize("kind", ["bpe", "sentencepiece-bpe", "unigram"])
def test_inspect_shows_ranks_of_merges(terminal: CliRunner, tmp_path: Path, kind: str) -> None:
    file = tmp_path / ("made.json" if kind == "bpe" else "made.model")
    format = "tokenarium" if kind == "bpe" else "sentencepiece"
    tc.train(kind, [sample_text("prose-en") * 2], vocab_size=400).save(file, format)
    tokenizer = tc.open(file)
    pair = next(
        token
        for token in range(300, 400)
        if len(tokenizer.vocabulary.piece(token)) == 2 and tokenizer.vocabulary.surface(token)
    )
    single = tokenizer.vocabulary.find(b"e")
    answer = json.loads(
        terminal.invoke(app, ["inspect", str(file), str(pair), str(single), "--json"]).stdout
    )
    if kind == "unigram":
        assert not any("rank" in row for row in answer)
        return
    columns = VocabularyColumns(tokenizer)
    assert columns.merges is not None
    made = columns.merges.results.tolist()
    rank = made.index(pair)
    order = columns.merges.priorities
    assert answer[0]["rank"] == (int(order[rank]) if len(order) else rank)
    assert answer[1]["rank"] is None
    assert "rank" in terminal.invoke(app, ["inspect", str(file), str(pair)]).stdout


@pytest.mark.slow
def test_inspect_lists_the_merges(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    rows = json.loads(run(terminal, "inspect", SHIPPED, "--merges", "--json"))
    assert [(row["left"], row["right"], row["id"]) for row in rows] == merges(tokenizer)
    piece = tokenizer.vocabulary.piece
    assert all(piece(row["left"]) + piece(row["right"]) == piece(row["id"]) for row in rows)
    shown = terminal.invoke(app, ["inspect", SHIPPED, "--merges"]).stdout
    first = rows[0]
    assert f"({first['left']}, {first['right']}) → {first['id']}" in shown


def test_inspect_counts_scripts(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    answer = json.loads(run(terminal, "inspect", SHIPPED, "--scripts", "--json"))
    size = len(tokenizer.vocabulary)
    assert sum(row["entries"] for row in answer["scripts"]) == answer["entries"] == size
    sizes = sum(len(tokenizer.vocabulary.piece(token)) for token in range(size))
    assert sum(row["bytes"] for row in answer["scripts"]) == sizes
    assert "Latin" in terminal.invoke(app, ["inspect", SHIPPED, "--scripts"]).stdout


def test_decode_says_what_is_not_utf8(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    token = str(tokenizer.vocabulary.find(b"\xe2"))
    found = terminal.invoke(app, ["decode", SHIPPED, token])
    assert found.stdout_bytes == b"\xe2"
    assert "not UTF-8: byte 0 (0xE2)" in found.stderr
    found = terminal.invoke(app, ["decode", SHIPPED, token, "--json"])
    answer = json.loads(found.stdout)
    assert (answer["valid_utf8"], answer["bytes"], answer["text"]) == (False, "e2", "\ufffd")
    assert "U+FFFD" in found.stderr
    ids = [str(token) for token in tokenizer.encode_ids("\ufffd")]  # the sign itself is a text
    found = terminal.invoke(app, ["decode", SHIPPED, *ids, "--json"])
    assert json.loads(found.stdout)["valid_utf8"]
    assert found.stderr == ""


@pytest.mark.slow
def test_diagnose(terminal: CliRunner, tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    found = run(terminal, "diagnose", SHIPPED, "--json")
    expected = [one.id for one in diagnose(tokenizer)]
    answer = json.loads(found)["findings"]
    assert [one["id"] for one in answer] == expected
    assert {one["level"] for one in answer} == {"may-surprise", "fine", "not-examined"}
    for level, code in (("lost-text", 0), ("wrong-ids", 0), ("may-surprise", FOUND)):
        assert terminal.invoke(app, ["diagnose", SHIPPED, "--fail-on", level]).exit_code == code
    assert "choose from wrong-ids, lost-text, may-surprise." in refused(
        terminal, "diagnose", SHIPPED, "--fail-on", "fine"
    )
    assert answer[0]["sentence"] in terminal.invoke(app, ["diagnose", SHIPPED]).stdout
    file = write_file(tmp_path / "vocab.txt", "[UNK]\na\n")
    found = terminal.invoke(app, ["diagnose", str(file)])
    assert found.exit_code == FOUND
    assert "Texts that do not survive a round trip (lost text)" in found.stdout
    assert terminal.invoke(app, ["diagnose", str(file), "--fail-on", "wrong-ids"]).exit_code == 0
    assert terminal.invoke(app, ["diagnose", "nowhere"]).exit_code == FAILED


def test_diagnose_runs_some_examinations_alone(terminal: CliRunner) -> None:
    only = ["--only", "round_trip", "--only", "blank_runs"]
    found = terminal.invoke(app, ["diagnose", "wordpiece-8k", *only, "--json"])
    assert [one["id"] for one in json.loads(found.stdout)["findings"]] == [
        "round_trip",
        "blank_runs",
    ]
    none = terminal.invoke(app, ["diagnose", "wordpiece-8k", *only, "--cases", "0"])
    assert "comes back as" not in none.stdout
    assert "choose from unreachable" in refused(
        terminal, "diagnose", "wordpiece-8k", "--only", "speed"
    )


@pytest.mark.usefixtures("words_by_spaces")
def test_compare_has_a_row_for_each_file(
    terminal: CliRunner, tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    folder = new_folder(tmp_path / "texts")
    texts = {"en.txt": sample_text("prose-en"), "ja.txt": sample_text("prose-ja")}
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    (folder / "picture.png").write_bytes(b"\x89PNG")
    files = [option for name in texts for option in ("--file", str(folder / name))]
    for given in (files, ["--file", str(folder)]):
        rows = json.loads(run(terminal, "compare", SHIPPED, *given, "--json"))["rows"]
        assert [Path(row["file"]).name for row in rows] == list(texts)
        for row, text in zip(rows, texts.values(), strict=True):
            ids = tokenizer.encode_ids(text)
            assert row["tokens"] == len(ids)
            assert row["bytes_per_token"] == len(text.encode()) / len(ids)
            assert row["round_trip"]
        words = texts["en.txt"].split()
        alone = sum(len(tokenizer.encode_ids(word)) for word in words)
        assert rows[0]["fertility_alone"] == alone / len(words)
        assert rows[0]["fertility"] < rows[0]["fertility_alone"]
        each = sorted(len(tokenizer.encode_ids(word)) for word in words)
        assert rows[0]["alone_median"] == each[math.ceil(len(each) / 2) - 1]
        assert rows[0]["alone_95"] == each[math.ceil(len(each) * 0.95) - 1]
        assert rows[0]["alone_whole"] == pytest.approx(100 * each.count(1) / len(each))
        assert rows[1]["alone_whole"] is None
        assert rows[1]["fertility"] is None  # Japanese has no spaces between words
    shown = terminal.invoke(app, ["compare", SHIPPED, *files]).stdout
    assert_contains(shown, "en.txt", "no spaces between words")


def test_compare_says_what_is_lost_of_a_text(terminal: CliRunner, tmp_path: Path) -> None:
    for name, text in (("en", "the sun  is\n\nwarm\n"), ("ja", "太陽は暖かい\nです\n月\n")):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    wordpiece = str(next(one.path for one in SHIPPED_TOKENIZERS if one.id == "wordpiece-8k"))
    text = (tmp_path / "en.txt").read_text("utf-8")
    kept, lossy = json.loads(run(terminal, "compare", SHIPPED, wordpiece, "-t", text, "--json"))[
        "rows"
    ]
    assert (kept["lost_text"], kept["unknown_text"]) == (0, 0)
    assert (lossy["lost_text"], lossy["unknown_text"]) == (3 / len(text), 0)
    shown = terminal.invoke(app, ["compare", SHIPPED, wordpiece, "-t", text]).stdout
    assert_contains(shown, f"{100 * 3 / len(text):.1f}%", f"? {lossy['tokens']}")
    assert f"? {kept['tokens']}" not in shown
    assert "? Part of the text is lost, so these figures look better than they are." in shown
    command = ["compare", SHIPPED, wordpiece, "--parallel", str(tmp_path)]
    rows = json.loads(terminal.invoke(app, [*command, "--json"]).stdout)["rows"]
    doubts = {
        (row["language"], row["doubt"]) for row in rows if "wordpiece" in row["tokenizer"].lower()
    }
    assert {language for language, doubt in doubts if "is lost" in doubt} == {"Japanese"}
    # A text as a whole is that of its file, as without --parallel.
    for row in rows[:2]:
        one = terminal.invoke(
            app, ["compare", SHIPPED, wordpiece, "-f", str(tmp_path / "en.txt"), "--json"]
        )
        alike = [row["tokens"] for row in json.loads(one.stdout)["rows"]]
        assert row["tokens"] in alike
    shown = terminal.invoke(app, command).stdout
    assert "Part of the text is lost" in shown


@pytest.mark.slow
def test_compare_by_workers_gives_the_same_rows(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = new_folder(tmp_path / "texts")
    for name in "ab":
        rows = [json.dumps({"text": f"{name} row {number} नमस्ते"}) for number in range(300)]
        (folder / f"{name}.jsonl").write_text("\n".join([*rows, "{oops"]))
    monkeypatch.setattr("tokenarium.models.corpora.encoded_corpus.PART", 1 << 12)
    arguments = ["compare", SHIPPED, "wordpiece-8k", "--file", str(folder), "--json"]
    wanted = terminal.invoke(app, arguments)
    assert wanted.exit_code == PARTLY, wanted.output
    asked = []

    def cluster(workers: int, address: str) -> Cluster:
        asked.append((workers, address))
        return Cluster()  # the same work, in this process

    monkeypatch.setattr("tokenarium.commands.compare.Cluster", cluster)
    found = terminal.invoke(app, [*arguments, "--workers", "2"])
    assert found.exit_code == PARTLY, found.output
    assert found.stdout == wanted.stdout
    assert "1 of its lines" in found.stderr
    assert asked == [(2, "")]

    def broken(tokenizers: object, part: Any, progressed: object) -> Any:
        if part.file.path.name == "a.jsonl" and part.start:
            raise OSError("the disk is gone")
        return tally_part(tokenizers, part, progressed)  # type: ignore[arg-type]

    monkeypatch.setattr("tokenarium.commands.compare.tally_part", broken)
    found = terminal.invoke(app, [*arguments, "--workers", "2"])
    assert found.exit_code == FAILED
    assert "the disk is gone" in found.stderr
    rows = json.loads(found.stdout)["rows"]
    assert {Path(row["file"]).name for row in rows} == {"b.jsonl"}
    for other in (["--text", TEXT], ["--file", str(folder), "--scripts"]):
        assert "count the files of a corpus" in refused(
            terminal, "compare", SHIPPED, *other, "--workers", "2"
        )


@pytest.mark.slow
def test_train_by_workers_gives_the_same_tokenizer(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = tmp_path / "a.jsonl"
    rows = [json.dumps({"text": f"row {number % 70} lower lowest"}) for number in range(900)]
    texts.write_text("\n".join(rows))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = []

    def cluster(workers: int, address: str) -> Cluster:
        asked.append((workers, address))
        return Cluster()  # the same work, in this process

    monkeypatch.setattr("tokenarium.work.counted_training.Cluster", cluster)
    made = []
    for more in ([], ["--workers", "2"], ["--cluster", "tcp://10.0.0.1:8786"]):
        out = tmp_path / f"{len(made)}.json"
        arguments = ["train", str(texts), "-n", "290", "--unique", "--out", str(out), "--json"]
        values = json.loads(run(terminal, *arguments, "--name", "x", *more))
        made.append((out.read_bytes(), values["documents"], values["notes"]))
    assert made[0] == made[1] == made[2]
    assert made[0][1] == 70
    assert asked == [(2, ""), (1, "tcp://10.0.0.1:8786")]
    for more, said in {
        ("--temperature", "2"): "Shares of sources",
        ("--table", "pairs"): "need the texts here",
        ("-a", "unigram", "-o", "input_sentence_size=100"): "by their position in the text",
    }.items():
        assert said in refused(terminal, "train", str(texts), "--workers", "2", "--no-keep", *more)


def test_compare_shows_the_rest_where_one_is_missing(terminal: CliRunner, tmp_path: Path) -> None:
    text = write_file(tmp_path / "a.txt", TEXT)
    latin = write_file(tmp_path / "latin.txt", b"caf\xe9 ")
    files = ["--file", str(text), "--file", str(tmp_path / "gone.txt"), "--file", str(latin)]
    found = terminal.invoke(app, ["compare", SHIPPED, "nowhere", *files, "--json"])
    assert found.exit_code == FAILED
    assert [row["file"] for row in json.loads(found.stdout)["rows"]] == [str(text)]
    for named in ("nowhere", "gone.txt", "latin.txt: It is not UTF-8 (0xE9 at byte 3)"):
        assert named in found.stderr


def test_compare_counts_scripts(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    text = "latin words, русские слова"
    arguments = ["compare", SHIPPED, "--text", text, "--scripts"]
    rows = json.loads(terminal.invoke(app, [*arguments, "--json"]).stdout)["rows"]
    assert {"Latin", "Cyrillic"} <= {row["script"] for row in rows}
    assert sum(row["tokens"] for row in rows) == len(tokenizer.encode_ids(text))
    assert sum(row["bytes"] for row in rows) == len(text.encode())
    assert "Cyrillic" in terminal.invoke(app, arguments).stdout


def test_compare_languages(terminal: CliRunner, tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    answer = json.loads(terminal.invoke(app, ["compare", SHIPPED, "--languages", "--json"]).stdout)
    texts = {one.title: one.lines for one in shipped_texts()}
    tokens = {
        title: sum(len(tokenizer.encode_ids(line)) for line in lines)
        for title, lines in texts.items()
    }
    assert [row["language"] for row in answer["rows"]] == list(texts)
    for row in answer["rows"]:
        assert row["tokens"] == tokens[row["language"]]
        assert row["premium"] == tokens[row["language"]] / tokens["English"]
        assert row["low"] <= row["premium"] <= row["high"]
    assert answer["gini"][0]["gini"] == gini(list(tokens.values()))
    for name, text in (("deu", "Guten Tag.\nBis morgen."), ("fra", "Bonjour.")):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    arguments = ["compare", SHIPPED, "--parallel", str(tmp_path), "--against", "fra"]
    answer = json.loads(terminal.invoke(app, [*arguments, "--json"]).stdout)
    assert (answer["against"], answer["aligned"]) == ("French", False)
    assert [row["code"] for row in answer["rows"]] == ["deu", "fra"]
    assert [row["low"] for row in answer["rows"]] == [None, None]
    assert "premium over" in terminal.invoke(app, arguments).stdout
    assert "'tlh' is not one of the languages: choose from deu, fra." in refused(
        terminal, *arguments[:-1], "tlh"
    )


def test_compare(terminal: CliRunner, tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    other = saved(
        tc.train("bpe", [sample_text("prose-en")], vocab_size=400, name="small"),
        tmp_path / "small.json",
    )
    arguments = ["compare", SHIPPED, str(other), "--text", TEXT]
    answer = json.loads(terminal.invoke(app, [*arguments, "--json"]).stdout)
    assert [row["tokens"] for row in answer["rows"]] == [
        len(tokenizer.encode_ids(TEXT)),
        len(tc.open(other).encode_ids(TEXT)),
    ]
    assert all(row["round_trip"] for row in answer["rows"])
    found = terminal.invoke(app, arguments)
    assert_contains(found.stdout, "small", "17 bytes, 16 characters")


def test_compare_shows_what_became_unknown(terminal: CliRunner, tmp_path: Path) -> None:
    file = write_file(tmp_path / "vocab.txt", "[UNK]\nab\n")
    arguments = ["compare", SHIPPED, str(file), "--text", "ab cdefgh"]
    answer = json.loads(terminal.invoke(app, [*arguments, "--json"]).stdout)
    assert [row["unknown_text"] for row in answer["rows"]] == [0, 6 / 8]
    found = terminal.invoke(app, arguments).stdout
    assert_contains(found, "66.7%", "? 2")
    assert "look better than they are" in found.replace("\n", " ")
    assert "?" not in terminal.invoke(app, ["compare", SHIPPED, "--text", "ab"]).stdout


@pytest.mark.slow
def test_export_lists_formats_and_proves(terminal: CliRunner, tmp_path: Path) -> None:
    obstacles = json.loads(run(terminal, "export", SHIPPED, "--json"))
    assert obstacles["huggingface"] == ""
    assert "different stages" in obstacles["sentencepiece"]
    target = tmp_path / "made.tiktoken"
    assert "read by tiktoken" in run(terminal, "export", SHIPPED, "--out", str(target))
    assert tc.open(target).encode_ids(TEXT) == tc.open(shipped().source).encode_ids(TEXT)


def test_train_writes_keeps_and_is_found_again(terminal: CliRunner, tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "texts")
    for name in ("prose-en", "prose-de"):
        (folder / f"{name}.txt").write_text(sample_text(name), "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    out = tmp_path / "made.json"
    arguments = ["train", str(folder), "-n", "400", "-o", "pattern=gpt2", "--name", "mine"]
    found = terminal.invoke(app, [*arguments, "--out", str(out), "--json"])
    assert found.exit_code == 0, found.stderr
    answer = json.loads(found.stdout)
    assert (answer["entries"], answer["documents"]) == (400, 2)
    assert "picture.png: .png files hold no text" in found.stderr
    kept = Store(tmp_path / "trained").all()
    assert [one.identity for one in kept] == [answer["identity"]]
    ids = tc.open(out).encode_ids(TEXT)
    for name in ("mine", answer["identity"][:12]):
        assert run(terminal, "encode", name, TEXT).split() == [str(token) for token in ids]
    arguments += ["-o", "way=incremental"]  # the default, by the option's former name
    assert json.loads(run(terminal, *arguments, "--json"))["identity"] == answer["identity"]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["superbpe", "sentencepiece-bpe", "unigram"])
def test_train_other_algorithms(terminal: CliRunner, tmp_path: Path, algorithm: str) -> None:
    text = write_file(
        tmp_path / "text.txt", sample_text("prose-en") * 3 + sample_text("prose-fr") * 3
    )
    arguments = ["train", str(text), "-a", algorithm, "-n", "420", "--no-keep", "--json"]
    assert json.loads(run(terminal, *arguments))["entries"] <= 420
    assert not (tmp_path / "trained").exists()
    run(terminal, "train", "-a", algorithm, "--options")
    assert "vocab" in terminal.invoke(app, ["train", "--help"]).stdout


@pytest.mark.parametrize("command", ["inspect", "compare"])
def test_help_breaks_lines_where_they_are_full(terminal: CliRunner, command: str) -> None:
    lines = terminal.invoke(app, [command, "--help"], env={"COLUMNS": "80"}).stdout.splitlines()
    box = next(place for place, line in enumerate(lines) if "Arguments" in line)
    for line, after in pairwise(lines[:box]):
        if line.strip() and after.strip():
            assert len(line.rstrip()) + 1 + len(after.split()[0]) >= 80 - 2


def test_help_names_every_command(terminal: CliRunner) -> None:
    found = terminal.invoke(app, ["--help"])
    for command in ("encode", "decode", "train", "inspect", "diagnose", "export", "compare"):
        assert command in found.stdout


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "PIPE"],
        ["encode", "PIPE", "x"],
        ["encode", "SHIPPED", "--file", "PIPE"],
        ["encode", "SHIPPED", "--bytes", "PIPE"],
        ["decode", "PIPE", "1"],
        ["compare", "SHIPPED", "--file", "PIPE"],
        ["compare", "PIPE", "--text", "x"],
        ["train", "PIPE", "-n", "260", "--no-keep"],
        ["train", "@PIPE", "-n", "260", "--no-keep"],
        ["count", "PIPE", "--out", "c.counts"],
        ["encode-corpus", "PIPE", "PIPE", "--out", "shards"],
        ["export", "PIPE", "--out", "out.json"],
        ["export", "SHIPPED", "--out", "out.json", "--file", "PIPE"],
        ["evaluate", "PIPE"],
        ["evaluate", "SHIPPED", "--limits", "PIPE"],
        ["evaluate", "SHIPPED", "--against", "PIPE"],
        ["diagnose", "PIPE"],
        ["change", "PIPE", "--out", "out.json", "--add", "x"],
        ["change", "SHIPPED", "--out", "out.json", "--add", "x", "--file", "PIPE"],
        ["prune", "PIPE", "--out", "out.json", "--to-size", "300"],
        ["prune", "SHIPPED", "--out", "out.json", "--to-size", "300", "--corpus", "PIPE"],
        ["extend", "PIPE", "--out", "out.json", "--words", "PIPE"],
        ["extend", "SHIPPED", "--out", "out.json", "--words", "PIPE"],
        ["migrate", "PIPE", "SHIPPED"],
        ["migrate", "SHIPPED", "PIPE"],
        ["diff", "SHIPPED", "PIPE"],
        ["diff", "SHIPPED", "SHIPPED", "--text", "PIPE"],
        ["readers", "PIPE"],
        ["readers", "SHIPPED", "--text", "PIPE"],
        ["chat", "PIPE"],
        ["chat", "SHIPPED", "--file", "PIPE"],
        ["chat", "SHIPPED", "--template", "PIPE"],
        ["sample", "SHIPPED", "--file", "PIPE"],
        ["stream", "SHIPPED", "--file", "PIPE"],
        ["ways", "SHIPPED", "--file", "PIPE"],
        ["covering", "SHIPPED", "--file", "PIPE"],
        ["digits", "SHIPPED", "--file", "PIPE"],
        ["text-sizes", "SHIPPED", "--file", "PIPE"],
        ["superwords", "--file", "PIPE"],
        ["mingram", "--file", "PIPE"],
        ["final-style", "--file", "PIPE"],
        ["perturb", "SHIPPED", "--file", "PIPE"],
        ["registry", "add", "PIPE", "x@1"],
        ["render", "PIPE", "--out", "out.png"],
    ],
    ids=" ".join,
)
def test_a_pipe_is_refused_by_every_command(
    terminal: CliRunner, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing writes to it: a command that opened it would wait for ever."""
    monkeypatch.chdir(tmp_path)
    before = os.listdir()
    os.mkfifo("PIPE")
    made = terminal.invoke(
        app, [SHIPPED_TOKENIZERS[0].id if one == "SHIPPED" else one for one in arguments]
    )
    assert made.exit_code == 1
    assert "s a pipe, not a file" in " ".join(made.output.split()).replace("It i", "it i"), (
        made.output
    )
    assert sorted(os.listdir()) == sorted([*before, "PIPE"])


def test_a_fault_is_a_sentence_and_the_log_has_its_traceback(
    terminal: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> tc.Tokenizer:
        raise KeyError("an unexpected fault")

    monkeypatch.setattr(tc, "open", fail)
    close_log()  # a test before may have written to its own
    found = terminal.invoke(app, ["encode", SHIPPED, "a"])
    assert found.exit_code == 1
    assert found.stderr.endswith("Please report it.\n")
    assert "Traceback" not in found.stderr
    assert "KeyError" in found.stderr
    log = there(re.search(r"The details are in (.*\.log)\.", found.stderr))
    logged = Path(log[1]).read_text("utf-8")
    assert_contains(logged, "KeyError", "tokenarium/commands/encode.py, line ")
    assert "an unexpected fault" not in logged  # it may be a part of the user's text
    assert isinstance(found.exception, SystemExit)


def test_ways(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    answer = json.loads(run(terminal, "ways", SHIPPED, "lower", "--json"))
    assert answer["canonical"] == tokenizer.encode_ids("lower")
    assert sum(answer["by_length"]) == int(answer["ways"]) > 1
    assert len(run(terminal, "ways", SHIPPED, "lower " * 3200, "--exact").strip()) > 4300
    written = terminal.invoke(app, ["ways", SHIPPED, "lower"])
    assert_contains(written.stdout, "sequences of ids decode to it", "encoding")


def test_stream(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    answer = json.loads(
        run(terminal, "stream", SHIPPED, "a 𓀀 b##END c", "--stop", "##END", "--json")
    )
    assert answer["stopped_at"] == len("a 𓀀 b")
    assert [step["id"] for step in answer["steps"]] == tokenizer.encode_ids("a 𓀀 b##END c")[
        : len(answer["steps"])
    ]
    assert any(step["held"] for step in answer["steps"])
    assert "Cut at" in terminal.invoke(app, ["stream", SHIPPED, "xEND", "--stop", "END"]).stdout
    answer = json.loads(run(terminal, "stream", SHIPPED, "the tex", "--end", "--json"))
    assert answer["ids"] == tokenizer.encode_ids("the tex")
    assert answer["healing"]["kept"] == answer["ids"][:-1]
    assert "Token healing drops" in terminal.invoke(app, ["stream", SHIPPED, "a", "--end"]).stdout


def test_perturb(terminal: CliRunner, tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    arguments = ["perturb", SHIPPED, "The café", "--only", "Case", "--csv", str(path), "--json"]
    answer = json.loads(terminal.invoke(app, arguments).stdout)
    by_id = {row["variant"]: row for row in answer["variants"]}
    assert by_id["upper"]["text"] == "THE CAFÉ"
    assert by_id["upper"]["tokenizers"][0]["tokens"] == len(tokenizer.encode_ids("THE CAFÉ"))
    assert len(path.read_text("utf-8").splitlines()) == len(by_id) + 1
    refused = terminal.invoke(app, ["perturb", SHIPPED, "a", "--only", "nothing"])
    assert refused.exit_code == FAILED
    assert "no variant" in refused.output


def test_encode_the_bytes_of_a_file(terminal: CliRunner, tmp_path: Path) -> None:
    file = write_file(tmp_path / "latin.txt", "café low".encode("latin-1"))
    tokenizer = tokenizer_of("bpe-gpt2-8k")
    ids = list(tokenizer.encode_bytes(file.read_bytes()).ids)
    found = terminal.invoke(app, ["encode", "bpe-gpt2-8k", "--bytes", str(file)])
    assert found.output == " ".join(map(str, ids)) + "\n"
    found = terminal.invoke(
        app, ["encode", "bpe-gpt2-8k", "--bytes", str(file), "--json", "--decimal"]
    )
    tokens = json.loads(found.output)["tokens"]
    assert [token["id"] for token in tokens] == ids
    assert [byte for token in tokens for byte in token["bytes"]] == list(file.read_bytes())
    found = terminal.invoke(app, ["encode", "unigram-8k", "--bytes", str(file)])
    assert found.exit_code == FAILED
    assert "Unigram, works on characters" in found.output.replace("\n", " ")
    refused(terminal, "encode", "bpe-gpt2-8k", "text", "--bytes", str(file))


def test_encode_with_the_ends(terminal: CliRunner) -> None:
    tokenizer = tokenizer_of("wordpiece-8k")
    ends = tokenizer.ends
    found = terminal.invoke(app, ["encode", "wordpiece-8k", "the end", "--bos", "--eos"])
    ids = [*ends.bos, *tokenizer.encode_ids("the end"), *ends.eos]
    assert len(ends.bos) == len(ends.eos) == 1
    assert found.output == " ".join(map(str, ids)) + "\n"
    found = terminal.invoke(app, ["encode", "bpe-gpt2-8k", "the", "--bos"])
    assert "has no token for the beginning of a text" in found.output


def test_bytes_in_decimal(terminal: CliRunner) -> None:
    found = terminal.invoke(app, ["encode", "tokenarium-8k", "é", "--show", "--decimal"])
    assert "195 169" in found.output
    found = terminal.invoke(app, ["inspect", "tokenarium-8k", "a", "--decimal"])
    assert " 97 " in found.output


def test_inspect_the_bytes(terminal: CliRunner) -> None:
    found = terminal.invoke(app, ["inspect", "bpe-gpt2-8k", "--bytes", "--json"])
    rows = json.loads(found.output)
    assert len(rows) == 256
    assert rows[32]["character"] == "Ġ"
    assert "Ċ" in terminal.invoke(app, ["inspect", "bpe-gpt2-8k", "--bytes"]).output
    found = terminal.invoke(app, ["inspect", "wordpiece-8k", "--bytes"])
    assert found.exit_code == FAILED
    assert "has no table of bytes" in found.output


def test_inspect_padded_sizes(terminal: CliRunner) -> None:
    arguments = ["inspect", "tokenarium-8k", "--padded", "48", "--padded", "1000", "--width", "64"]
    sizes = json.loads(terminal.invoke(app, [*arguments, "--json"]).output)["Padded sizes"]
    assert sizes == [
        {"multiple": 48, "rows": 8016, "unused": 16, "parameters": 8016 * 64},
        {"multiple": 1000, "rows": 8000, "unused": 0, "parameters": 512000},
    ]
    shown = terminal.invoke(app, arguments).output
    assert "8,016 rows, 16 unused, 513,024 parameters of width 64" in shown
    refused(terminal, "inspect", "tokenarium-8k", "--padded", "0")


def test_compare_two_texts(terminal: CliRunner, tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    file = write_file(tmp_path / "b.yaml", "name: Ada")
    arguments = ["compare", SHIPPED, "wordpiece-8k", "--texts", '{"name": "Ada"}', f"@{file}"]
    values = json.loads(terminal.invoke(app, [*arguments, "--json"]).output)
    assert values["rows"][0]["ids_a"] == tokenizer.encode_ids('{"name": "Ada"}')
    assert values["rows"][0]["ids_b"] == tokenizer.encode_ids("name: Ada")
    assert (values["a"]["bytes"], values["b"]["bytes"]) == (15, 9)
    assert "B needs fewer tokens with each tokenizer" in terminal.invoke(app, arguments).output
    assert terminal.invoke(app, [*arguments, "--scripts"]).exit_code == FAILED


def test_compare_a_text_with_its_other_form(terminal: CliRunner, tokenizer: tc.Tokenizer) -> None:
    arguments = ["compare", SHIPPED, "--text", '{"name": "Ada"}', "--json", "--as"]
    values = json.loads(terminal.invoke(app, [*arguments, "yaml"]).output)
    assert values["rows"][0]["ids_b"] == tokenizer.encode_ids("name: Ada")
    for wrong in (["xml"], ["yaml", "--scripts"]):
        assert terminal.invoke(app, [*arguments, *wrong]).exit_code == FAILED
    prose = terminal.invoke(app, ["compare", SHIPPED, "--text", "prose", "--as", "yaml"])
    assert "neither JSON nor YAML" in prose.stderr


CORPUS = "low low lower lowest the sea of the sea"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "table", "size", "keys"),
    [
        ("bpe", "pre-tokens", 262, {"pre_token", "count", "bytes", "tokens", "cut", "ids"}),
        ("superbpe", "pairs", 266, {"left_id", "right_id", "count", "becomes", "left", "right"}),
        ("wordpiece", "changes", 40, {"left_id", "right_id", "before", "after", "change", "left", "right"}),
        ("unigram", "pairs", 30, {"piece", "score", "count", "loss", "kept", "fate"}),
    ],
)  # fmt: skip
def test_train_shows_a_table(
    terminal: CliRunner, tmp_path: Path, algorithm: str, table: str, size: int, keys: set[str]
) -> None:
    text = write_file(tmp_path / "corpus.txt", CORPUS)
    arguments = ["train", str(text), "-a", algorithm, "-n", str(size), "--table", table]
    values = json.loads(terminal.invoke(app, [*arguments, "--after", "1", "--json"]).stdout)
    assert values["step"] == 1
    assert set(values["rows"][0]) == keys
    assert "After 1 of" in terminal.invoke(app, [*arguments, "--after", "1"]).stdout
    assert terminal.invoke(app, [*arguments, "--after", "5000"]).exit_code == FAILED
    assert terminal.invoke(app, [*arguments[:-1], "nothing"]).exit_code == FAILED


def test_train_measures_sizes(terminal: CliRunner, tmp_path: Path) -> None:
    text = write_file(tmp_path / "corpus.txt", CORPUS)
    arguments = ["train", str(text), "--times", "262 260"]
    values = json.loads(terminal.invoke(app, [*arguments, "--json"]).stdout)
    assert [one["entries"] for one in values["trainings"]] == [260, 262]
    assert "processor" in values["machine"]
    assert "Byte-level BPE" in terminal.invoke(app, arguments).stdout


def test_encode_races_two_ways(terminal: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding_race, "LENGTHS", (10, 20))
    laps = json.loads(run(terminal, "encode", SHIPPED, CORPUS, "--race", "--json"))["laps"]
    assert {lap["way"] for lap in laps} == {"queue", "scan", "words"}
    assert "Scanning" in terminal.invoke(app, ["encode", SHIPPED, CORPUS, "--race"]).stdout


def test_groups_are_mixed_and_their_shares_shown(terminal: CliRunner, tmp_path: Path) -> None:
    for name, count in (("de", 900), ("en", 100)):
        lines = "".join(f'{{"text": "{name} word{number % 37}"}}\n' for number in range(count))
        (tmp_path / f"{name}.jsonl").write_text(lines)
    (tmp_path / "broken.txt.gz").write_bytes(b"\x1f\x8b and no more")
    pattern, small = str(tmp_path / "*.jsonl"), ["-n", "300", "--no-keep"]
    result = terminal.invoke(app, ["train", "--mix", pattern, "--temperature", "0.3", *small])
    assert result.exit_code == 0, result.output
    assert "of the corpus" in result.output
    assert "65.9%" in result.output  # 9 ** 0.3 / (9 ** 0.3 + 1)
    result = terminal.invoke(app, ["train", "--mix", pattern, "--temperature", "3", *small])
    assert result.exit_code == 1
    assert "is not possible with --mix" in result.output
    broken = [str(tmp_path / "de.jsonl"), str(tmp_path / "broken.txt.gz"), *small]
    result = terminal.invoke(app, ["train", *broken, "--unique"])
    assert result.exit_code == PARTLY
    assert_contains(
        result.output,
        "863 documents left out as duplicates of earlier ones.",
        "Of 2 files, 1 could not be read completely.",
    )
    result = terminal.invoke(app, ["train", *broken, "--strict"])
    assert result.exit_code == 1
    assert "It is not a complete gzip file" in result.output


@pytest.mark.slow
def test_an_exported_folder_keeps_what_is_around_a_text_and_the_chat(
    terminal: CliRunner, tmp_path: Path
) -> None:
    folder = new_folder(tmp_path / "model")
    trained = tc.train("bpe", ["low lower"] * 9, vocab_size=262, special_tokens=["<s>"])
    trained.save(folder / "tokenizer.json", "huggingface")
    file = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    first = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    bos = trained.special_tokens["<s>"]
    file["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [first, text],
        "pair": [first, text, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [bos], "tokens": ["<s>"]}},
    }
    (folder / "tokenizer.json").write_text(json.dumps(file), "utf-8")
    chat = {"bos_token": "<s>", "chat_template": "{{ bos_token }}{{ messages[0].content }}"}
    (folder / "tokenizer_config.json").write_text(json.dumps(chat), "utf-8")
    copy = tmp_path / "copy.json"
    run(terminal, "export", str(folder), str(copy))
    again = tc.open(copy)
    assert again.encode("low", template=True).ids[0] == bos
    (template,) = templates_of(again)
    assert template.render([{"role": "user", "content": "hi"}]).text == "<s>hi"
    assert "no room for its post-processor" in refused(
        terminal, "export", str(folder), str(tmp_path / "copy.tiktoken")
    )


@pytest.mark.slow
def test_a_training_as_tokenizer_json_is_refused_or_its_differences_are_listed(
    terminal: CliRunner, tmp_path: Path
) -> None:
    """One answer of train and export; the training is not lost."""
    corpus = write_file(tmp_path / "corpus.txt", "low lower lowest \u30cf newer wider\n" * 9)
    made = tmp_path / "made.json"
    train = ["train", str(corpus), "--algorithm", "unigram", "--vocab-size", "36", "--no-keep"]
    to = [str(made), "--format", "huggingface"]
    said = refused(terminal, *train, "--out", *to)
    assert_contains(said, "U+30CF U+309A", "The normalizers differ")
    assert not made.exists()
    exact = tmp_path / "made.model"
    assert tc.open(exact).source.format == "sentencepiece"
    assert "The normalizers differ" in refused(terminal, "export", str(exact), *to)
    assert not made.exists()
    found = run(terminal, "export", str(exact), *to, "--allow-differences")
    assert_contains(found, "not identical", "The normalizers differ")
    assert tc.open(made).source.format == "huggingface"


def test_compare_writes_what_texts_cost(terminal: CliRunner, tmp_path: Path) -> None:
    files = [
        str(write_file(tmp_path / name, text)) for name, text in (("a.txt", "a b"), ("b.txt", TEXT))
    ]
    given = [part for path in files for part in ("--file", path)]
    prices = ["--price", f"{SHIPPED}:large=2.5/10", "--price", "wordpiece-8k=/0.5"]
    command = ["compare", SHIPPED, "wordpiece-8k", *given, *prices, "--currency", "$"]
    found = json.loads(run(terminal, *command, "--json"))
    tokens = {(row["file"], row["tokenizer"]): row["tokens"] for row in found["rows"]}
    names = {row["tokenizer"] for row in found["rows"]}
    assert len(found["costs"]) == 4
    for row in found["costs"]:
        count = tokens[row["file"], row["tokenizer"]]
        large = row["model"] == "large"
        expected = (count * 2.5e-6, count * 1e-5) if large else (None, count * 5e-7)
        assert row["tokens"] == count
        assert row["cost_in"] == pytest.approx(expected[0])
        assert row["cost_out"] == pytest.approx(expected[1])
        assert row["currency"] == "$"
    assert {row["tokenizer"] for row in found["costs"]} == names
    shown = run(terminal, *command)
    assert_contains(shown, "What it costs", "any model", "large", "$2.50", "$10.00")
    plain = run(terminal, "compare", SHIPPED, "--text", "a", "--json")
    assert "costs" not in json.loads(plain)
    assert "What it costs" not in run(terminal, "compare", SHIPPED, "--text", "a")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--price", "gpt2=1"], "names none of the tokenizers"),
        (["--price", SHIPPED], "names none of the tokenizers"),
        (["--price", f"{SHIPPED}="], "has no price"),
        (["--price", f"{SHIPPED}=-1"], "has no price"),
        (["--price", f"{SHIPPED}:\u202elarge=nan"], "has no price"),
        (["--price", f"{SHIPPED}=1", "--price", f"{SHIPPED}=2"], "only one price"),
        (["--price", f"{SHIPPED}=1", "--currency", "dollars"], "at most 6 characters"),
        (["--price", f"{SHIPPED}=1", "--scripts"], "--price needs the figures of texts"),
    ],
)
def test_prices_that_are_none_are_refused(
    terminal: CliRunner, options: list[str], said: str
) -> None:
    assert said in refused(terminal, "compare", SHIPPED, "--text", "a", *options)


def test_the_longest_name_that_fits_has_the_price() -> None:
    names = ["a", "a:b", "C:\\a=b.json"]
    prices = price_list(["a:b:m=1", "a:m=2/3", "C:\\a=b.json:m=4"], "", names).prices
    assert [(price.tokenizer, price.model) for price in prices] == [
        ("a:b", "m"),
        ("a", "m"),
        ("C:\\a=b.json", "m"),
    ]
