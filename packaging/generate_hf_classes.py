"""Writes the core's table of the tokenizer classes of transformers: hf_class_data.py.

Run it from the root of the project, with transformers installed:

    python packaging/generate_hf_classes.py
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import transformers
from transformers.convert_slow_tokenizer import SLOW_TO_FAST_CONVERTERS
from transformers.models.auto import tokenization_auto as auto

TABLE = Path("core") / "tokenarium_core" / "formats" / "hf" / "hf_class_data.py"


def grouped(pairs: dict[str, str]) -> str:
    """Returns a table of names by what they mean, as the text of a dictionary."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, target in sorted(pairs.items()):
        groups[target].append(name)
    lines = []
    for target, names in sorted(groups.items()):
        parts = textwrap.wrap(" ".join(names), 80, break_on_hyphens=False)
        if len(parts) == 1 and len(target) + len(parts[0]) < 84:
            lines.append(f'    "{target}": "{parts[0]}",')
        else:
            lines.append(f'    "{target}": (')
            lines += [f'        "{part} "' for part in parts[:-1]] + [f'        "{parts[-1]}"']
            lines.append("    ),")
    return "\n".join(["{", *lines, "}"])


def classes() -> dict[str, str]:
    """Returns the class that each name in a tokenizer_config.json means."""
    names = {name for name in auto.TOKENIZER_MAPPING_NAMES.values() if name}
    names |= {name for name in dir(transformers) if name.endswith(("Tokenizer", "TokenizerFast"))}
    # Names that dir() does not show, but that mean the class that has the same converter.
    names |= set(SLOW_TO_FAST_CONVERTERS)
    names |= {"BloomTokenizer", "PreTrainedTokenizer", "PreTrainedTokenizerFast"}
    found = {
        name: auto.tokenizer_class_from_name(name) for name in sorted(names - {"AutoTokenizer"})
    }
    return {name: kind.__name__ for name, kind in found.items() if kind is not None}


def main() -> None:
    models = {kind: name for kind, name in auto.TOKENIZER_MAPPING_NAMES.items() if name}
    misnamed = " ".join(sorted(auto.MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS))
    wrapped = "\n".join(
        f'    "{part} "' for part in textwrap.wrap(misnamed, 80, break_on_hyphens=False)
    )
    TABLE.write_text(
        f'''"""The tokenizer classes of transformers, by the names that files give them and by types of models.

Written by packaging/generate_hf_classes.py out of transformers {version("transformers")}; do not edit it by hand.
"""

from __future__ import annotations

from typing import Final

CLASSES: Final = {grouped(classes())}
"""The names, parted by blanks, that mean a class."""

MODEL_CLASSES: Final = {grouped(models)}
"""The types of models, parted by blanks, whose tokenizer has a name."""

MISNAMED: Final = (
{wrapped}
)
"""Types of models, parted by blanks, whose own class is taken instead of the one that their files name."""
''',
        "utf-8",
    )


if __name__ == "__main__":
    main()
