"""``tokenarium train`` with a corpus for each language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import refused, run
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.commands.cli import app
from tokenarium.commands.terminal import FAILED
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.store import Store
from tokenarium.models.training.trained_languages import DEV_SET
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.resources.parallel_index import load_translations

LANGUAGES = ("de", "hi", "ja")
SENTENCES = {one.language: one.sentences() for one in load_translations()}


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A terminal in a folder of texts, whose trained tokenizers are in a folder of this test."""
    monkeypatch.setattr(
        "tokenarium.commands.training_output.store_folder", lambda: tmp_path / "trained"
    )
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.chdir(tmp_path)
    for language in LANGUAGES:
        Path(f"{language}.txt").write_text(sample_text(f"prose-{language}"), "utf-8")
    return CliRunner()


def arguments(*more: str, names: tuple[str, ...] = LANGUAGES) -> list[str]:
    """Returns a training of some languages."""
    sources = [part for name in names for part in ("--language", f"{name}={name[:2]}.txt")]
    return ["train", *sources, "-a", "parity-bpe", "-n", "500", "--json", *more]


def trained(dev: dict[str, list[str]] | None, **options: object) -> bytes:
    """Returns the entries that the core learns of the same texts."""
    corpus = {name: [sample_text(f"prose-{name}")] for name in LANGUAGES}
    tokenizer = tc.train("parity-bpe", corpus, vocab_size=500, dev=dev, **options)
    return b"\n".join(tokenizer.vocabulary.piece(token) for token in range(500))


def entries(path: Path) -> bytes:
    vocabulary = tc.open(path).vocabulary
    return b"\n".join(vocabulary.piece(token) for token in range(len(vocabulary)))


def test_it_compares_on_the_parallel_sentences(terminal: CliRunner, tmp_path: Path) -> None:
    out = tmp_path / "made.json"
    answer = json.loads(run(terminal, *arguments("--out", str(out))))
    assert answer["measured_on"] == "parallel sentences"
    assert [one["language"] for one in answer["languages"]] == list(LANGUAGES)
    assert sum(one["merges"] for one in answer["languages"]) == 244
    tokenizer = tc.open(out)
    tokens = [sum(map(len, tokenizer.encode_ids_batch(SENTENCES[name]))) for name in LANGUAGES]
    assert [one["tokens"] for one in answer["languages"]] == tokens
    assert entries(out) == trained({name: SENTENCES[name] for name in LANGUAGES})
    [kept] = Store(tmp_path / "trained").all()
    assert kept.identity == answer["identity"]
    assert kept.figures["measured_on"] == "parallel sentences"
    assert [row[0] for row in kept.figures["languages"]] == list(LANGUAGES)


def test_its_identity_is_that_of_the_window(terminal: CliRunner, tmp_path: Path) -> None:
    terminal.invoke(app, arguments("--hold-out"))  # as the window does by itself
    [kept] = Store(tmp_path / "trained").all()
    algorithm = TRAINING_ALGORITHMS["parity-bpe"]
    options = {option.name: option.default for option in algorithm.options}
    sources = [CorpusSource("file", f"{name}.txt", language=name) for name in LANGUAGES]
    request = TrainingRequest("x", "parity-bpe", 500, options, sources, tmp_path)
    assert kept.settings == request.settings
    assert kept.settings["languages"] == list(LANGUAGES)


@pytest.mark.parametrize(
    ("more", "options", "measured_on"),
    [
        (["-o", "dev_set=training text"], {}, "training text"),
        (["-o", "ratios=de=1,hi=2.5,ja=2"], {"ratios": {"de": 1, "hi": 2.5, "ja": 2}}, "training text"),
        (["-o", "dev_set=training text", "-o", "variant=window", "-o", "global_merges=40"],
         {"variant": "window", "global_merges": 40}, "training text"),
    ],
)  # fmt: skip
def test_other_comparisons(
    terminal: CliRunner,
    tmp_path: Path,
    more: list[str],
    options: dict[str, object],
    measured_on: str,
) -> None:
    out = tmp_path / "made.json"
    assert (
        json.loads(run(terminal, *arguments("--no-keep", "--out", str(out), *more)))["measured_on"]
        == measured_on
    )
    assert entries(out) == trained(None, **options)


def test_a_dev_set_of_files(terminal: CliRunner, tmp_path: Path) -> None:
    dev = []
    for name in LANGUAGES:
        Path(f"dev-{name}.txt").write_text("\n".join(SENTENCES[name][:3]), "utf-8")
        dev += ["--dev", f"{name}=dev-{name}.txt"]
    out = tmp_path / "made.json"
    assert (
        json.loads(run(terminal, *arguments("--no-keep", "--out", str(out), *dev)))["measured_on"]
        == "dev set"
    )
    texts = {name: ["\n".join(SENTENCES[name][:3])] for name in LANGUAGES}
    assert entries(out) == trained(texts)


def test_a_language_without_sentences_is_compared_on_its_text(terminal: CliRunner) -> None:
    found = terminal.invoke(app, arguments("--no-keep", names=("de", "hix")))
    Path("hi.txt").rename("hx.txt")
    assert json.loads(found.stdout)["measured_on"] == "training text"


def test_it_says_what_each_language_takes(terminal: CliRunner) -> None:
    words = [word for word in arguments("--no-keep") if word != "--json"]
    said = " ".join(terminal.invoke(app, words).stdout.replace("│", " ").split())
    assert "On the parallel sentences, " in said
    assert "over 3 languages, where 0 is equal. Merges for each: de " in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["de.txt", "-a", "parity-bpe"], "No language is given for de.txt: name it as --language de=SOURCE"),
        (["--language", "de=de.txt", "-a", "parity-bpe"], "All text is in de"),
        (["--language", "de.txt", "-a", "parity-bpe"], "--language de.txt is not LANGUAGE=SOURCE"),
        (["--language", "de=de.txt"], "bpe does not compare languages"),
        (arguments("-o", "dev_set=parallel sentences", names=("de", "xx"))[1:], "no parallel sentences in xx"),
        (arguments("--dev", "de")[1:], "--dev de is not LANGUAGE=FILE"),
        (arguments("--dev", "de=de.txt")[1:], "The dev set has no texts in 'hi'"),
        (arguments("-o", "ratios=de=1")[1:], "no ratio for 'hi'"),
        (arguments("--workers", "2")[1:], "leave out --workers and --cluster"),
        (arguments("--table", "pairs")[1:], "leave out --table"),
        (arguments("--times", "300")[1:], "leave out --times"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(terminal: CliRunner, words: list[str], said: str) -> None:
    Path("xx.txt").write_text("x")
    found = terminal.invoke(app, ["train", *words, "--no-keep"])
    assert found.exit_code == FAILED
    assert said in " ".join(found.stderr.replace("│", " ").split())


def test_counts_need_a_language_each(terminal: CliRunner) -> None:
    terminal.invoke(app, ["count", "de.txt", "--out", "de.counts", "-a", "parity-bpe"])
    assert "takes counts of each language" in refused(
        terminal, "train", "de.counts", "-a", "parity-bpe", "--no-keep"
    )


def test_the_dev_set_is_among_the_options(terminal: CliRunner) -> None:
    assert (
        json.loads(run(terminal, "train", "--options", "-a", "parity-bpe", "--json"))[DEV_SET.name]
        == DEV_SET.default
    )
