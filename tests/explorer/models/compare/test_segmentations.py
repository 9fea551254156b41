"""Words with their morphemes, read from each kind of file."""

from __future__ import annotations

import pytest

from tokenarium.models.compare.segmentations import (
    READ_AT_ONCE,
    Segmentations,
    SegmentedWord,
    read_segmentations,
)

HEAD = "wordform,lemma,stem,preceding_part,following_part,unique,data_split,word_freq_norm\n"


def read(text: str) -> Segmentations:
    found = Segmentations()
    list(read_segmentations(text, found))
    return found


def parts(text: str) -> list[str]:
    return ["|".join(word.parts) for word in read(text).words]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("unhappiness\tun happi ness", ["un|happi|ness"]),
        ("unhappiness\tun|happi|ness", ["un|happi|ness"]),
        ("unhappiness\tun @@happi @@ness\t110", ["un|happi|ness"]),
        ("dog\tdog", ["dog"]),
        ("run\truns\tV;PRS;3;SG\trun|s", ["run|s"]),
        ("run\truns\tV;PRS;3;SG\t-", []),
        ("run\truns\tV;PRS;3;SG", []),
        ("look\tlook up\tV\tlook| up", ["look| up"]),
        ("1\tundoing\tundo\tVERB\t_\t_\t0\troot\t_\tGloss=x|MSeg=un-do-ing|A=b", ["un|do|ing"]),
        ("1\twell-being\t_\tNOUN\t_\t_\t0\troot\t_\tMSeg=well-be-ing", ["well-be|ing"]),
        ("1\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_", []),
        ("बच्चों\tबच्च|ों", ["बच्च|ों"]),
        ("# a comment\n\n  \n", []),
        ("\ufeffcats\tcat s\r\ndogs\tdog s\r\n", ["cat|s", "dog|s"]),
    ],
)
def test_each_kind_of_line(line: str, wanted: list[str]) -> None:
    found = read(line)
    assert parts(line) == wanted
    assert found.faults == []
    assert found.bare == (0 if wanted or line.startswith("#") else 1)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("dogs", "there is no tab between a word and its parts"),
        ("ran\trun|ed", "the parts “run|ed” do not spell “ran”"),
        ("dogs\tdog", "the parts “dog” do not spell “dogs”"),
        ("dog\tdog s", "the parts “dog␣s” do not spell “dog”"),
        ("\tdog s", "there is no word"),
        ("1\tRuns\t_\tX\t_\t_\t0\troot\t_\tMSeg=run-s", "the parts “run-s” do not spell “Runs”"),
    ],
)
def test_what_is_not_understood_is_said_by_line(line: str, why: str) -> None:
    found = read(f"cats\tcat s\n{line}\n")
    assert found.faults == [(2, why)]
    assert len(found.words) == 1


def test_a_word_counts_once_and_has_a_weight() -> None:
    assert read("cats\tcat s\ncats\tca ts\ncats\tcat|s\n").words == [
        SegmentedWord("cats", ("cat", "s"), (3,), 2),
        SegmentedWord("cats", ("ca", "ts"), (2,), 1),
    ]


def test_cuts_are_in_bytes() -> None:
    assert read("घरों\tघर|ों").words[0].cuts == (6,)
    assert read("öäü\tö|ä|ü").words[0].cuts == (2, 4)


def test_rows_of_morphscore_2_are_those_of_its_defaults() -> None:
    rows = [
        ("cats,cat,cat,,s,unique,train,0.5", ("cat", "s")),
        ("undoing,do,do,un,ing,unique,dev,1", ("un", "do", "ing")),
        ("undo,do,do,un,,unique,test,1", ("un", "do")),
        ('"a,b",a,a,,",b",unique,test,1', ("a", ",b")),
        ("dog,dog,dog,,,unique,test,1", ("dog",)),
        ("ran,run,ra,,n,unique,test,1", None),  # the stem is not the lemma
        ("axes,ax,ax,,es,ambiguous,test,1", None),
        ("b2s,b2,b2,,s,unique,test,1", None),
        ("cows,cow,cow,,s,unique,hidden,1", None),
    ]
    found = read(HEAD + "\n".join(row for row, _ in rows) + "\n")
    assert [word.parts for word in found.words] == [made for _, made in rows if made]
    assert found.left_out == sum(made is None for _, made in rows)
    assert found.words[0].weight == 0.5
    assert found.faults == []


def test_faults_of_tables_are_said_by_line() -> None:
    found = read(f"{HEAD}cats,cat,cat,,s,unique,train,often\n,cat,cat,,s,unique,train,1\n")
    assert [line for line, _ in found.faults] == [2, 3]
    assert "“often” is no frequency" in found.faults[0][1]
    found = read(
        f"{HEAD}{'x' * 200_000},a\ncats,cat,cat,,s,unique,train,1\n"
    )  # longer than csv reads
    assert [word.word for word in found.words] == ["cats"]
    assert "no CSV" in found.faults[0][1]


def test_a_table_of_morphscore_1() -> None:
    found = read(",full_word,pt1,rest\n0,lighted,light,ed\n1,rama,ram,\n2,ab,abc,d\n")
    assert [(word.parts, word.cuts) for word in found.words] == [
        (("light", "ed"), (5,)),
        (("abc", "d"), (-1,)),  # a boundary beyond the word is never found
    ]
    assert found.faults == [(3, "a word or a part is empty")]


def test_reading_is_in_slices() -> None:
    lines = 3 * READ_AT_ONCE
    assert len(list(read_segmentations("a\ta\n" * lines, Segmentations()))) == 3
    table = HEAD + "cats,cat,cat,,s,unique,train,1\n" * lines
    assert len(list(read_segmentations(table, Segmentations()))) == 3
