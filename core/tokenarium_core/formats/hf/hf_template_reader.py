"""The ``post_processor`` of a `tokenizer.json`: the ids that it puts around one text.

Sources: huggingface/tokenizers, ``processors/template.rs``, ``processors/bert.rs`` and ``processors/roberta.rs``.
"""

from __future__ import annotations

from typing import Final

from tokenarium_core.encoding import Template
from tokenarium_core.formats.hf.hf_fields import Fields, shown

_TEXT: Final = -1  # stands for the ids of the text
_MOST: Final = 1 << 16  # ids around a text


def template_of(steps: list[Fields], count: int) -> Template | None:
    """Returns the template of these processors, None where they put nothing around a text.

    ``count`` is the number of ids of the tokenizer. Only the form for a single text is read; that for a pair has no
    use here. Raises FormatError for an id out of range, and a text that is left out or repeated.
    """
    sections: list[list[int]] = [[_TEXT]]
    names: list[str] = []
    for step in steps:
        name = step.type
        if name == "ByteLevel":  # changes offsets only, see `Encoding`
            for field in ("add_prefix_space", "trim_offsets", "use_regex"):
                step.flag(field, True)
            step.finish()
            continue
        if name == "TemplateProcessing":
            if len(sections) > 1:
                raise step.refuse(
                    "is a template behind another one, whose parts it would take for texts"
                )
            whole = sections[0]
            sections = [whole if part == [_TEXT] else part for part in _single(step)]
        elif name in ("BertProcessing", "RobertaProcessing"):
            cls, sep = _pair(step, "cls"), _pair(step, "sep")
            step.flag("trim_offsets", True)
            step.flag("add_prefix_space", True)
            # Behind a template, each part of it counts as a text: all but the first as the second one of a pair.
            between = [sep] if name == "RobertaProcessing" else []
            for index, section in enumerate(sections):
                sections[index] = [*([cls] if index == 0 else between), *section, sep]
        else:
            raise step.refuse(f"is of type {name!r}")
        step.finish()
        for section in sections:
            for id in section:
                if id != _TEXT and not 0 <= id < count:
                    raise step.refuse(
                        f"puts the id {id} around a text, which the vocabulary does not have"
                    )
        names.append(name)
    ids = [id for section in sections for id in section]
    place = ids.index(_TEXT)
    before, after = ids[:place], ids[place + 1 :]
    if not before and not after:
        return None
    return Template(" → ".join(names), before, after)


def _single(step: Fields) -> list[list[int]]:
    """Returns the parts of a template for single texts: the ids of each token, and the text."""
    tokens = step.inner("special_tokens")
    step.take("pair")
    parts: list[list[int]] = []
    total = 0
    for part in step.objects("single"):
        if part.has("Sequence"):
            sequence = part.inner("Sequence")
            if [_TEXT] in parts or sequence.choice("id", ["A", "B"]) != "A":
                raise part.refuse("takes another text than the first, or that twice")
            parts.append([_TEXT])
        else:
            name = part.inner("SpecialToken").text("id")
            given = tokens.inner(name).items("ids")
            ids: list[int] = []
            for id in given:
                if type(id) is not int or id < 0:
                    raise tokens.error(name, "a list of ids", given)
                ids.append(id)
            parts.append(ids)
            total += len(ids)
            if total > _MOST:
                raise part.refuse(f"puts more than {_MOST:,} ids around a text")
    if [_TEXT] not in parts:
        raise step.refuse("leaves the text itself out")
    return parts


def _pair(step: Fields, name: str) -> int:
    value = step.take(name)
    if isinstance(value, list) and len(value) == 2:
        id: object = value[1]
        if type(id) is int and id >= 0:
            return id
    raise step.error(name, "a token and its id", shown(value))
