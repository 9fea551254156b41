"""What a tokenizer becomes when it is pickled: where it came from and the hash of what is there, or all of it.

A tokenizer of files is opened again from these files, so that little goes to another process. One that was trained or
changed has no file, and its whole content goes. Both are one text, equal for equal tokenizers in every process: what
``datasets`` hashes to find its cached results stays the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tokenarium_core.details import CHANGED, GONE, Source
from tokenarium_core.errors import ArgumentError, FormatError
from tokenarium_core.formats.format import TokenizerFile
from tokenarium_core.formats.opening import open_tokenizer
from tokenarium_core.formats.registry import FORMATS, differences_of, files_of
from tokenarium_core.tokenizer import Tokenizer

_OWN: Final = "tokenarium"


def state_of(tokenizer: Tokenizer) -> str:
    """Returns a text from which `tokenizer_of_state` makes the tokenizer.

    Raises ArgumentError for a tokenizer without its files that no file of ours can hold as it is, with the reason.
    """
    source = tokenizer.source
    digests = source.digests()
    lost = any(digest in (CHANGED, GONE) for _, digest in digests)
    state: dict[str, Any] = {"name": tokenizer.name}
    if source.path and digests and not lost:
        state |= {
            "path": source.path,
            "files": digests,
            "pattern": source.pattern,
            "special_tokens": source.special_tokens,
        }
    else:
        differences = differences_of(tokenizer, _OWN)
        if differences:
            raise ArgumentError(
                f"{tokenizer.name} cannot be pickled without its file: a copy would treat some texts differently."
                " Save it, and open the file."
            )
        content = next(iter(files_of(tokenizer, _OWN, "pickled").values()))
        state |= {"format": source.format, "content": content.decode()}
    return json.dumps(state, ensure_ascii=False)


def tokenizer_of_state(text: str) -> Tokenizer:
    """Returns the tokenizer of `state_of`.

    Raises FormatError where its files have changed since, NotAvailable where they are gone.
    """
    state = json.loads(text)
    name: str = state["name"]
    if "content" in state:
        file = TokenizerFile(Path(f"{name}.json"), state["content"].encode(), name)
        tokenizer = FORMATS[_OWN].read(file)
        tokenizer.source = Source(state["format"], "")
    else:
        path: str = state["path"]
        tokenizer = open_tokenizer(
            path, pattern=state["pattern"], special_tokens=state["special_tokens"]
        )
        if [list(digest) for digest in tokenizer.source.digests()] != state["files"]:
            raise FormatError(
                f"{path} has changed since {name} was pickled, and may now be another tokenizer. Open it again, and"
                " pickle that."
            )
    tokenizer.name = name
    return tokenizer
