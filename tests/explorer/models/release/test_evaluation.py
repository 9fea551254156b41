"""Evaluation reports: figures, thresholds, the files of a model, the JSON and its table, and what became worse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_files import write_file

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.compare.metrics import METRICS, figures_of
from tokenarium.models.compare.tally import measured, tally
from tokenarium.models.release.evaluation import evaluate
from tokenarium.models.release.evaluation_page import evaluation_page
from tokenarium.models.release.evaluation_report import (
    OF_TEXTS,
    EvaluationReport,
    compare_reports,
    read_report,
)
from tokenarium.models.release.release_limits import (
    BY_ID,
    CHECKS,
    ReleaseLimit,
    ReleaseVerdict,
    declared_limits,
    limits_of_file,
    limits_of_options,
)
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress

DOCS = Path(__file__).parents[4] / "docs" / "evaluation.md"


def shipped(id: str) -> tc.Tokenizer:
    return tc.open(next(one.path for one in SHIPPED_TOKENIZERS if one.id == id))


@pytest.fixture(scope="module")
def report() -> EvaluationReport:
    return evaluate(shipped("tokenarium-8k"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a model with five special tokens, a chat template and a configuration that all fit."""
    names = ["<s>", "</s>", "<pad>", "<|user|>", "<|end|>"]
    trained = tc.train("bpe", ["low lower lowest"] * 9, vocab_size=280, special_tokens=names)
    trained.save(tmp_path / "tokenizer.json", format="huggingface")
    ids = trained.special_tokens
    template = "{{ bos_token }}{% for m in messages %}<|user|>{{ m.content }}<|end|>{% endfor %}"
    settings = {
        "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "chat_template": template,
    }  # fmt: skip
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    config = {
        "vocab_size": len(trained.vocabulary), "bos_token_id": ids["<s>"],
        "eos_token_id": ids["</s>"], "pad_token_id": ids["<pad>"],
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


def of(report: EvaluationReport, id: str) -> Any:
    return next(one for one in report.checks if one.check.id == id)


def changed(folder: Path, **values: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


# The worked examples.


def test_numbers_of_gpt2_are_cut_unevenly(real: Callable[[str], tc.Tokenizer]) -> None:
    """One token for 1000, two for 1037 and 9847."""
    gpt2 = real("gpt2")
    found = evaluate(gpt2, [CorpusSource("text", "Four words of text.")])
    cut = {one.text: one.tokens for one in found.numbers}
    assert cut["1000"] == ("1000",)
    assert cut["1037"] == ("10", "37")
    assert cut["9847"] == ("98", "47")
    assert of(found, "numbers").verdict is ReleaseVerdict.LOOK


def test_three_texts_come_back_and_special_tokens_are_there(model: Path) -> None:
    """The checks of a tokenizer against its model: its size, its special tokens, its round trips."""
    for text in ("Hello, world!", "def foo():\n    return 42", "The value is $100."):
        found = evaluate(tc.open(model), [CorpusSource("text", text)])
        assert of(found, "round_trip").figure == 100
    assert of(found, "config_rows").verdict is ReleaseVerdict.PASS
    assert of(found, "config_ids").verdict is ReleaseVerdict.PASS
    assert of(found, "special_whole").verdict is ReleaseVerdict.PASS


@pytest.mark.usefixtures("words_by_spaces")
def test_measures_of_a_text_are_the_plain_quotients() -> None:
    """Bytes, characters and tokens of a text divided, and words alone as each is encoded by itself."""
    tokenizer = shipped("tokenarium-8k")
    text = "The quick brown fox, in größeren Häusern.\nNext line"
    found = evaluate(tokenizer, [CorpusSource("text", text)])
    (row,) = found.files
    count, words = len(tokenizer.encode_ids(text)), text.split()
    assert (row.bytes, row.characters, row.words, row.tokens) == (
        len(text.encode()), len(text), len(words), count,
    )  # fmt: skip
    assert row.bytes_per_token == len(text.encode()) / count
    assert row.characters_per_token == len(text) / count
    assert row.fertility_alone == sum(len(tokenizer.encode_ids(w)) for w in words) / len(words)
    whole = figures_of(tally(tokenizer, measured(text)))
    assert found.measures == {one.id: whole.value(one.id) for one in METRICS}
    japanese = CorpusSource("text", sample_text("prose-ja"))
    both = evaluate(tokenizer, [CorpusSource("text", text), japanese]).measures
    assert both["fertility"] == whole.value("fertility")
    assert both["tokens"] == count + len(tokenizer.encode_ids(sample_text("prose-ja")))
    assert of(found, "bytes_per_token").figure == row.bytes_per_token
    assert of(found, "fertility_alone").figure == row.fertility_alone


def test_scripts_have_their_entries_their_share_and_their_mean_length(
    report: EvaluationReport,
) -> None:
    entries = sum(one.entries for one in report.scripts)
    assert entries == report.tokenizer["entries"]
    assert sum(one.share for one in report.scripts) == pytest.approx(1)
    assert [one.entries for one in report.scripts] == sorted(
        (one.entries for one in report.scripts), reverse=True
    )
    assert sum(one.text_bytes for one in report.scripts) == report.corpus["bytes"]


# The files of a model.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "check", "figure", "said"),
    [
        ({"vocab_size": 260}, "config_rows", 8, "vocab_size 260"),
        ({"vocab_size": 320}, "config_unused", 52, "vocab_size 320"),
        ({"eos_token_id": 999}, "config_ids", 1, "no such id"),
        ({"bos_token_id": 2, "pad_token_id": 0}, "config_ids", 2, "but the tokenizer's bos_token"),
        ({"eos_token_id": [1, 4]}, "config_ids", 0, ""),
    ],
)
def test_mismatches_with_the_configuration(
    model: Path, values: dict[str, Any], check: str, figure: float, said: str
) -> None:
    tokenizer = tc.open(model)
    ids = tokenizer.special_tokens
    by_place = [ids["<s>"], ids["</s>"], ids["<pad>"], ids["<|user|>"], ids["<|end|>"]]
    for name, value in values.items():
        if isinstance(value, list):
            values = {name: [by_place[one] for one in value]}
        elif value < len(by_place):
            values = {**values, name: by_place[value]}
    changed(model, **values)
    found = of(evaluate(tokenizer, [CorpusSource("text", "low")]), check)
    assert found.figure == figure
    assert found.verdict.value == (
        "pass" if not figure else "look" if check == "config_unused" else "fail"
    )
    assert said in " ".join(found.cases)


@pytest.mark.slow
def test_a_configuration_elsewhere_is_named(model: Path, tmp_path: Path) -> None:
    text = [CorpusSource("text", "low")]
    tokenizer = shipped("tokenarium-8k")
    assert of(evaluate(tokenizer, text), "config_rows").figure is None
    for config in (model, model / "config.json"):
        found = of(evaluate(tokenizer, text, config=config), "config_rows")
        assert found.figure == len(tokenizer.vocabulary) - len(tc.open(model).vocabulary)
    broken = write_file(tmp_path / "broken.json", "[1]")
    with pytest.raises(TokenariumError, match=r"broken\.json is not the configuration"):
        evaluate(tokenizer, text, config=broken)


def test_chat_markers_that_are_cut_fail(model: Path) -> None:
    text = [CorpusSource("text", "low")]
    found = evaluate(tc.open(model), text)
    assert of(found, "chat_markers").figure == 0
    assert of(found, "chat_start").figure == 1
    path = model / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    settings["chat_template"] = settings["chat_template"].replace("<|end|>", "<|stop|>")
    path.write_text(json.dumps(settings))
    found = evaluate(tc.open(model), text)
    assert of(found, "chat_markers").cases == ("<|stop|>",)
    assert found.verdict is ReleaseVerdict.FAIL


def test_what_is_lost_is_shown_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("same\nCapital É here", "utf-8")
    found = evaluate(shipped("wordpiece-8k"), [CorpusSource("folder", str(tmp_path))])
    (lost,) = found.lost
    assert (lost.name, lost.at, lost.was[:1], lost.became[:1]) == ("a.txt", 4, "⏎", "␣")
    assert of(found, "round_trip").verdict is ReleaseVerdict.FAIL


def test_relative_and_absolute_paths_go_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"{name} low")
    monkeypatch.chdir(tmp_path)
    sources = [CorpusSource("file", "one/a.txt"), CorpusSource("file", str(tmp_path / "two/a.txt"))]
    found = evaluate(shipped("tokenarium-8k"), sources)
    assert [one.name for one in found.files] == [
        str(Path("one") / "a.txt"),
        str(Path("two") / "a.txt"),
    ]


