"""How tiktoken itself splits a text by a pattern."""

from __future__ import annotations

import tiktoken


def cuts_of_tiktoken(pattern: str, texts: list[str]) -> list[list[bytes] | None]:
    """Returns the pieces of each text, which may omit characters; None if tiktoken ends with a panic.

    Raises ValueError for a pattern that tiktoken rejects. As every part of the texts is a token, a piece is one id.
    """
    ranks = {bytes([byte]): byte for byte in range(256)}
    for text in texts:
        data = text.encode()
        for start in range(len(data)):
            for end in range(start + 2, len(data) + 1):
                ranks.setdefault(data[start:end], len(ranks))
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    found: list[list[bytes] | None] = []
    for text in texts:
        try:
            ids = encoding.encode_ordinary(text)
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
                raise
            found.append(None)
            continue
        found.append([encoding.decode_single_token_bytes(token) for token in ids])
    return found
