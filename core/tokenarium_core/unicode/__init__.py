"""Characters: categories, scripts, UTF-8, GPT-2's byte alphabet.

Public: the names below, and ``BYTES`` and ``to_bytes`` of `byte_alphabet`.
"""

from tokenarium_core.unicode.codepoints import SCRIPT_TABLE, SCRIPTS, script_name, script_of

__all__ = [
    "SCRIPTS",
    "SCRIPT_TABLE",
    "script_name",
    "script_of",
]
