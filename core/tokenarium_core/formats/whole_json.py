"""Reading a JSON file of which nothing may be missing, and whose texts can be written again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from tokenarium_core.errors import FormatError

_MOST_BYTES: Final = 1 << 26
_MOST_BRACKETS: Final = 1 << 21

Pairs = list[tuple[str, object]]


def whole_json(
    content: bytes, source: str, object_of: Callable[[Pairs], object] | None = None
) -> Any:
    """Returns the value of a file; ``object_of`` makes an object of its fields in order, a dictionary where it is None.

    Raises FormatError where the content is cut off or no JSON in UTF-8, and where a text in it has half of a
    surrogate pair, which JSON can spell and UTF-8 cannot hold.
    """
    if len(content) > _MOST_BYTES or content.count(b"{") + content.count(b"[") > _MOST_BRACKETS:
        raise FormatError(f"{source} is larger than any such file, and would fill the memory.")
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=object_of)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise FormatError(
            f"{source} has half of a surrogate pair, {half}, which is no character."
        ) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{source} is not whole JSON: {error}.") from error
    return value
