"""Kinds of files that are recognized but not read, in one table: how each is recognized, what it is, and what to do.

They are recognized by the first `HEAD_BYTES` of a file and by its name. An entry that becomes a supported format is
removed here; nothing else names it.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.foreign_lists import (
    is_counted_list,
    is_entry_list,
    is_quoted_list,
    is_rendered_list,
    is_scored_list,
    is_symbol_table,
)
from tokenarium_core.formats.format import HEAD_BYTES, FileHead
from tokenarium_core.formats.sentencepiece.sentencepiece_flat_format import is_flat_model
from tokenarium_core.formats.settings_files import SETTINGS_FILES
from tokenarium_core.plain_files import open_file, read_file

_Test = Callable[[FileHead], bool]

_FIELDS: Final = 32
_ENTRIES: Final = 8
_SETTINGS: Final = frozenset(
    [
        "architectures",
        "bos_token",
        "eos_token",
        "eos_token_id",
        "model_type",
        "tokenizer_class",
        "transformers_version",
        "unk_token",
    ]
)
_LARGEST: Final = 1 << 28
_OPENNMT: Final = re.compile(rb"v3;(?:(?:true|false);){3}[^;\r\n]*;[^;\r\n]*\r?\n")
_BEFORE: Final = 512
_LLM_C: Final = (
    (20240328).to_bytes(4, "little") + b"\1\0\0\0",
    (20240328).to_bytes(4, "little") + b"\2\0\0\0",
)
_BINARY_ENTRIES: Final = 16
_LONGEST: Final = 1 << 10
_LINK: Final = re.compile(rb"\.\.?/[!-~]{1,250}\s?")


@final
class Foreign:
    """A kind of files that is not read: ``what`` it is, after "is", and ``advice``, a sentence.

    It begins with one of ``starts``, or ``test`` recognizes it. ``within``: whether no tokenizer file begins like
    this, not even one that is read with others; the rest are recognized only if a file is opened on its own.
    ``is_text``: whether it may be meant as the text of the window.
    """

    def __init__(
        self,
        what: str,
        advice: str,
        test: _Test | None = None,
        *,
        starts: tuple[bytes, ...] = (),
        within: bool = True,
        is_text: bool = False,
    ) -> None:
        self.what = what
        self.advice = advice
        self.test = test
        self.starts = starts
        self.within = within
        self.is_text = is_text

    def has(self, head: FileHead) -> bool:
        """Returns whether a file is of this kind."""
        if self.test is not None:
            return self.test(head)
        return head.content.startswith(self.starts)

    def sentence(self, name: str) -> str:
        """Returns the message that refuses a file of this kind."""
        return f"{name} is {self.what}. {self.advice}"


def foreign(head: FileHead, alone: bool = True) -> Foreign | None:
    """Returns the kind of a file that is not read; None for any other. ``alone``: whether it is opened on its own."""
    if not head.content:
        return None
    while head.is_object and len(head.fields) < _FIELDS and head.read_field():
        if head.complete:
            break
    for kind in FOREIGN_KINDS:
        if (alone or kind.within) and kind.has(head):
            return kind
    return None


def foreign_file(path: Path, alone: bool = True) -> Foreign | None:
    """Returns the kind of the file at a path from its beginning; None also if it is not a file, or cannot be read."""
    try:
        with open_file(path) as file:
            return foreign(FileHead(file.read(HEAD_BYTES), path.name), alone)
    except (OSError, ValueError):
        return None


def content_of(path: Path, alone: bool = False, certain: bool = False) -> bytes:
    """Returns the content of a file; ``alone``: whether only this file is opened, ``certain``: its format is known.

    Raises NotAvailable if it is not a file, or cannot be read; FormatError if it is empty, of a kind that is not
    read, or larger than any tokenizer.
    """
    kind = None if certain else foreign_file(path, alone)
    if kind is not None:
        raise FormatError(kind.sentence(path.name))
    try:
        content = read_file(path, _LARGEST)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise FormatError(
                f"{path.name} is larger than 256 MiB: this is not a tokenizer."
            ) from error
        raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error
    if not content.strip():
        raise FormatError(f"{path.name} is empty.")
    return content


def _is_page(head: FileHead) -> bool:
    start = head.start[:64].lower().removeprefix(b"\xef\xbb\xbf")
    return start.startswith((b"<!doctype html", b"<html")) and not head.ends(
        ".html", ".htm", ".xhtml"
    )


def _is_zip(head: FileHead) -> bool:
    return head.content.startswith((b"PK\x03\x04", b"PK\x05\x06"))  # the latter with no members


def _is_keras_archive(head: FileHead) -> bool:
    return _is_zip(head) and head.ends(".keras")


def _is_torch(head: FileHead) -> bool:
    return _is_zip(head) and b"/data.pkl" in head.content


def _is_bzip2(head: FileHead) -> bool:
    return head.content.startswith(b"BZh") and head.content[4:10] == b"1AY&SY"


def _is_safetensors(head: FileHead) -> bool:
    size = int.from_bytes(head.content[:8], "little")
    return 2 <= size < 1 << 28 and head.content[8:10] in (b'{"', b"{}")


def _is_pickle(head: FileHead) -> bool:
    return head.content[:1] == b"\x80" and head.content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")


def _is_onnx(head: FileHead) -> bool:
    return head.content.startswith(b"\x08") and head.ends(".onnx")


def _is_tflite(head: FileHead) -> bool:
    return head.content[4:8] == b"TFL3"


def _is_flatbuffer(head: FileHead) -> bool:
    ours = is_flat_model(head.content)
    return head.ends(".fb") and head.content[2:4] == b"\0\0" and not ours


def _is_blingfire(head: FileHead) -> bool:
    """The count of its parts, which is small, and where each begins, the first after this list."""
    numbers = [
        int.from_bytes(head.content[start : start + 4], "little") for start in range(0, 72, 4)
    ]
    count = numbers[0]
    starts = numbers[1 : count + 1]
    return 2 <= count <= 16 and starts[0] == 4 * count + 4 and sorted(set(starts)) == starts


def _is_miditok(head: FileHead) -> bool:
    return "miditok_version" in head.fields or {"config", "tokenization"} <= head.fields.keys()


def _is_template(head: FileHead) -> bool:
    """A beginning with a tag, which JSON never has."""
    return head.start.startswith((b"{%", b"{{", b"{#"))


def _is_keras_words(head: FileHead) -> bool:
    return head.fields.keys() == {"class_name", "config"} or head.start.startswith(
        b'"{\\"class_name\\"'
    )


def _are_settings(head: FileHead) -> bool:
    named = head.name in SETTINGS_FILES or not _SETTINGS.isdisjoint(head.fields)
    return named and head.is_object and "model" not in head.fields and head.ends(".json")


def _is_labels(head: FileHead) -> bool:
    fields = head.fields
    names = all(name.isdecimal() for name in fields)
    return len(fields) > 1 and names and set(fields.values()) == {'"'}


def _are_ids(head: FileHead) -> bool:
    return len(head.fields) > 1 and all(value.isdigit() for value in head.fields.values())


def _is_id_map(head: FileHead) -> bool:
    """Not one named like a file of GPT-2's pair, for which its reader says what is missing."""
    paired = head.ends("vocab.json", "encoder.json")
    return not paired and len(head.fields) >= _ENTRIES and _are_ids(head)


