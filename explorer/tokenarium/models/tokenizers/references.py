"""The libraries that own the formats, with one interface.

A reference reads the tokenizer's file itself, so that errors in our reading are found too. Only for
our own format, which tiktoken cannot read, its encoding is made from our pieces.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import tokenarium_core as tc
from tokenarium.models.installation import how_to_get
from tokenarium.models.text.piece import readable
from tokenarium_core.models import BytePairEncoder
from tokenarium_core.normalizers import BertNormalizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import BYTE, NORMAL

IDS_ARE_NO_RANKS = ("minbpe", "fairseq")
"""Formats whose ids are in another order than their merges: minbpe may make one entry twice, fairseq sorts by counts."""


class Reference(Protocol):
    """One tokenizer in the library that owns its format.

    ``finds_special``: whether it can recognize special tokens in a text. ``normalized`` and
    ``pre_tokens`` return None if the library has no such stage, or does not show it.
    """

    library: str
    finds_special: bool

    def ids(self, text: str) -> Sequence[int]: ...

    def piece(self, token: int) -> str: ...

    def normalized(self, text: str) -> str | None:
        return None

    def pre_tokens(self, text: str) -> list[str] | None:
        return None


def reference_for(tokenizer: tc.Tokenizer, special: bool) -> Reference:
    """Returns the reference of a tokenizer; ``special``: special tokens in a text are recognized.

    Raises NotAvailable if the library is not installed, does not open it, or no library owns the format.
    """
    try:
        return _reference_for(tokenizer, special)
    except tc.TokenariumError:
        raise
    except BaseException as error:
        if not of_library(error):
            raise
        said = f"The library that owns its format does not open {tokenizer.name}: {error}"
        raise tc.NotAvailable(f"{said.rstrip('.')}.") from error


def of_library(error: BaseException) -> bool:
    """Returns whether an error may be a library's: any class, or a panic of Rust, which is no Exception."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def _reference_for(tokenizer: tc.Tokenizer, special: bool) -> Reference:
    source = tokenizer.source
    path = Path(source.path)
    match source.format:
        case "sentencepiece":
            return SentencePieceReference(path)
        case "huggingface":
            file = path / "tokenizer.json" if os.path.isdir(path) else path
            return TokenizersReference(_of_file(file), special)
        case "model folder":
            return folder_reference(path, special)
        case "vocab.txt":
            normalizer = tokenizer.normalizer
            lowers = isinstance(normalizer, BertNormalizer) and normalizer.lowercase
            return TokenizersReference(_of_vocab_txt(path, lowers), special)
        case "gpt2":
            return _of_pair(tokenizer, special)
        case "tekken":
            return _of_tekken(path, special)
        case "rwkv":
            return RwkvReference(path)
        case "gguf":
            return LlamaReference(path, special)
        case _:
            return _of_name(tokenizer, special) or _of_pieces(tokenizer, special)


class TiktokenReference(Reference):
    """An encoding in tiktoken; ``first`` is the id of its rank 0."""

    def __init__(self, encoding: Any, special: bool, first: int = 0) -> None:
        self.library = _library("tiktoken")
        self.finds_special = first == 0
        self._encoding = encoding
        self._special = special
        self._first = first

    def ids(self, text: str) -> Sequence[int]:
        if self._special:
            ids = self._encoding.encode(text, allowed_special="all")
        else:
            ids = self._encoding.encode_ordinary(text)
        return [token + self._first for token in ids] if self._first else list(ids)

    def piece(self, token: int) -> str:
        return readable(self._encoding.decode_single_token_bytes(token - self._first))

    def pre_tokens(self, text: str) -> list[str] | None:
        """The cuts of tiktoken's pattern, made by the regex module: tiktoken does not show them."""
        import regex

        pattern = regex.compile(self._encoding._pat_str)
        return [match.group() for match in pattern.finditer(text)]


class SentencePieceReference(Reference):
    """A model in sentencepiece."""

    def __init__(self, path: Path) -> None:
        module = _imported("sentencepiece")
        self.library = _library("sentencepiece")
        self.finds_special = False  # text never becomes control pieces
        self._processor = module.SentencePieceProcessor(model_file=str(path))

    def ids(self, text: str) -> Sequence[int]:
        ids: list[int] = self._processor.encode(text)
        return ids

    def piece(self, token: int) -> str:
        return str(self._processor.id_to_piece(token))

    def normalized(self, text: str) -> str | None:
        return str(self._processor.normalize(text))


