"""The command that adds entries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command
from narrowed import assert_contains
from small_files import new_folder, saved, write_file

import tokenarium_core as tc
from tokenarium.commands.terminal import FAILED, PARTLY, tokenizer_of
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.training.word_counts import count

extend = command("extend")


def corpus_in(folder: Path) -> Path:
    return write_file(
        folder / "texts.txt", "Tokenarium tokenizes streets of lowercase letters.\n" * 20
    )


@pytest.mark.slow
def test_entries_of_a_corpus_are_added_and_proved(tmp_path: Path) -> None:
    corpus, made = corpus_in(tmp_path), tmp_path / "made.json"
    code, said = extend("tokenarium-8k", "--out", made, "--corpus", corpus, "--add", 5)
    assert code == 0
    assert_contains(
        said,
        "5 entries added to Tokenarium 8k",
        "Ids change only where a text contains a new entry",
    )
    old, new = tc.open(shipped_path("tokenarium-8k")), tc.open(made)
    assert len(new.vocabulary) == len(old.vocabulary) + 5
    text = corpus.read_text("utf-8")
    assert len(new.encode_ids(text)) < len(old.encode_ids(text))
    code, listed = extend("tokenarium-8k", "--corpus", corpus, "--add", 5, "--json")
    assert code == 0
    share = extend("tokenarium-8k", "--corpus", corpus, "--add", "0.0625%", "--json")
    assert share == (0, listed)
    found = json.loads(listed)
    assert found["tokens"] == {"before": len(old.encode_ids(text)), "after": len(new.encode_ids(text))}  # fmt: skip
    assert [one["id"] for one in found["added"]] == list(range(8000, 8005))
    assert sum(one["saved"] for one in found["added"]) == found["tokens"]["before"] - found["tokens"]["after"]  # fmt: skip


def test_words_of_a_list_become_one_token(tmp_path: Path) -> None:
    words, made = tmp_path / "words.txt", tmp_path / "made.model"
    words.write_text(" Tokenarium\n\n unbelievably\n", "utf-8")
    code, said = extend("sentencepiece-bpe-8k", "--out", made, "--words", words)
    assert code == 0
    assert "entries added" in said
    assert len(tc.open(made).encode_ids("a Tokenarium unbelievably")) == 3


def test_impossible_words_are_left_out_and_all_listed(tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    impossible = [f"two words{number}" for number in range(30)]
    words = write_file(tmp_path / "words.txt", "\n".join([*impossible, " Tokenarium", " the"]))
    code, said = extend("tokenarium-8k", "--out", made, "--words", words)
    assert code == PARTLY
    assert_contains(said, "Left out: 30 words", *(one.replace(" ", "␣") for one in impossible))
    assert len(tc.open(made).encode_ids(" Tokenarium")) == 1
    code, said = extend("tokenarium-8k", "--words", words, "--json")
    found = json.loads(said)
    assert code == PARTLY
    assert [one["word"] for one in found["refused"]] == impossible
    assert all("splits it before it merges" in one["reason"] for one in found["refused"])
    write_file(words, "\n".join(impossible))
    code, said = extend("tokenarium-8k", "--words", words)
    assert code == FAILED
    assert all(f"'{one}' cannot be one token" in said for one in impossible)
    assert "None of these words can be added." in said
    code, said = extend("tokenarium-8k", "--words", words, "--json")
    assert (code, len(json.loads(said)["refused"])) == (PARTLY, 30)


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    assert extend("tokenarium-8k")[0] == FAILED
    for wrong in ("0", "0%", "x%", "-3"):
        code, said = extend("tokenarium-8k", "--corpus", corpus_in(tmp_path), "--add", wrong)
        assert (code, f"“{wrong}”" in said) == (FAILED, True)
    assert "either --corpus or --words" in extend("tokenarium-8k")[1]
    code, said = extend("wordpiece-8k", "--corpus", corpus_in(tmp_path))
    assert (code, "matches the longest entry" in " ".join(said.split())) == (FAILED, True)
    assert "cannot be read" in extend("tokenarium-8k", "--words", tmp_path / "absent.txt")[1]
    words = write_file(tmp_path / "words.txt", "two words\n")
    assert "splits it before it merges" in extend("tokenarium-8k", "--words", words)[1]


def test_counts_are_as_good_as_texts_and_a_training_can_be_resumed(tmp_path: Path) -> None:
    corpus = corpus_in(tmp_path)
    texts = [corpus.read_text("utf-8")]
    old = tc.train("bpe", texts, vocab_size=270)
    path, made, counted = tmp_path / "old.json", tmp_path / "new.json", tmp_path / "x.counts"
    old.save(path)
    count("bpe", texts).save(counted)
    found = [
        extend(path, "--corpus", source, "--add", 6, "--json")[1] for source in (corpus, counted)
    ]
    assert found[0] == found[1]
    code, _ = extend(path, "--out", made, "--corpus", corpus, "--add", 6, "--resume")
    assert code == 0
    whole = tc.train("bpe", texts, vocab_size=276)
    assert merges(tc.open(made)) == merges(whole)
    code, said = extend(path, "--corpus", counted, "--corpus", corpus)
    assert (code, "one file of counts" in said) == (FAILED, True)


@pytest.mark.slow
def test_unigram_goes_on(tmp_path: Path) -> None:
    made = tmp_path / "made.model"
    code, said = extend("unigram-8k", "--out", made, "--corpus", corpus_in(tmp_path), "--add", 4)
    assert code == 0
    assert "fewer" in said
    assert len(tc.open(made).vocabulary) == 8004


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (8100, "the ids 8,000 to 8,002 fall into rows that were only padding"),
        (
            8002,
            "the ids 8,000 to 8,001 fall into rows that were only padding. They exist, but were never trained."
            " For the others it needs 8,003 rows.",
        ),
        (8000, "it needs 8,003 rows for the new ids"),
        (None, ""),
    ],
)
def test_where_the_new_ids_are_in_the_models_embedding(
    tmp_path: Path, rows: int | None, said: str
) -> None:
    model = new_folder(tmp_path / "model")
    tokenizer_of("tokenarium-8k").save(model / "tokenizer.json", format="huggingface")
    if rows is not None:
        (model / "config.json").write_text(json.dumps({"vocab_size": rows}))
    arguments = (model, "--out", tmp_path / "out.json", "--corpus", corpus_in(tmp_path), "--add", 3)
    code, shown = extend(*arguments)
    assert code == 0, shown
    assert said in " ".join(shown.split())
    assert ("rows in its embedding" in shown) == bool(said)


def test_a_word_with_unknown_characters_is_shown_as_it_is(tmp_path: Path) -> None:
    made = saved(
        tc.train(
            "sentencepiece-bpe", ["low lower lowest\n" * 9], vocab_size=20, normalization="identity"
        ),
        tmp_path / "small.model",
        format="sentencepiece",
    )
    text = write_file(tmp_path / "other.txt", "lowжlow lowжlow\n" * 30)
    code, shown = extend(made, "--corpus", text, "--add", 1)
    assert code == 0, shown
    assert "most often in ж (1 to 1 tokens)" in " ".join(shown.split())
    assert "⁇" not in shown
