"""Scenes are read from anywhere: what is wrong is said in a sentence, and the rest is taken."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenarium.models import scene as scene_module
from tokenarium.models.scene import (
    LINK,
    MOST_LINK,
    MOST_LINKED_BYTES,
    MOST_TOKENIZERS,
    Scene,
    SceneError,
    SceneText,
    SceneTokenizer,
    is_link,
    read_link,
    read_scene,
    read_scene_file,
    scene_bytes,
    scene_link,
)

WHOLE = Scene(
    1,
    SceneText("Größe 東京 👋🏽\ud800\r\n", title="Mixed"),
    (SceneTokenizer("named:gpt2", "GPT-2", instead=("shipped:bpe-gpt2-8k",)),),
    "named:gpt2",
    "merges",
    "steps",
    (0, 7),
    {"annotations": "ids"},
    {"scheme": "dark"},
    {"merges.steps": {"step": 3}},
)

words = st.text(max_size=8)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
FIELDS = [field.name for field in msgspec.structs.fields(Scene)]


def test_a_scene_comes_back() -> None:
    found = read_scene(scene_bytes(WHOLE))
    assert found.scene == WHOLE
    assert found.left_out == ()


def test_a_link_comes_back_however_it_was_wrapped() -> None:
    link = scene_link(WHOLE)
    assert is_link(f"  {link}\n")
    assert read_link(link).scene == WHOLE
    wrapped = "\n".join(link[start : start + 70] for start in range(0, len(link), 70))
    assert read_link(wrapped).scene == WHOLE


@given(st.dictionaries(st.sampled_from(FIELDS), plain, max_size=5))
@settings(max_examples=150, deadline=None)
def test_any_values_give_a_scene_or_a_sentence(values: dict[str, object]) -> None:
    data = json.dumps({**values, "tokenarium": 1}, default=str).encode()
    found = read_scene(data)
    assert all(sentence.endswith(".") for sentence in found.left_out)
    assert read_scene(scene_bytes(found.scene)).left_out == ()


@given(st.binary(max_size=60))
def test_any_bytes_give_a_sentence(data: bytes) -> None:
    for read in (read_scene, lambda data: read_link(LINK + data.decode("latin-1"))):
        with pytest.raises(SceneError, match=r"\.$"):
            read(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not valid JSON"),
        (b"[]", "names no version"),
        (b'{"text": {}}', "names no version"),
        (b'{"tokenarium": true}', "names no version"),
        (b'{"tokenarium": NaN}', "not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"tokenarium": 1, "pages": {"a": ' + b"[" * 40 + b"]" * 40 + b"}}", "too deeply"),
        (b'{"tokenarium": 1,\n"text": }', "line 2"),
        (b"\xff\xfe", "not valid JSON"),
    ],
)
def test_what_is_no_scene_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(SceneError, match=said):
        read_scene(data)


def test_brackets_in_texts_are_no_depth() -> None:
    text = "[{" * 100 + '"\\' + "[" * 100
    assert read_scene(scene_bytes(Scene(text=SceneText(text)))).scene.text == SceneText(text)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ('"selection": [5, 2]', "end is before its beginning"),
        ('"selection": [1, 2, 3]', "“selection” is left out"),
        ('"text": 4', "“text” is left out: expected object"),
        ('"tokenizers": [{"key": 3}]', "key"),
        ('"projector": true', "“projector” is not known"),
        ('"text": {"inline": "a", "sha256": "no"}', "hash of its text is left out"),
        ('"tokenarium": 99', "newer Tokenarium"),
    ],
)
def test_the_rest_of_a_scene_is_taken(field: str, said: str) -> None:
    found = read_scene(f'{{"tokenarium": 1, "workspace": "bytes", {field}}}'.encode())
    assert found.scene.workspace == "bytes"
    (sentence,) = found.left_out
    assert said in sentence


def test_only_so_many_tokenizers_are_taken() -> None:
    many = tuple(SceneTokenizer(f"named:{number}") for number in range(MOST_TOKENIZERS + 1))
    found = read_scene(scene_bytes(Scene(tokenizers=many)))
    assert found.scene.tokenizers == many[:-1]
    assert found.left_out


def test_a_link_has_its_bounds() -> None:
    large = Scene(text=SceneText("".join(chr(0x4E00 + 7 * n % 20_000) for n in range(20_000))))
    with pytest.raises(SceneError, match=f"{MOST_LINK:,}"):
        scene_link(large)
    bomb = zlib.compress(b" " * (MOST_LINKED_BYTES + 10))
    with pytest.raises(SceneError, match="more than 1 MB"):
        read_link(LINK + base64.urlsafe_b64encode(bomb).decode())
    with pytest.raises(SceneError, match="not complete"):
        read_link(scene_link(WHOLE)[:-9])


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"gone\.tokenarium cannot be read"):
        read_scene_file(tmp_path / "gone.tokenarium")
    with pytest.raises(SceneError, match="cannot be read"):
        read_scene_file(tmp_path)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ('"text": {"sample": "welcome", "repeat": 0}', "taken once"),
        ('"text": {"sample": "welcome", "repeat": 99999}', "taken once"),
        ('"size": [10, 800]', "each side"),
        ('"size": [800, 1e9]', "“size” is left out"),
        ('"above": ["palette"]', "“above” is left out"),
    ],
)
def test_sizes_have_bounds(field: str, said: str) -> None:
    found = read_scene(f'{{"tokenarium": 1, {field}}}'.encode())
    assert said in found.left_out[0]
    assert found.scene.size is None
    assert found.scene.text is None or found.scene.text.repeat == 1


@pytest.mark.parametrize("text", ["[[1, 2], [3], [4], [5]]", '{"a": [1, 2, 3], "b": {}, "c": [1]}'])
def test_values_are_counted_before_they_are_parsed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small values take a hundred times their bytes of memory; a long text does not, whatever is in it."""
    monkeypatch.setattr(scene_module, "MOST_VALUES", 8)
    long = b'{"tokenarium": 1, "text": {"inline": "[,,,,,,]"}}'
    assert read_scene(long).scene.text is not None
    parsed: list[str] = []
    monkeypatch.setattr(scene_module.json, "loads", parsed.append)
    with pytest.raises(SceneError, match="has more than 8 values"):
        read_scene(text.encode())
    assert not parsed


def test_depth_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_module, "MOST_DEPTH", 2)
    parsed: list[str] = []
    monkeypatch.setattr(scene_module.json, "loads", parsed.append)
    with pytest.raises(SceneError, match="nested too deeply"):
        read_scene(b'{"a": [[1]]}')
    assert not parsed