class RwkvReference(Reference):
    """A vocabulary in the package rwkv."""

    def __init__(self, path: Path) -> None:
        _imported("rwkv")
        module = _imported("rwkv.rwkv_tokenizer")
        self.library = _library("rwkv")
        self.finds_special = False  # the id 0 comes of no text
        self._tokenizer = module.TRIE_TOKENIZER(str(path))

    def ids(self, text: str) -> Sequence[int]:
        ids: list[int] = self._tokenizer.encode(text)
        return ids

    def piece(self, token: int) -> str:
        return readable(self._tokenizer.idx2token.get(token, b""))


class TokenizersReference(Reference):
    """A tokenizer in Hugging Face tokenizers."""

    def __init__(self, tokenizer: Any, special: bool) -> None:
        self.library = _library("tokenizers")
        self.finds_special = True
        self._tokenizer = tokenizer
        self._tokenizer.encode_special_tokens = not special
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def ids(self, text: str) -> Sequence[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def piece(self, token: int) -> str:
        return str(self._tokenizer.id_to_token(token))

    def normalized(self, text: str) -> str | None:
        normalizer = self._tokenizer.normalizer
        return text if normalizer is None else str(normalizer.normalize_str(text))

    def pre_tokens(self, text: str) -> list[str] | None:
        cutter = self._tokenizer.pre_tokenizer
        if cutter is None:
            return None
        return [piece for piece, _ in cutter.pre_tokenize_str(self.normalized(text))]


class TransformersReference(Reference):
    """A class of transformers that is code in Python, without a tokenizer of the library tokenizers."""

    def __init__(self, tokenizer: Any, special: bool) -> None:
        self.library = _library("transformers")
        self.finds_special = True
        self._tokenizer = tokenizer
        self._special = special

    def ids(self, text: str) -> Sequence[int]:
        ids: list[int] = self._tokenizer.encode(
            text, add_special_tokens=False, split_special_tokens=not self._special
        )
        return ids

    def piece(self, token: int) -> str:
        return str(self._tokenizer.convert_ids_to_tokens(token))


# Making them.


def _of_file(path: Path) -> Any:
    tokenizers = _imported("tokenizers", "tokenarium[reference]")
    return tokenizers.Tokenizer.from_file(str(path))


def folder_reference(path: Path, special: bool) -> Reference:
    """A folder in slow form, opened by its class in transformers; nothing is downloaded."""
    before = os.environ.get("HF_HUB_OFFLINE")
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        transformers = _imported("transformers")
        made = transformers.AutoTokenizer.from_pretrained(str(path), local_files_only=True)
    finally:
        if before is None:
            del os.environ["HF_HUB_OFFLINE"]
        else:
            os.environ["HF_HUB_OFFLINE"] = before
    if not hasattr(made, "backend_tokenizer"):
        return TransformersReference(made, special)
    reference = TokenizersReference(made.backend_tokenizer, special)
    reference.library = _library("transformers")
    return reference


def _of_vocab_txt(path: Path, lowers: bool) -> Any:
    tokenizers = _imported("tokenizers", "tokenarium[reference]")
    made = tokenizers.implementations.BertWordPieceTokenizer(str(path), lowercase=lowers)
    return made._tokenizer


def _of_pair(tokenizer: tc.Tokenizer, special: bool) -> Reference:
    """OpenAI's own pair is read by tiktoken; a pair whose ids are in another order by tokenizers."""
    entries, merges = tokenizer.source.files
    if entries.name.endswith("encoder.json"):
        from tiktoken.load import data_gym_to_mergeable_bpe_ranks

        try:
            ranks = _uncached(lambda: data_gym_to_mergeable_bpe_ranks(str(merges), str(entries)))
        except (AssertionError, KeyError):
            pass  # it fails where bytes have different ids than in GPT-2, or a special token has a space
        else:
            return TiktokenReference(_encoding(tokenizer, ranks), special)
    if tokenizer.normalizer is not None:
        raise tc.NotAvailable(
            f"{tokenizer.name} is CLIP's pair, which transformers reads in a folder with its settings: with a"
            " tokenizer_config.json beside it, it can be checked."
        )
    tokenizers = _imported("tokenizers", "tokenarium[reference]")
    made = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(entries), str(merges)))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.add_special_tokens(list(tokenizer.special_tokens))
    return TokenizersReference(made, special)


