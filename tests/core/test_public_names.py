"""The names of the package, which are imported when they are first used."""

import subprocess
import sys
from pathlib import Path

import pytest

import tokenarium_core as tc


def test_every_public_name_is_there() -> None:
    declared = {name for names in tc._NAMES.values() for name in names.split()}
    own = {"COMPILED", "__version__"}
    assert {*declared, "open"} - {"open_tokenizer"} == set(tc.__all__) - own
    assert set(tc.__all__) <= set(dir(tc))
    for name in tc.__all__:
        assert getattr(tc, name) is getattr(tc, name)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    for name in ("open_tokenizer", "Tokeniser", "_nothing"):
        with pytest.raises(AttributeError, match=name):
            getattr(tc, name)


def test_a_package_needs_no_import_of_its_own() -> None:
    code = "import tokenarium_core as tc; tc.training.ALGORITHMS, tc.explaining, tc.formats.NAMED"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_version_needs_none_of_them() -> None:
    code = (
        "import sys, tokenarium_core as tc; tc.__version__, tc.COMPILED; "
        "sys.exit(any(name.startswith('tokenarium_core.') and name != 'tokenarium_core.version' "
        "and '__mypyc' not in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_tokenizer_is_saved_where_no_format_was_imported_before(tmp_path: Path) -> None:
    code = """
import sys
from tokenarium_core.added_tokens import of_special
from tokenarium_core.models.bpe.byte_pair_encoder import encoder_of_merges
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, PieceArena, Vocabulary
arena = PieceArena(256)
for byte in range(256):
    arena.add(bytes([byte]), BYTE)
model = encoder_of_merges(Vocabulary(arena), MergeTable(0))
tokenizer = Tokenizer("bytes", model, cutting("gpt2"), of_special({}))
assert "tokenarium_core.formats.registry" not in sys.modules
tokenizer.save(sys.argv[1])
"""
    path = tmp_path / "bytes.json"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert list(tc.open(path).encode("é").ids) == [0xC3, 0xA9]