def _is_link(head: FileHead) -> bool:
    return _LINK.fullmatch(head.content) is not None


def _is_opennmt(head: FileHead) -> bool:
    return _OPENNMT.match(head.content) is not None


def _is_gpt_tokenizer(head: FileHead) -> bool:
    start = head.content[:_BEFORE]
    return head.ends("js", ".ts") and (
        b"src/bpeRanks/" in start or (b"codegen:bpe" in start and b"const c0 = [" in head.content)
    )


def _is_binary_list(head: FileHead) -> bool:
    """Texts behind their lengths, or behind scores and lengths after the greatest length: as llama2.c's, but for another program."""
    content = head.content
    if not head.ends(".bin"):
        return False
    longest = int.from_bytes(content[:4], "little")
    for start, before, most in ((0, 0, _LONGEST), (4, 4, min(longest, _LONGEST))):
        at = start
        count = 0
        while count < _BINARY_ENTRIES and at + before + 4 <= len(content):
            size = int.from_bytes(content[at + before : at + before + 4], "little")
            at += before + 4 + size
            if not 0 < size <= most or at > len(content):
                break
            count += 1
        if count == _BINARY_ENTRIES:
            return True
    return False


WHAT_TO_OPEN: Final = (
    "Open the tokenizer file that the model is published with: tokenizer.json, a .model file, vocab.txt, or"
    " vocab.json with merges.txt."
)
"""What to do with a file that is none, for sentences."""

