"""Writes the classes of transformers 4 that run a `tokenizer.json`, for the reader of that version.

    PYTHONPATH=build/readers/transformers-4.57.6 .venv/bin/python -s packaging/generate_reader_classes.py

The folder is that of `compare_readers`; its version is the one that the reader names.
"""

from __future__ import annotations

import importlib
import inspect
import textwrap
from pathlib import Path
from typing import Any

import transformers
import transformers.models
from transformers import PreTrainedTokenizer, PreTrainedTokenizerFast
from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

TARGET = Path(__file__).parents[1] / (
    "core/tokenarium_core/comparing/readers/transformers_4_data.py"
)
ATTRIBUTES = (
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token",
)  # fmt: skip
HEAD = '''"""The classes of transformers 4 that run a `tokenizer.json`, and the special tokens that each has by default.

Written by packaging/generate_reader_classes.py out of transformers {version}; do not edit it by hand.
"""

from __future__ import annotations

from typing import Final
'''


def classes() -> tuple[dict[str, type], set[str]]:
    """Returns the fast classes by name, and the names of the others."""
    fast: dict[str, type] = {}
    slow: set[str] = set()
    for file in sorted(Path(transformers.models.__path__[0]).glob("*/tokenization_*.py")):
        try:
            module = importlib.import_module(f"transformers.models.{file.parent.name}.{file.stem}")
        except Exception:  # of one that needs other libraries
            continue
        for name, made in vars(module).items():
            if not isinstance(made, type) or made.__module__ != module.__name__:
                continue
            if issubclass(made, PreTrainedTokenizerFast):
                fast[name] = made
            elif issubclass(made, PreTrainedTokenizer):
                slow.add(name)
    return fast, {name for name in slow if f"{name}Fast" not in fast}


def defaults(made: type) -> dict[str, str]:
    """Returns the special tokens of a class that its arguments have by default."""
    found: dict[str, str] = {}
    for base in reversed(made.__mro__):
        if "__init__" not in base.__dict__:
            continue
        for name, parameter in inspect.signature(base.__dict__["__init__"]).parameters.items():
            if name in ATTRIBUTES:
                found.pop(name, None)
                if isinstance(parameter.default, str):
                    found[name] = parameter.default
    return found


def lines(name: str, about: str, value: dict[str, str]) -> str:
    """Returns a table of the module."""
    rows = []
    for key, text in value.items():
        parts = textwrap.wrap(text, 84)
        if len(parts) < 2:
            rows.append(f'    "{key}": "{text}",')
        else:
            body = "\n".join(
                f'        "{part}{"" if at == len(parts) - 1 else " "}"'
                for at, part in enumerate(parts)
            )
            rows.append(f'    "{key}": (\n{body}\n    ),')
    return f"\n{name}: Final = {{\n" + "\n".join(rows) + f'\n}}\n"""{about}"""\n'


def main() -> None:
    fast, slow = classes()
    tokens = {
        name: " ".join(f"{key}={token}" for key, token in defaults(made).items())
        for name, made in sorted(fast.items())
    }
    models: dict[str, list[str]] = {}
    pairs: Any = TOKENIZER_MAPPING_NAMES  # of version 4: two classes for each type of model
    for kind, (plain, made) in pairs.items():
        models.setdefault(made or plain or "", []).append(kind)
    by_class = {name: " ".join(sorted(kinds)) for name, kinds in sorted(models.items()) if name}
    text = HEAD.format(version=transformers.__version__)
    text += lines("FAST_CLASSES", "The special tokens of each class.", tokens)
    text += lines("FAST_OF_MODELS", "The class for types of models; without “Fast”, it is code in Python.", by_class)  # fmt: skip
    body = "\n".join(f'    "{part} "' for part in textwrap.wrap(" ".join(sorted(slow)), 84))
    text += f'\nSLOW_CLASSES: Final = (\n{body}\n)\n"""Classes that are only code in Python."""\n'
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
