"""The command that shows what two tokenizers do differently: its table, its JSON and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import command
from differing_pairs import fields_of, opened, put

import tokenarium_core as tc
from tokenarium.commands.terminal import FAILED, FOUND
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium_core.comparing.stage_differences import EFFECTS

diff = command("diff")


def test_a_row_for_each_difference_and_the_shortest_text(two: tuple[Path, Path]) -> None:
    code, said = diff(*two)
    assert code == FOUND
    assert "pattern of the step Split" in said
    assert "changes-ids" in said
    assert "has different ids because of the stage pre-tokenizer. A splits it into" in said


def test_the_same_as_json(two: tuple[Path, Path]) -> None:
    code, said = diff(*two, "--json")
    assert code == FOUND
    found = json.loads(said)
    assert (found["a"], found["b"], found["worst"]) == ("a", "b", "changes-ids")
    [one] = found["differences"]
    assert (one["stage"], one["text"]) == ("pre-tokenizer", found["first"]["text"])
    assert found["first"]["ids_a"] == one["ids_a"] != one["ids_b"] == found["first"]["ids_b"]
    assert sum(found["tried"].values()) > 1000


def test_two_files_that_do_the_same(two: tuple[Path, Path]) -> None:
    code, said = diff(two[0], two[0])
    assert code == 0
    assert said.startswith("No difference found in ")
    assert "Not tried: texts of your own" in " ".join(said.split())


def test_which_effect_fails(tmp_path: Path) -> None:
    fields = fields_of("llama2")
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    opened(fields, a)
    put({"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}, "truncation")(fields)  # fmt: skip
    opened(fields, b)
    codes = [diff(a, b, "--fail-on", effect)[0] for effect in EFFECTS]
    assert codes == [0, 0, 0, FOUND]


def test_own_texts_are_tried(two: tuple[Path, Path], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("one\ntwo\n", encoding="utf-8")
    found = json.loads(diff(*two, "--text", text, "-t", text, "--json")[1])
    assert found["tried"]["your texts"] == 4


def test_what_it_refuses(two: tuple[Path, Path], tmp_path: Path) -> None:
    code, said = diff(*two, "--fail-on", "never")
    assert code == FAILED
    assert "choose from changes-ids, may-change-ids, changes-text, keeps-ids." in " ".join(
        said.split()
    )
    assert diff(two[0], "nowhere")[0] == FAILED
    assert diff(*two, "--text", tmp_path / "no.txt")[0] == FAILED
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"\xff\xfe\x00a")
    assert diff(*two, "--text", broken)[0] in (FAILED, FOUND)


def test_words_are_no_cause_where_the_same_tokens_come_of_them() -> None:
    """The two have other patterns, and other ids for most entries."""
    paths = {one.id: one.path for one in SHIPPED_TOKENIZERS}
    a, b = (tc.open(paths[name]) for name in ("tokenarium-8k", "bpe-gpt2-8k"))
    shown = [one for one in tc.diff(a, b).differences if one.stage == "pre-tokenizer"]
    assert shown
    for one in shown:
        assert [a.id_to_token(id) for id in one.ids_a] != [b.id_to_token(id) for id in one.ids_b]
