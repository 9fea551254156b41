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

from tokenarium.models.scene import (
    LINK,
    MOST_LINK,
    MOST_LINKED_BYTES,
    MOST_PAGES,
    MOST_READ_LINK,
    MOST_TOKENIZERS,
    MOST_VALUES,
    Scene,
    SceneError,
    SceneText,
    SceneTokenizer,
    is_link,
    read_link,
    read_scene,
    scene_bytes,
    scene_link,
)
from tokenarium.models.scene_texts import read_scene_file

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


@pytest.mark.slow
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
        (b"[]", "it has no version"),
        (b'{"text": {}}', "it has no version"),
        (b'{"tokenarium": true}', "it has no version"),
        (b'{"tokenarium": NaN}', "not valid JSON"),
        (b'{"tokenarium": 1, "pages": {"a": {"b": 1e999}}}', "1e999 is too large"),
        (b'{"tokenarium": 1, "a": [' + b"1," * MOST_VALUES + b"1]}", "more than 200,000 values"),
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
        ('"text": {"\\ud800": 1}', "“text” is left out: the name of a field in it has half of a"),
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


def test_what_is_not_known_is_counted() -> None:
    unknown = ",".join(f'"f{number}\u202e":1' for number in range(95_000))
    found = read_scene(f'{{"tokenarium": 1, {unknown}, "workspace": "bytes"}}'.encode())
    assert found.scene.workspace == "bytes"
    assert found.left_out == (
        "“f0\\u202e”, “f1\\u202e”, “f2\\u202e”, “f3\\u202e”, “f4\\u202e” and 94,995 more are not known here and"
        " are left out.",
    )


@pytest.mark.parametrize("field", ["pages", "panes", "display", "above", "settings of a page"])
def test_only_so_many_settings_are_taken(field: str) -> None:
    many: dict[str, object] = {f"f{number}": {} for number in range(MOST_PAGES + 3)}
    values = {"pages": {"tokens": many}} if field == "settings of a page" else {field: many}
    found = read_scene(json.dumps({"tokenarium": 1, **values}).encode())
    [sentence] = found.left_out
    assert "“f256”, “f257” and “f258” are left out" in sentence
    assert read_scene(scene_bytes(found.scene)).left_out == ()


def test_long_names_are_cut() -> None:
    long = "n" * 10_000
    tokenizers = (
        SceneTokenizer("named:gpt2", long, get=long, instead=(long, "b")),
        SceneTokenizer(long),
    )
    found = read_scene(scene_bytes(Scene(text=SceneText("a", title=long), tokenizers=tokenizers)))
    assert found.scene.text is not None
    assert found.scene.text.title == "n" * 199 + "…"
    assert found.scene.tokenizers == (
        SceneTokenizer("named:gpt2", "n" * 199 + "…", instead=("b",)),
    )
    assert found.left_out == ("A tokenizer is left out: its key is too long.",)


@pytest.mark.slow
def test_a_session_of_a_former_version_has_its_large_text_in_it() -> None:
    text = "a line of it\n" * 1_500_000
    assert len(text) > 16 << 20
    data = json.dumps({"tokenarium": 1, "text": {"inline": text}, "workspace": "bytes"}).encode()
    found = read_scene(data)
    assert found.scene.text == SceneText(text)
    assert found.left_out == ()
    with pytest.raises(SceneError, match="16 MB are allowed apart from a text"):
        read_scene(json.dumps({"tokenarium": 1, "a": [text, text]}).encode())


def test_numbers_that_json_does_not_have_are_not_written() -> None:
    scene = Scene(pages={"a": {"b": [float("inf"), 1.5], "c": float("nan")}})
    assert read_scene(scene_bytes(scene)).scene.pages == {"a": {"b": [None, 1.5], "c": None}}


def test_what_would_not_be_read_again_is_not_written() -> None:
    with pytest.raises(SceneError, match=r"could not be read back.*200,000 values"):
        scene_bytes(Scene(pages={"a": {"b": [1] * MOST_VALUES}}))


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
    with pytest.raises(SceneError, match="incomplete"):
        read_link(scene_link(WHOLE)[:-9])
    with pytest.raises(SceneError, match="more than 2,000,000 characters"):
        read_link(LINK + "A" * MOST_READ_LINK)
    with pytest.raises(SceneError, match="far too few for this text"):
        scene_link(Scene(text=SceneText("a" * (MOST_LINKED_BYTES + 1))))
    values = b'{"tokenarium": 1, "a": [' + b"1," * 20_000 + b"1]}"
    with pytest.raises(SceneError, match="more than 20,000 values"):
        read_link(LINK + base64.urlsafe_b64encode(zlib.compress(values)).decode())


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"gone\.tokenarium cannot be read"):
        read_scene_file(tmp_path / "gone.tokenarium")
    with pytest.raises(SceneError, match="cannot be read"):
        read_scene_file(tmp_path)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ('"text": {"sample": "welcome", "repeat": 0}', "used once"),
        ('"text": {"sample": "welcome", "repeat": 99999}', "used once"),
        ('"size": [10, 800]', "each side"),
        ('"size": [800, 1e9]', "“size” is left out"),
        ('"above": ["palette"]', "“above” is left out"),
        ('"text": {"beside": "../a.txt"}', "name of its text is left out"),
        ('"text": {"beside": "a\\u0000"}', "name of its text is left out"),
    ],
)
def test_sizes_have_bounds(field: str, said: str) -> None:
    found = read_scene(f'{{"tokenarium": 1, {field}}}'.encode())
    assert said in found.left_out[0]
    assert found.scene.size is None
    assert found.scene.text is None or found.scene.text.repeat == 1