def test_empty_texts_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(TokenariumError, match="are empty"):
        evaluate(shipped("tokenarium-8k"), [CorpusSource("folder", str(tmp_path))])


def test_progress_goes_up_and_can_end_the_work() -> None:
    seen: list[float] = []
    evaluate(
        shipped("tokenarium-8k"), [CorpusSource("text", "low")],
        reported=lambda progress: seen.append(progress.fraction),
    )  # fmt: skip
    assert seen == sorted(seen)
    assert seen[-1] == 1

    def stop(progress: Progress) -> None:
        raise TokenariumError("stopped")

    with pytest.raises(TokenariumError, match="stopped"):
        evaluate(shipped("tokenarium-8k"), reported=stop)


# Thresholds.


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_verdicts_are_at_the_thresholds(check: Any) -> None:
    step = -1 if check.high_is_better else 1
    limit = ReleaseLimit(5.0, 5.0 + step)
    assert check.verdict(5.0, limit) is ReleaseVerdict.PASS
    assert check.verdict(5.0 + step / 2, limit) is ReleaseVerdict.LOOK
    assert check.verdict(5.0 + step, limit) is ReleaseVerdict.LOOK
    assert check.verdict(5.0 + 2 * step, limit) is ReleaseVerdict.FAIL
    assert check.verdict(None, limit) is ReleaseVerdict.UNKNOWN
    assert check.verdict(5.0 + 9 * step, ReleaseLimit()) is ReleaseVerdict.PASS
    assert check.about.endswith(".")
    assert check.do.endswith(".")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.toml", "[limits]\nfertility = {look = 1.5, fail = 2}\npremium = false\nunknown = 1"),
        ("a.json", '{"fertility": {"look": 1.5, "fail": 2}, "premium": false, "unknown": 1}'),
    ],
)
def test_a_file_changes_thresholds(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    limits = limits_of_file(tmp_path / name)
    assert limits["fertility"] == ReleaseLimit(1.5, 2.0)
    assert limits["premium"] == ReleaseLimit()
    assert limits["unknown"] == ReleaseLimit(0.0, 1.0)
    assert limits["tab"] == BY_ID["tab"].limit


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.toml", "limits = 3", "no table of thresholds"),
        ("a.toml", "[limits]\nfertilty = 2", "no check 'fertilty'"),
        ("a.toml", "[limits]\nfertility = 'two'", "not a number"),
        ("a.json", "{", "is not JSON"),
        ("a.toml", "=", "is not TOML"),
    ],
)
def test_a_wrong_file_of_thresholds_says_what_is_wrong(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(TokenariumError, match=said):
        limits_of_file(tmp_path / name)
    with pytest.raises(TokenariumError, match="cannot be read"):
        limits_of_file(tmp_path / "none.toml")


def test_options_change_thresholds() -> None:
    limits = limits_of_options(
        declared_limits(), ["fertility=2", "fertility_alone.look=3", "tab=off", "unknown.fail=off"]
    )
    assert limits["fertility"] == ReleaseLimit(2.0, 2.0)  # nothing is left between the two
    assert limits["fertility_alone"].look == 3
    assert limits["tab"] == ReleaseLimit()
    assert limits["unknown"] == ReleaseLimit(0.0, None)
    for wrong in ("fertility", "none=1", "fertility=x", "fertility.worst=1"):
        with pytest.raises(TokenariumError):
            limits_of_options(limits, [wrong])


# The JSON, the page, and another report.


def test_the_json_is_as_its_table_says(report: EvaluationReport) -> None:
    text = DOCS.read_text("utf-8")
    table = {
        name: set(re.findall(r"`(\w+)`", meaning))
        for names, meaning in re.findall(r"^\| (`.*?) \| (.*) \|$", text, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    made = json.loads(report.as_json())
    assert set(made) == set(table)
    assert f"Version {made['version']}." in text
    for name, value in made.items():
        rows = value if isinstance(value, list) else [value]
        for row in rows[:1]:
            if isinstance(row, dict):
                assert set(row) <= table[name], name
    assert {one["id"] for one in made["checks"]} == set(BY_ID) >= OF_TEXTS
    assert made["verdict"] == report.verdict.value


def test_the_same_tokenizer_is_neither_worse_nor_better(
    report: EvaluationReport, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "old.json", report.as_json())
    compared = compare_reports(read_report(path), report.as_dict())
    assert (compared.worse, compared.better, compared.notes) == ((), (), ())


def test_what_became_worse_is_said(report: EvaluationReport) -> None:
    old = report.as_dict()
    for one in old["checks"]:
        if one["id"] == "fertility":
            one["figure"] /= 2
            one["verdict"] = "pass"
        if one["id"] == "bytes_per_token":
            one["figure"] /= 2
    old["files"][0]["fertility"] /= 2
    compared = compare_reports(old, report.as_dict())
    assert [one.what for one in compared.worse] == [
        "Fertility in context",
        "Welcome (files): fertility in context",
    ]
    assert "(+100.0%)" in compared.worse[0].sentence
    assert [one.what for one in compared.better] == ["Bytes per token, all texts"]
    assert "tokens per word" in evaluation_page(report, compared)


def test_on_other_texts_only_what_does_not_depend_on_them_is_compared(
    report: EvaluationReport,
) -> None:
    other = evaluate(shipped("wordpiece-8k"), [CorpusSource("text", "low lower")])
    compared = compare_reports(report.as_dict(), other.as_dict())
    assert "different texts" in compared.notes[0]
    titles = {BY_ID[id].title for id in OF_TEXTS}
    assert not titles & {one.what for one in (*compared.worse, *compared.better)}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "not an evaluation report"),
        ("low", "not an evaluation report"),
        ('{"schema": "tokenarium-evaluation", "version": 99}', "of version 99"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(TokenariumError, match=said):
        read_report(tmp_path / "a.json")


def test_the_page_has_every_check_and_no_markup_of_a_text(report: EvaluationReport) -> None:
    page = evaluation_page(report)
    for one in report.checks:
        assert one.check.title in page
    found = evaluate(shipped("tokenarium-8k"), [CorpusSource("text", "<b>low</b>")])
    assert "<b>" not in evaluation_page(found)