class LlamaReference(Reference):
    """The tokenizer of a GGUF file in llama.cpp, which reads the metadata alone."""

    def __init__(self, path: Path, special: bool) -> None:
        module = _imported("llama_cpp", "llama-cpp-python")
        self.library = _library("llama_cpp", "llama_cpp_python")
        self.finds_special = True
        self._special = special
        self._model = module.Llama(model_path=str(path), vocab_only=True, verbose=False)

    def ids(self, text: str) -> Sequence[int]:
        ids: list[int] = self._model.tokenize(text.encode(), add_bos=False, special=self._special)
        return ids

    def piece(self, token: int) -> str:
        return readable(self._model.detokenize([token], special=True))


def _of_tekken(path: Path, special: bool) -> Reference:
    """Mistral's library runs tiktoken on the ranks of the file, after the ids of the special tokens."""
    file = json.loads(path.read_bytes())
    config = file["config"]
    first = int(config["default_num_special_tokens"])
    count = int(config["default_vocab_size"]) - first
    ranks = {
        base64.b64decode(piece["token_bytes"]): piece["rank"] for piece in file["vocab"][:count]
    }
    made = _tiktoken().Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    return TiktokenReference(made, False, first)


def _of_name(tokenizer: tc.Tokenizer, special: bool) -> Reference | None:
    """An encoding of tiktoken or a plug-in of it, or None."""
    name = tokenizer.source.path or tokenizer.name
    if tokenizer.source.format not in ("", "tiktoken") or os.path.exists(Path(name)):
        return None
    tiktoken = _tiktoken()
    if name not in tiktoken.list_encoding_names():
        return None
    return TiktokenReference(tiktoken.get_encoding(name), special)


def _of_pieces(tokenizer: tc.Tokenizer, special: bool) -> Reference:
    """An encoding of tiktoken from the ranks in the file, or from our own pieces if there is no such file."""
    path = Path(tokenizer.source.path)
    if tokenizer.source.format == "tiktoken" and tokenizer.normalizer is not None:
        raise tc.NotAvailable(
            f"{tokenizer.name} normalizes a text before it is split, as the code of its model does; tiktoken alone does not:"
            " there is nothing to check it against."
        )
    if tokenizer.source.format == "tiktoken" and os.path.isfile(path):
        from tiktoken.load import load_tiktoken_bpe

        return TiktokenReference(
            _encoding(tokenizer, _uncached(lambda: load_tiktoken_bpe(str(path)))), special
        )
    if (
        not isinstance(tokenizer.model, BytePairEncoder)
        or tokenizer.normalizer is not None
        or tokenizer.source.format in IDS_ARE_NO_RANKS
    ):
        raise tc.NotAvailable(
            f"The format of {tokenizer.name} does not belong to another library: there is nothing to check it against."
        )
    vocabulary = tokenizer.vocabulary
    ranks = {
        vocabulary.piece(token): token
        for token in range(len(vocabulary))
        if vocabulary.kinds[token] in (NORMAL, BYTE)
    }
    return TiktokenReference(_encoding(tokenizer, ranks), special)


def _encoding(tokenizer: tc.Tokenizer, ranks: dict[bytes, int]) -> Any:
    try:
        return _tiktoken().Encoding(
            tokenizer.name,
            pat_str=tokenizer.pre_tokenizer.pattern,
            mergeable_ranks=ranks,
            special_tokens=tokenizer.special_tokens,
        )
    except ValueError as error:
        raise tc.NotAvailable(
            f"{tokenizer.name} cannot be checked against tiktoken, which does not accept its pattern: {error}."
        ) from error


def _uncached(read: Callable[[], dict[bytes, int]]) -> dict[bytes, int]:
    """Reads a file by tiktoken, without a copy in its cache."""
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = ""
    try:
        return read()
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def _tiktoken() -> Any:
    return _imported("tiktoken")


def _imported(name: str, packages: str = "") -> Any:
    """Returns a library; NotAvailable if it is missing, with what to give pip (its name, if it is not that)."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise tc.NotAvailable(
            f"The reference library {name} is not installed. {how_to_get(packages or name)}"
        ) from error


def _library(name: str, package: str = "") -> str:
    from importlib import metadata

    return f"{name} {metadata.version(package or name)}"


def spelled(piece: str, alphabet: bool) -> str:
    """Returns a pre-token of a library as the text that it stands for: ``Ġthe`` and ``▁the`` are " the"."""
    if alphabet:
        try:
            return byte_alphabet.to_bytes(piece).decode("utf-8", "backslashreplace")
        except (KeyError, ValueError):
            return piece
    return piece.replace("▁", " ")
