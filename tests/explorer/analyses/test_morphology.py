"""MorphScore and boundaries, against MorphScore's rules written again on the strings of tokenizers' tokens."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import tokenizers as hf
from pytestqt.qtbot import QtBot
from tokenizers.models import BPE, WordLevel
from tokenizers.trainers import BpeTrainer
from typer.testing import CliRunner
from windows import Host, show_page

import tokenarium_core as tc
from tokenarium.analyses.analysis import AnalysisInputs, Subject
from tokenarium.analyses.morphology import MORPHOLOGY, SHOWN_FAULTS, SHOWN_WORDS
from tokenarium.commands.cli import app
from tokenarium.models.compare.morphology import SCORED_AT_ONCE
from tokenarium.models.task import Task
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.views.analysis_page import page_of

STEMS = ["kitap", "ev", "göz", "happi", "learn", "घर", "बच्च", "كتاب", "مدرس", "дом", "家", "läs"]
AFFIXES = ["lar", "ler", "im", "un", "ness", "ing", "ों", "ات", "ون", "ами", "们", "s", "ö"]


def words(seed: int, count: int = 400) -> list[tuple[str, ...]]:
    """Returns some words by their morphemes, from one to three."""
    chance = random.Random(seed)
    made = {
        (
            *chance.choices(AFFIXES, k=chance.randrange(2)),
            chance.choice(STEMS),
            *chance.choices(AFFIXES, k=chance.randrange(2)),
        )
        for _ in range(count)
    }
    return sorted(made)


def reference(path: Path, seed: int = 0) -> hf.Tokenizer:
    """Returns a tokenizer of characters and merges, each of whose tokens is a part of the word."""
    tokenizer = hf.Tokenizer(BPE(unk_token="<unk>"))
    trainer = BpeTrainer(vocab_size=120, special_tokens=["<unk>"], show_progress=False)  # type: ignore[call-arg]
    tokenizer.train_from_iterator(["".join(one) for one in words(seed, 60)], trainer)
    tokenizer.save(str(path))
    return tokenizer


def harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


def naive(
    rows: Sequence[Sequence[str]],
    tokenizer: hf.Tokenizer,
    weights: Sequence[float],
    single_tokens: bool,
    single_morphemes: bool,
) -> dict[str, float | None]:
    """Returns all figures, by the rules of MorphScore 2 for one to three morphemes, and by sets of places."""
    points, precise, shares, sums, weighed = [], [], [], [], []
    hits = predicted = gold = single = 0
    for morphemes, weight in zip(rows, weights, strict=True):
        word = "".join(morphemes)
        tokens = [token for token in tokenizer.encode(word).tokens if token != "<unk>"]
        ends = list(accumulate(map(len, tokens)))
        borders = list(accumulate(map(len, morphemes)))[:-1]
        inner = {end for end in ends if 0 < end < len(word)}
        hits += len(inner & set(borders))
        predicted += len(inner)
        gold += len(borders)
        single += len(tokens) == 1
        if len(tokens) == 1:
            if not single_tokens:
                continue
            point, share = 1.0, 1.0
        elif len(morphemes) == 1:
            if not single_morphemes:
                continue
            point, share = 0.0, 0.0
        elif len(morphemes) == 2:
            found = borders[0] in ends
            point, share = float(found), found / len(ends)
        else:
            found = (borders[0] in ends) + (borders[1] in ends)
            point, share = {0: 0.0, 1: 0.5, 2: 1.0}[found], found / len(ends)
        common = len(set(tokens) & set(morphemes))
        points.append(weight * point)
        precise.append(weight * share)
        weighed.append(weight)
        sums.append((common, len(tokens), len(morphemes)))
        shares.append((common / len(tokens), common / len(morphemes)))
    common, pieces, parts = map(sum, zip(*sums, strict=True))
    means = [sum(one) / len(shares) for one in zip(*shares, strict=True)]
    return {
        "morphscore_recall": sum(points) / sum(weighed),
        "morphscore_precision": sum(precise) / sum(weighed),
        "micro_f1": harmonic(common / pieces, common / parts),
        "macro_f1": harmonic(*means),
        "boundary_precision": hits / predicted,
        "boundary_recall": hits / gold,
        "boundary_f1": harmonic(hits / predicted, hits / gold),
        "scored_words": len(points),
        "one_token": single / len(rows),
    }


def values(tokenizer: tc.Tokenizer, text: str, **given: bool) -> dict[str, Any]:
    answer = MORPHOLOGY.run({"t": tokenizer}, text, **given)
    (row,) = MORPHOLOGY.table(answer.inputs, answer.result).values()
    return row


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("single_tokens", [False, True])
@pytest.mark.parametrize("single_morphemes", [False, True])
@pytest.mark.parametrize("frequencies", [False, True])
def test_the_figures_are_those_of_the_rules(
    tmp_path: Path, seed: int, single_tokens: bool, single_morphemes: bool, frequencies: bool
) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer, rows = reference(path, seed), words(seed)
    repeated = [1 + place % 3 for place in range(len(rows))]
    text = "".join(
        f"{''.join(row)}\t{'|'.join(row)}\n" * times
        for row, times in zip(rows, repeated, strict=True)
    )
    weights = repeated if frequencies else [1] * len(rows)
    wanted = naive(rows, tokenizer, weights, single_tokens, single_morphemes)
    assert 0 < wanted["one_token"] < 1  # type: ignore[operator]
    given = {"single_tokens": single_tokens, "single_morphemes": single_morphemes}
    found = values(tc.open(path), text, frequencies=frequencies, **given)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)


def test_the_examples_that_morphscore_is_explained_with(tmp_path: Path) -> None:
    """The table of its README: a boundary counts wherever the others are, and a whole word is left out."""
    text = "aldiz\taldi|z\nsamráðs\tsamráð|s\n"
    for merges, recall, scored in (
        ([("a", "l"), ("d", "i"), ("di", "z")], 0.5, 2),  # al diz; s a m r á ð s
        ([("a", "l"), ("d", "i"), ("al", "di")], 1.0, 2),  # aldi z
    ):
        pieces = [*"aldizsmráð", *("".join(pair) for pair in merges)]
        path = tmp_path / "tokenizer.json"
        hf.Tokenizer(BPE({piece: n for n, piece in enumerate(pieces)}, merges)).save(str(path))
        found = values(tc.open(path), text)
        assert (found["morphscore_recall"], found["scored_words"]) == (recall, scored)
    hf.Tokenizer(WordLevel({"samráðs": 0, "<unk>": 1}, "<unk>")).save(str(path))
    one = values(tc.open(path), "samráðs\tsamráð|s")
    assert (one["scored_words"], one["one_token"]) == (0, 1.0)
    assert one["morphscore_recall"] is None
    assert one["boundary_precision"] is None
    assert one["boundary_recall"] == 0.0
    assert (
        values(tc.open(path), "samráðs\tsamráð|s", single_tokens=True)["morphscore_recall"] == 1.0
    )


def test_unknown_tokens_are_no_pieces(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    hf.Tokenizer(WordLevel({"dog": 0, "<unk>": 1}, "<unk>")).save(str(path))
    found = values(tc.open(path), "cats\tcat|s\ndog\tdog")
    assert found["morphscore_recall"] == 0.0
    assert (found["scored_words"], found["one_token"]) == (1, 0.5)


def test_a_token_that_ends_inside_a_character_is_at_no_boundary() -> None:
    alphabet = tc.train("bpe", [""], vocab_size=256)
    found = values(alphabet, "öä\tö|ä")
    assert found["boundary_recall"] == 1.0
    assert found["boundary_precision"] == pytest.approx(1 / 3)
    assert found["morphscore_precision"] == pytest.approx(1 / 4)


def test_after_a_space_the_tokens_are_those_of_a_text() -> None:
    tokenizer = tc.open(shipped_path("bpe-gpt2-8k"))
    text = "walked\twalk|ed\nunhappiness\tun|happi|ness\nshould\tshould\nwanted\twant|ed\n"
    answer = MORPHOLOGY.run({"t": tokenizer}, text, after_space=True)
    for word, tokens in zip(
        ("walked", "unhappiness", "should", "wanted"), answer.result.tokens["t"], strict=True
    ):  # type: ignore[attr-defined]
        pieces = [tokenizer.vocabulary.piece(one) for one in tokenizer.encode_ids(f" {word}")]
        assert tokens == b"|".join(pieces).decode().removeprefix(" ").removeprefix("|")
    alone = [values(tokenizer, text)[name] for name in ("one_token", "scored_words")]
    assert [
        values(tokenizer, text, after_space=True)[name] for name in ("one_token", "scored_words")
    ] != alone


def test_a_text_without_words_says_what_is_read() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    with pytest.raises(tc.ArgumentError, match="No line of the text is a word with its parts"):
        values(tokenizer, "Once upon a time.")


def test_a_tokenizer_that_refuses_a_word_says_why(tmp_path: Path) -> None:
    path = tmp_path / "refused.json"
    hf.Tokenizer(WordLevel({"a": 0}, unk_token="[UNK]")).save(str(path))
    bad, good = tc.open(path), tc.open(shipped_path("tokenarium-8k"))
    given = {one.name: False for one in MORPHOLOGY.fields}
    inputs = AnalysisInputs(
        [Subject("bad", "bad", bad), Subject("good", "good", good)], "cats\tcat|s", given
    )
    result = MORPHOLOGY.complete(inputs)
    shown: Any = MORPHOLOGY.show(inputs, result)
    cells = [shown["table"].columns[1].cell(one) for one in inputs.subjects]
    assert (cells[0].text, "not in this vocabulary" in cells[0].tip) == ("not defined", True)
    assert cells[1].text.endswith("%")
    assert shown["words"].columns[1].cell(0).text == ""


def test_lines_that_are_not_understood_are_named() -> None:
    lines = ["cats\tcat|s", "dog\tdog", "run\truns\tV", *(f"x{n}" for n in range(SHOWN_FAULTS + 2))]
    answer = MORPHOLOGY.run({"t": tc.open(shipped_path("tokenarium-8k"))}, "\n".join(lines))
    said = MORPHOLOGY.remarks(answer.inputs, answer.result)
    assert said[0] == "2 words with morphemes; 1 line without parts."
    assert said[1] == "Line 4: there is no tab between a word and its parts."
    assert said[SHOWN_FAULTS + 1] == "2 more lines not understood."
    written: Any = MORPHOLOGY.as_json(answer.inputs, answer.result)
    assert [fault["line"] for fault in written["not_understood"]] == list(range(4, 10))


def test_the_command_writes_json_csv_and_a_table(tmp_path: Path) -> None:
    path, table = tmp_path / "words.tsv", tmp_path / "table.csv"
    path.write_text("walked\twalk ed\ncats\tcat s\n", encoding="utf-8")
    names = ["tokenarium-8k", "wordpiece-8k"]
    line = ["morphology", names[0], "--with", names[1], "--file", str(path)]
    written = CliRunner().invoke(app, [*line, "--json", "--csv", str(table)])
    answer = json.loads(written.stdout)
    assert answer["words"] == 2
    for name, row in zip(names, answer["tokenizers"], strict=True):
        text = path.read_text(encoding="utf-8")
        assert row == {**values(tc.open(shipped_path(name)), text), "tokenizer": row["tokenizer"]}
    assert len(table.read_text("utf-8").splitlines()) == 3
    assert "2 words with morphemes." in CliRunner().invoke(app, line).stdout


def test_the_work_is_in_slices() -> None:
    text = "".join(f"cat{n}s\tcat{n}|s\n" for n in range(3 * SCORED_AT_ONCE))
    inputs = MORPHOLOGY.run({"t": tc.open(shipped_path("tokenarium-8k"))}, "cats\tcat s").inputs
    inputs.text = text
    result = MORPHOLOGY.begin(inputs)
    assert len(list(MORPHOLOGY.work(inputs, result))) > 3
    assert len(result.tokens["t"]) == SHOWN_WORDS
    assert not Task("", MORPHOLOGY.work(inputs, MORPHOLOGY.begin(inputs))).step(0).finished


def test_the_page_follows_the_text_and_its_controls(host: Host, qtbot: QtBot) -> None:
    host.session.set_text("walked\twalk|ed\nthe\tthe\n")
    page: Any = show_page(host, "compare", "morphology", page_of("morphology"))
    qtbot.waitUntil(lambda: not page.busy and page.answered)
    tokenizer = page.items[0].tokenizer
    page.controls["single_tokens"].widget.setChecked(True)
    qtbot.waitUntil(lambda: not page.busy and page.inputs.values["single_tokens"])
    wanted = MORPHOLOGY.run({"t": tokenizer}, host.session.text, single_tokens=True)
    assert page.lines()[1][1:] == MORPHOLOGY.table(wanted.inputs, wanted.result).lines()[1][1:]
    assert page.parts["words"].isVisible()
    host.session.set_text("no words")
    qtbot.waitUntil(lambda: bool(page.error))
    assert "A line has a word, a tab and its parts" in page.parts["note"].text()
    assert not page.parts["words"].isVisible()
