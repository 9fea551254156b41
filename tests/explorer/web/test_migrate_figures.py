"""The page Migrate as a web page: its counts, its sentences and its ids are those of the core."""

from __future__ import annotations

import re
from html import unescape

import pytest
from shown_scenes import shipped, shown_scene

import tokenarium_core as tc
from tokenarium.models.compare.migration import DROPPED, FATES
from tokenarium.web.migrate_figures import MOST_IDS, migrate_figures
from tokenarium.web.shown_scene import ShownScene

TEXT = "Familiar words, weniger bekannte Wörter, 面積."
IDS = ("tokenarium-8k", "bpe-gpt2-8k", "wordpiece-8k")


def scene_of(text: str = TEXT, ids: tuple[str, ...] = IDS, **kept: object) -> ShownScene:
    pages = {"compare.migrate": kept}
    return shown_scene(text, ids, workspace="compare", page="migrate", pages=pages)


def rows_of(html: str) -> list[list[str]]:
    """The texts of the cells of all rows."""
    rows = re.findall(r"<tr>(<td.*?)</tr>", html)
    return [[unescape(re.sub("<[^>]*>", "", one)) for one in re.findall("<td.*?</td>", row)] for row in rows]  # fmt: skip


@pytest.mark.parametrize("kept", [{}, {"pair": ["shipped:bpe-gpt2-8k", "shipped:wordpiece-8k"]}])
def test_the_counts_are_those_of_the_core(kept: dict[str, object]) -> None:
    old, new = map(shipped, IDS[1:] if kept else IDS[:2])
    found = tc.migrate(old, new)
    (figure,) = migrate_figures(scene_of(**kept))
    rows = rows_of(figure.html)
    counts = [found.count(fate) for fate in FATES]
    assert [row[1] for row in rows[:6]] == [f"{one:,}" for one in (*counts, len(found.dropped))]
    costs = [len(one.encode(TEXT).ids) for one in (old, new)]
    assert f"needs {costs[0]:,} tokens" in figure.html
    assert f"and {costs[1]:,} in " in figure.html
    assert [row[0] for row in rows[6:]] == [str(id) for id in range(MOST_IDS)]
    assert [row[2] for row in rows[6:]] == list(found.fates[:MOST_IDS])
    first = next(at for at, sources in enumerate(found.sources) if sources and at < MOST_IDS)
    assert rows[6 + first][3].startswith(f"{found.sources[first][0]} ")


@pytest.mark.parametrize("kind", ["pieces", DROPPED])
def test_the_ids_are_those_of_the_kind_that_is_chosen(kind: str) -> None:
    found = tc.migrate(*map(shipped, IDS[:2]))
    (figure,) = migrate_figures(scene_of(kind=kind))
    ids = list(found.dropped) if kind == DROPPED else [id for id, fate in enumerate(found.fates) if fate == kind]  # fmt: skip
    rows = rows_of(figure.html)[6:]
    assert [row[0] for row in rows] == [str(id) for id in ids[:MOST_IDS]]
    assert {row[2] for row in rows} == {kind}


@pytest.mark.parametrize(
    "kept",
    [
        {"pair": ["shipped:tokenarium-8k", "shipped:tokenarium-8k"], "kind": "none such"},
        {"pair": ["gone", "shipped:tokenarium-8k"], "kind": 3},
        {"pair": [[], {}], "kind": []},
        {"pair": 7},
    ],
)
def test_what_a_scene_has_wrong_has_no_effect(kept: dict[str, object]) -> None:
    assert migrate_figures(scene_of(**kept)) == migrate_figures(scene_of())


def test_a_scene_without_a_text_has_no_costs_and_one_tokenizer_is_refused() -> None:
    (figure,) = migrate_figures(scene_of(""))
    assert "keep their meaning" in figure.html
    assert "the text needs" not in figure.html
    with pytest.raises(tc.TokenariumError, match="too few tokenizers"):
        migrate_figures(scene_of(ids=IDS[:1]))
