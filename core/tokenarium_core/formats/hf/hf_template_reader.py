"""The ``post_processor`` of a `tokenizer.json`: the ids that it puts around one text.

Sources: huggingface/tokenizers, ``processors/template.rs``, ``processors/bert.rs`` and ``processors/roberta.rs``.
"""

from __future__ import annotations

from tokenarium_core.formats.hf.hf_fields import Fields, shown
from tokenarium_core.template import Template


def template_of(steps: list[Fields], count: int) -> Template | None:
    """Returns the template of these processors, None where they put nothing around a text.

    ``count`` is the number of ids of the tokenizer. Only the form for a single text is read; that for a pair has no
    use here. Raises FormatError for an id out of range, and a text that is left out or repeated.
    """
    before: list[int] = []
    after: list[int] = []
    names: list[str] = []
    for step in steps:
        name = step.type
        if name == "ByteLevel":  # changes offsets only
            for field in ("add_prefix_space", "trim_offsets", "use_regex"):
                step.flag(field, True)
            step.finish()
            continue
        if name == "TemplateProcessing":
            first, last = _single(step)
        elif name in ("BertProcessing", "RobertaProcessing"):
            first, last = [_pair(step, "cls")], [_pair(step, "sep")]
            step.flag("trim_offsets", True)
            step.flag("add_prefix_space", True)
        else:
            raise step.refuse(f"is of type {name!r}")
        step.finish()
        for id in first + last:
            if not 0 <= id < count:
                raise step.refuse(
                    f"puts the id {id} around a text, which the vocabulary does not have"
                )
        before = first + before
        after = after + last
        names.append(name)
    if not before and not after:
        return None
    return Template(" → ".join(names), before, after)


def _single(step: Fields) -> tuple[list[int], list[int]]:
    """Returns the ids before and behind the text in a template for single texts."""
    tokens = step.inner("special_tokens")
    step.take("pair")
    before: list[int] = []
    after: list[int] = []
    seen = False
    for part in step.objects("single"):
        if part.has("Sequence"):
            sequence = part.inner("Sequence")
            if seen or sequence.choice("id", ["A", "B"]) != "A":
                raise part.refuse("takes another text than the first, or that twice")
            seen = True
        else:
            name = part.inner("SpecialToken").text("id")
            ids = tokens.inner(name).items("ids")
            for id in ids:
                if type(id) is not int:
                    raise tokens.error(name, "a list of ids", ids)
                (after if seen else before).append(id)
    if not seen:
        raise step.refuse("leaves the text itself out")
    return before, after


def _pair(step: Fields, name: str) -> int:
    value = step.take(name)
    if isinstance(value, list) and len(value) == 2 and type(value[1]) is int:
        return value[1]
    raise step.error(name, "a token and its id", shown(value))
