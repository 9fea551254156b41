"""LiteRT-LM's bundles have the ids of the SentencePiece model or the tokenizer.json that is in them."""

from __future__ import annotations

import contextlib
import zlib
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import sentencepiece_models
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from litertlm_files import BLOCK, HUGGINGFACE, METADATA, SENTENCEPIECE, bundle, packed
from small_files import saved

import tokenarium_core as tc
from tokenarium_core.formats.chat_part import chat_of
from tokenarium_core.formats.opening import foreign_kind, is_tokenizer
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import packed as message
from tokenarium_core.trace import Trace

TEXT = "the low tokens <|end|> é\n"
CHARACTERS = sorted(set("".join(sentencepiece_models.LINES)) | set(" \n🫩\0"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("litertlm")


@pytest.fixture(scope="module")
def json(folder: Path) -> bytes:
    path = saved(
        tc.train("bpe", ["the low tokens of the lowest"] * 3, vocab_size=270),
        folder / "tokenizer.json",
    )
    content = path.read_bytes()
    path.unlink()
    return content


@given(texts=st.lists(st.text(CHARACTERS, max_size=40), max_size=5))
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_a_sentencepiece_model(kind: str, texts: list[str], folder: Path) -> None:
    content = sentencepiece_models.trained(kind)
    path = folder / f"{kind}.litertlm"
    if not path.is_file():
        path.write_bytes(bundle([(METADATA, b"about", ""), (SENTENCEPIECE, content, "")]))
    mine = tc.open(path)
    reference: Any = sentencepiece.SentencePieceProcessor(model_proto=content)
    for text in (*texts, *sentencepiece_models.LINES):
        ids = reference.encode(text)
        assert mine.encode_ids(text) == ids
        assert mine.decode(ids) == reference.decode(ids)


def test_a_tokenizer_json(json: bytes, tmp_path: Path) -> None:
    path = tmp_path / "small.bin"
    path.write_bytes(bundle([(3, b"TFL3", "tf_lite_vision"), (HUGGINGFACE, packed(json), "")]))
    assert is_tokenizer(path)
    assert foreign_kind(path) is None
    mine = tc.open(path)
    reference: Any = tokenizers.Tokenizer.from_str(json.decode())
    ids = reference.encode(TEXT).ids
    assert mine.encode_ids(TEXT) == ids
    assert mine.decode(ids) == TEXT
    assert list(mine.encode(TEXT, trace=Trace()).ids) == ids
    assert (mine.name, mine.source.format, mine.source.files) == ("small", "litertlm", [path])
    copy = saved(mine, tmp_path / "copy.tokenarium.json")
    assert tc.open(copy).encode_ids(TEXT) == ids


def test_the_tokenizer_of_the_language_model(json: bytes, tmp_path: Path) -> None:
    """SentencePiece before JSON, that of the language model before that for all, the last of the same; as the runtime."""
    path = tmp_path / "several.litertlm"
    model = sentencepiece_models.trained("bpe")
    size = len(tc.open(written(tmp_path / "a.model", model)).vocabulary)
    other = packed(json)
    for sections, expected in (
        ([(HUGGINGFACE, other, ""), (SENTENCEPIECE, model, "")], size),
        ([(SENTENCEPIECE, model, "tf_lite_tts"), (HUGGINGFACE, other, "")], 270),
        ([(SENTENCEPIECE, model, "TF_LITE_PREFILL_DECODE"), (SENTENCEPIECE, b"x", "")], size),
        ([(HUGGINGFACE, b"x", ""), (HUGGINGFACE, other, "")], 270),
        ([(SENTENCEPIECE, model, "tf_lite_embedder")], size),
    ):
        path.write_bytes(bundle(sections))
        assert len(tc.open(path).vocabulary) == expected


def test_its_chat_template(json: bytes, tmp_path: Path) -> None:
    path = tmp_path / "chat.litertlm"
    template = "{{ bos_token }}{% for m in messages %}<{{ m.role }}>é{% endfor %}"
    affixes = message(1, b"<|user|>\n") + message(2, b"<|end|>")
    about = (
        message(1, b"\x08\x02") + message(3, message(1, affixes)) + message(7, template.encode())
    )
    sections = [(METADATA, about, ""), (HUGGINGFACE, packed(json), "")]
    path.write_bytes(bundle(sections))
    mine = tc.open(path)
    assert chat_of(mine)["templates"] == {"default": template}
    rows = {row.name: row.value for row in mine.details if row.group == "prompt template"}
    assert rows == {"user, prefix": r"'<|user|>\n'", "user, suffix": "'<|end|>'"}
    copy = tmp_path / "copy.json"
    mine.save(copy, "tokenarium")
    assert chat_of(tc.open(copy))["templates"] == {"default": template}
    for cut in range(len(about)):
        path.write_bytes(bundle([(METADATA, about[:cut] + b"\xff", ""), sections[1]]))
        assert tc.open(path).encode_ids(TEXT) == mine.encode_ids(TEXT)


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_what_is_wrong_is_said(json: bytes, tmp_path: Path) -> None:
    path = tmp_path / "wrong.litertlm"
    whole = bundle([(HUGGINGFACE, packed(json), "")])
    wrong = {
        "damaged or cut off: its header ends at byte 0": whole[:20],
        "damaged or cut off: its tokenizer is from byte 16,384": whole[: BLOCK + 100],
        "has the version 2 of LiteRT-LM": bundle([], version=2),
        "has no tokenizer among its sections": bundle([(METADATA, b"about", "")]),
        "says that its tokenizer has 72,340,172,838,076,673 bytes": bundle([(HUGGINGFACE, b"\1" * 99, "")]),
        "compressed": bundle([(HUGGINGFACE, packed(json)[:-9], "")]),
        "is damaged: its tokenizer is not 7 bytes": bundle(
            [(HUGGINGFACE, b"\7" + bytes(7) + zlib.compress(json), "")]
        ),
        "to 18": bundle([(SENTENCEPIECE, b"x", "")], moved=1 << 40),
    }  # fmt: skip
    for said, content in wrong.items():
        path.write_bytes(content)
        assert is_tokenizer(path), "so that opening it says what is wrong"
        with pytest.raises(
            tc.FormatError, match=rf"(?s){said}.*\.$" if said != "to 18" else r"\.$"
        ):
            tc.open(path)


def test_damage_anywhere_in_the_header(json: bytes, tmp_path: Path) -> None:
    path = tmp_path / "damaged.litertlm"
    whole = bundle(
        [(METADATA, b"about", "x"), (HUGGINGFACE, packed(json), "tf_lite_prefill_decode")]
    )
    end = int.from_bytes(whole[24:32], "little")
    for at in range(8, end):
        for byte in (0x00, 0xFF):
            path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
            with contextlib.suppress(tc.FormatError):
                tc.open(path)
