"""Runs in the environment of one program: reads a file and encodes texts, for `reader_programs`.

It gets one line of JSON on its standard input, with ``program``, ``path`` and ``texts``, and writes one: ``version`` and ``ids``
(a list for each text, with the ids around it, or the error as a text), or ``refusal``.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

Encode = Callable[[str], list[int]]


def of_tokenizers(path: str) -> Encode:
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(path)
    made.no_padding()
    made.no_truncation()
    return lambda text: list(made.encode(text).ids)


def of_transformers(path: str) -> Encode:
    from transformers import AutoTokenizer

    made: Any = AutoTokenizer.from_pretrained(path)
    return lambda text: list(made(text, truncation=False, padding=False)["input_ids"])


def of_sentencepiece(path: str) -> Encode:
    import sentencepiece

    made = sentencepiece.SentencePieceProcessor(model_file=path)
    return lambda text: list(made.encode(text))


def of_tiktoken(path: str) -> Encode:
    import tiktoken

    made = tiktoken.get_encoding(path)
    return lambda text: list(made.encode(text, allowed_special="all"))


def of_mistral_common(path: str) -> Encode:
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    made = MistralTokenizer.from_file(path).instruct_tokenizer.tokenizer
    return lambda text: list(made.encode(text, bos=False, eos=False))


def of_fastokens(path: str) -> Encode:
    from fastokens._native import Tokenizer

    made = Tokenizer.from_file(path)
    made.no_padding()
    made.no_truncation()
    return lambda text: list(made.encode(text, add_special_tokens=True).ids)


def of_gigatoken(path: str) -> Encode:
    import gigatoken

    made: Any = gigatoken.Tokenizer(path).as_hf()
    return lambda text: [int(id) for id in made.encode(text)]


def of_kitoken(path: str) -> Encode:
    from kitoken import Kitoken

    made = Kitoken.from_tokenizers_file(path)
    return lambda text: list(made.encode(text, True))


PROGRAMS = {
    "tokenizers": of_tokenizers,
    "transformers": of_transformers,
    "sentencepiece": of_sentencepiece,
    "tiktoken": of_tiktoken,
    "mistral-common": of_mistral_common,
    "fastokens": of_fastokens,
    "gigatoken": of_gigatoken,
    "kitoken": of_kitoken,
}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Returns what is written for a question."""
    program = asked["program"]
    found: dict[str, Any] = {"version": version(program)}
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


def main() -> None:
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):
            found = answer(json.loads(line))
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
