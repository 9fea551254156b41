"""The texts that show differences: tokenizers gives them different ids, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from differing_pairs import KNOWN, KnownPair, fields_of, opened

import tokenarium_core as tc

tokenizers = pytest.importorskip("tokenizers")

ONLY_HERE = "special"
"""The pair whose text is plain only here: tokenizers always finds special tokens."""


@pytest.mark.slow
@pytest.mark.parametrize("pair", KNOWN, ids=[pair.name for pair in KNOWN])
def test_the_library_parts_on_the_same_text(pair: KnownPair, tmp_path: Path) -> None:
    fields, changed = fields_of(pair.kind), fields_of(pair.kind)
    for one in (fields, changed):
        if pair.before is not None:
            pair.before(one)
    pair.edit(changed)
    found = tc.diff(opened(fields, tmp_path / "a.json"), opened(changed, tmp_path / "b.json"))
    assert found.first is not None
    a, b = (tokenizers.Tokenizer.from_str(json.dumps(one)) for one in (fields, changed))
    ids_a, ids_b = (one.encode(found.first.text).ids for one in (a, b))
    assert (ids_a == ids_b) == (pair.name == ONLY_HERE)
