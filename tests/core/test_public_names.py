"""The names of the package, which are imported when they are first used."""

import subprocess
import sys

import pytest

import tokenarium_core as tc

pytestmark = pytest.mark.core


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