_UNPACK: Final = "Unpack it, and open the tokenizer in it."
_PAIR: Final = (
    "Without merges, entries and ids do not say how a text is split. If there is a merges.txt, put it beside this"
    " file, and name the two vocab.json and merges.txt."
)

_COMPRESSED: Final = "Unpack it, and open the file in it."

FOREIGN_KINDS: Final = (
    Foreign(
        "a pointer of Git LFS: it stands for a file that was not downloaded",
        "Run “git lfs pull” in its folder, or download the file itself.",
        starts=(b"version https://git-lfs.github.com/spec/",),
        is_text=True,
    ),
    Foreign(
        "a symbolic link that was saved as a text: it has only the path of another file",
        "Open the file of that path.",
        _is_link,
        is_text=True,
    ),
    Foreign(
        "a web page, not the file that its name says",
        "Download the file itself; on Hugging Face, by the link “download” of its page.",
        _is_page,
        is_text=True,
    ),
    Foreign("compressed with gzip", _COMPRESSED, starts=(b"\x1f\x8b\x08",)),
    Foreign("compressed with bzip2", _COMPRESSED, _is_bzip2),
    Foreign("compressed with xz", _COMPRESSED, starts=(b"\xfd7zXZ\0",)),
    Foreign("compressed with zstd", _COMPRESSED, starts=(b"\x28\xb5\x2f\xfd",)),
    Foreign("an archive", _UNPACK, starts=(b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07")),
    Foreign("a model of Keras, not a tokenizer that is read", WHAT_TO_OPEN, _is_keras_archive),
    Foreign("the weights of a model, written by PyTorch, not a tokenizer", WHAT_TO_OPEN, _is_torch),
    Foreign("a ZIP archive", _UNPACK, _is_zip),
    Foreign("the weights of a model (safetensors), not a tokenizer", WHAT_TO_OPEN, _is_safetensors),
    Foreign("a pickle of Python, which may run any code when it is read", WHAT_TO_OPEN, _is_pickle),
    Foreign("a model in ONNX, not a tokenizer", WHAT_TO_OPEN, _is_onnx),
    Foreign("a model of TensorFlow Lite, not a tokenizer", WHAT_TO_OPEN, _is_tflite),
    Foreign(
        "an HDF5 file, such as the weights of a model of Keras",
        WHAT_TO_OPEN,
        starts=(b"\x89HDF\r\n\x1a\n",),
    ),
    Foreign(
        "a model file of GGML, from before GGUF",
        "Get the model as GGUF, or its tokenizer from where the model was published.",
        starts=(b"lmgg", b"fmgg", b"tjgg"),
    ),
    Foreign(
        "a FlatBuffer of another kind than SentencePiece's own, as ML Kit and TensorFlow Text have models",
        "Open the .model file that it was made of.",
        _is_flatbuffer,
    ),
    Foreign(
        "a model of BlingFire, which has no list of entries that can be read",
        "Open the tokenizer that it was made from, such as vocab.txt, a .model file, or vocab.json with merges.txt.",
        _is_blingfire,
    ),
    Foreign(
        "the settings of MidiTok, which makes tokens of music, not of a text",
        "Its tokens are notes and times. Open a tokenizer of text instead.",
        _is_miditok,
    ),
    Foreign("a PDF document", "Save its text as a text file, and open that.", starts=(b"%PDF-",)),
    Foreign(
        "a picture",
        "Open a tokenizer, or a text file.",
        starts=(b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"),
    ),
    Foreign(
        "a file of data, not a tokenizer",
        WHAT_TO_OPEN,
        starts=(b"PAR1", b"ARROW1\0", b"\x93NUMPY", b"SQLite format 3\0"),
    ),
    Foreign(
        "a template of Jinja, such as a chat template, not a tokenizer",
        "Open the tokenizer that it belongs to: a chat_template.jinja beside it is read with it.",
        _is_template,
        is_text=True,
    ),
    Foreign(
        "JSON of Keras's Tokenizer: words and how often they occur",
        "It is not read, though it may have the name of Hugging Face's file. " + WHAT_TO_OPEN,
        _is_keras_words,
        is_text=True,
    ),
    Foreign(
        "the settings of a model or of its tokenizer, without a vocabulary",
        "Open its folder, or the vocabulary beside it.",
        _are_settings,
        within=False,
        is_text=True,
    ),
    Foreign(
        "a map of numbers to names, such as id2label, not a tokenizer",
        WHAT_TO_OPEN,
        _is_labels,
        within=False,
        is_text=True,
    ),
    Foreign("a map of entries to ids", _PAIR, _is_id_map, within=False, is_text=True),
    Foreign(
        "a table of symbols and their ids, such as tokens.txt of icefall (k2) and Kaldi",
        "It does not say how a text is split. Open the file that does, such as the bpe.model beside it.",
        is_symbol_table,
        within=False,
        is_text=True,
    ),
    Foreign(
        "a list of entries and how often each occurs, such as fairseq's dict.txt or the vocabulary beside codes of BPE",
        "It does not say how a text is split. Open the file that does: a SentencePiece model, codes of BPE, or encoder.json"
        " with vocab.bpe. If it is fairseq's, name it dict.txt and put it beside that file: then its lines give the ids.",
        is_counted_list,
        within=False,
        is_text=True,
    ),
    Foreign(
        "codes of OpenNMT's Tokenizer (v3), made by learn_bpe.lua",
        "They cut by rules of OpenNMT's Tokenizer and without ids, and are not read. Those of subword-nmt are: learn them"
        " again with its command learn-bpe.",
        _is_opennmt,
        within=False,
        is_text=True,
    ),
    Foreign(
        "llm.c's tokenizer, which only decodes: entries without their merges",
        "Open the encoding of the model instead, such as gpt2.",
        starts=_LLM_C,
    ),
    Foreign(
        "a list of entries for one program in C, like llama2.c's tokenizer.bin, but not in its layout",
        "It does not say how a text is split. " + WHAT_TO_OPEN,
        _is_binary_list,
    ),
    Foreign(
        "a module of the package gpt-tokenizer (JavaScript): the entries of one of OpenAI's encodings, without its pattern",
        "Open the encoding by its name instead, such as cl100k_base.",
        _is_gpt_tokenizer,
        within=False,
        is_text=True,
    ),
    Foreign(
        "a listing of minbpe's entries, which is for people only: bytes that are not UTF-8 are lost in it",
        "Open the .model file that was written with it.",
        is_rendered_list,
        within=False,
        is_text=True,
    ),
    Foreign(
        "a vocabulary of tensor2tensor: subwords in quotes, a line for each",
        "It is not read, unlike that of TensorFlow Datasets, which has a header and another rule. "
        + WHAT_TO_OPEN,
        is_quoted_list,
        within=False,
        is_text=True,
    ),
    Foreign(
        "a list of entries and a number for each, such as the scores of SentencePiece's .vocab or the counts of OpenNMT's",
        "It does not say how a text is split. Open the file that does, such as the .model file that it was made with.",
        is_scored_list,
        within=False,
        is_text=True,
    ),
    Foreign(
        "a list of entries, which does not say how a text is split",
        "Open the tokenizer that it belongs to: its folder, a tokenizer.json or a .model file. A vocab.txt of BERT's kind has a line"
        " [UNK] for words that its entries do not make.",
        is_entry_list,
        within=False,
        is_text=True,
    ),
)
"""All of them. The first match counts: more specific kinds come first."""
