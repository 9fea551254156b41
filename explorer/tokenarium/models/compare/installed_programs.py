"""The programs of readers that are Python packages: how each opens a file and encodes a text, where it is installed.

Nothing is imported before it is asked; a process of its own does so, see `program_process`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

Encode = Callable[[str], list[int]]


def of_tokenizers(path: str) -> Encode:
    made: Any = import_module("tokenizers").Tokenizer.from_file(path)
    made.no_padding()
    made.no_truncation()
    return lambda text: list(made.encode(text).ids)


def of_transformers(path: str) -> Encode:
    made: Any = import_module("transformers").AutoTokenizer.from_pretrained(path)
    return lambda text: list(made(text, truncation=False, padding=False)["input_ids"])


def of_sentencepiece(path: str) -> Encode:
    made: Any = import_module("sentencepiece").SentencePieceProcessor(model_file=path)
    return lambda text: list(made.encode(text))


def of_tiktoken(path: str) -> Encode:
    made: Any = import_module("tiktoken").get_encoding(path)
    return lambda text: list(made.encode(text, allowed_special="all"))


def of_mistral_common(path: str) -> Encode:
    mistral = import_module("mistral_common.tokens.tokenizers.mistral")
    made: Any = mistral.MistralTokenizer.from_file(path).instruct_tokenizer.tokenizer
    return lambda text: list(made.encode(text, bos=False, eos=False))


def of_fastokens(path: str) -> Encode:
    made: Any = import_module("fastokens._native").Tokenizer.from_file(_json_of(path))
    made.no_padding()
    made.no_truncation()
    return lambda text: list(made.encode(text, add_special_tokens=True).ids)


def of_gigatoken(path: str) -> Encode:
    made: Any = import_module("gigatoken").Tokenizer(_json_of(path)).as_hf()
    return lambda text: [int(id) for id in made.encode(text)]


def of_kitoken(path: str) -> Encode:
    made: Any = import_module("kitoken").Kitoken.from_tokenizers_file(_json_of(path))
    return lambda text: list(made.encode(text, True))


def _json_of(path: str) -> str:
    """Returns the path of the `tokenizer.json` of a folder, and of a file its own."""
    return os.path.join(path, "tokenizer.json") if os.path.isdir(path) else path


PROGRAMS: Mapping[str, Callable[[str], Encode]] = {
    "tokenizers": of_tokenizers,
    "transformers": of_transformers,
    "sentencepiece": of_sentencepiece,
    "tiktoken": of_tiktoken,
    "mistral-common": of_mistral_common,
    "fastokens": of_fastokens,
    "gigatoken": of_gigatoken,
    "kitoken": of_kitoken,
}
"""What opens a file, by the package."""

AROUND = ("tokenizers", "transformers", "fastokens", "gigatoken", "kitoken")
"""The programs whose ids include those around a text."""

SPECIAL = (*AROUND, "tiktoken")
"""The programs that match special tokens in a text."""


def installed_version(program: str) -> str:
    """Returns the version of a package, empty if it is not installed."""
    try:
        return version(program)
    except PackageNotFoundError:
        return ""


def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a program makes of texts: ``version``, and ``ids`` or ``refusal``.

    ``asked`` has ``program``, ``path`` and ``texts``. For a text that the program does not encode, ids are its error as a text.
    """
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    warnings.simplefilter("ignore")
    program = asked["program"]
    found: dict[str, Any] = {"version": installed_version(program)}
    try:
        encode = PROGRAMS[program](asked["path"])
    except BaseException as error:  # a panic of Rust is none of Exception
        return {**found, "refusal": f"{type(error).__name__}: {error}"[:2000]}
    ids: list[Any] = []
    for text in asked["texts"]:
        try:
            ids.append(encode(text))
        except BaseException as error:
            ids.append(f"{type(error).__name__}: {error}"[:500])
    return {**found, "ids": ids}
