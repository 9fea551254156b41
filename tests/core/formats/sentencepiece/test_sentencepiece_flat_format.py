"""Models of SentencePiece's lite runtime, written by the library flatbuffers, beside sentencepiece on what they were made of."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import flatbuffers
import pytest
import sentencepiece
import sentencepiece_models
from flat_models import flat
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.formats.opening import foreign_kind, is_tokenizer

pytestmark = pytest.mark.compiled

WAYS = {
    name: options
    for name, options in sentencepiece_models.MODELS.items()
    if options["kind"] in ("bpe", "unigram")
}
CHARACTERS = sorted(set("".join(sentencepiece_models.LINES)) | set(" \n🫩\0"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("flat")


@pytest.mark.parametrize("name", list(WAYS))
@given(texts=st.lists(st.text(CHARACTERS, max_size=40), max_size=5))
def test_the_ids_and_texts_are_those_of_the_model(
    name: str, texts: list[str], folder: Path
) -> None:
    content = sentencepiece_models.trained(**WAYS[name])
    path = folder / f"{re.sub(r'[^a-z]', '-', name)}.spm.fb"
    if not path.is_file():
        path.write_bytes(flat(content))
    mine = tc.open(path)
    assert mine.source.format == "sentencepiece-lite"
    reference: Any = sentencepiece.SentencePieceProcessor(model_proto=content)
    for text in (*texts, *sentencepiece_models.LINES):
        ids = reference.encode(text)
        assert mine.encode_ids(text) == ids
        assert mine.decode(ids) == reference.decode(ids)
    assert mine.template is not None
    assert mine.template.before == [reference.bos_id()]


def test_it_is_saved_as_a_model(folder: Path) -> None:
    content = sentencepiece_models.trained("unigram", byte_fallback=True, size=450)
    path = write_file(folder / "saved.spm.fb", flat(content))
    assert is_tokenizer(path)
    assert tc.open(path).name == "saved"
    tc.open(path).save(folder / "saved.model")
    reference: Any = sentencepiece.SentencePieceProcessor(model_file=str(folder / "saved.model"))
    for line in sentencepiece_models.LINES:
        assert tc.open(path).encode_ids(line) == reference.encode(line)


def test_another_flatbuffer_is_named(folder: Path) -> None:
    builder = flatbuffers.Builder(64)
    builder.StartObject(2)
    builder.PrependInt32Slot(0, 7, 0)
    builder.Finish(builder.EndObject())
    path = write_file(folder / "vocab.fb", bytes(builder.Output()))
    kind = there(foreign_kind(path))
    assert "another kind" in kind.what
    with pytest.raises(tc.FormatError, match="another kind"):
        tc.open(path)


def test_what_does_not_fit_together(folder: Path) -> None:
    content = sentencepiece_models.trained("unigram")
    reference: Any = sentencepiece.SentencePieceProcessor(model_proto=content)
    path = write_file(folder / "wrong.spm.fb", flat(content, types=[1, 2]))
    with pytest.raises(tc.FormatError, match=r"\d+ pieces, \d+ scores and 2 types"):
        tc.open(path)
    path.write_bytes(flat(content, pieces=[b"\xff"] * len(reference)))
    with pytest.raises(tc.FormatError, match=r"Piece 0 of .* which is not UTF-8"):
        tc.open(path)


@given(data=st.data())
def test_damage_is_a_sentence(data: st.DataObject, folder: Path) -> None:
    """A file that is cut off, or has other bytes at some places, opens or is refused."""
    content = bytearray(flat(sentencepiece_models.trained("bpe")))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(1, len(content) - 1)) :]
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, min(200, len(content) - 1)))
        content[place] = data.draw(st.integers(0, 255))
    path = write_file(folder / "damaged.spm.fb", content)
    with contextlib.suppress(tc.TokenariumError):
        tc.open(path).encode_ids("a text")


def test_one_long_string_that_all_pieces_share_is_refused(folder: Path) -> None:
    """The pieces of a file may not be longer than itself."""
    builder = flatbuffers.Builder(1024)
    shared = builder.CreateString("x" * 500)
    vectors = []
    for size, numbers, prepend in (
        (4, [shared] * 50, builder.PrependUOffsetTRelative),
        (4, [0.0] * 50, builder.PrependFloat32),
        (1, [1] * 50, builder.PrependInt8),
    ):
        builder.StartVector(size, len(numbers), size)
        for number in numbers:
            prepend(number)
        vectors.append(builder.EndVector())
    trie = builder.CreateByteVector(b"")
    builder.StartObject(16)
    for field, vector in zip((0, 1, 3), vectors, strict=True):
        builder.PrependUOffsetTRelativeSlot(field, vector, 0)
    builder.PrependUOffsetTRelativeSlot(8, trie, 0)
    builder.Finish(builder.EndObject())
    path = write_file(folder / "shared.spm.fb", bytes(builder.Output()))
    with pytest.raises(tc.FormatError, match="longer than the file"):
        tc.open(path)
