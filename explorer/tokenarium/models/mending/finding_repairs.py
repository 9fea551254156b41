"""The repairs of the findings of `diagnosing`: each function returns those of one finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.chat.chat_tokens import written
from tokenarium.models.diagnosis.diagnosing import examine_source
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Level
from tokenarium.models.diagnosis.diagnosis_files import (
    FILES,
    id_settings,
    model_fields,
)
from tokenarium.models.diagnosis.diagnosis_stored import (
    REGEX,
    STATED,
    TEKKEN,
    Renderer,
    mistral_fault,
)
from tokenarium.models.diagnosis.diagnosis_texts import MARKER
from tokenarium.models.mending.added_token_edits import added_list, flag_edits, objects_in
from tokenarium.models.mending.gguf_repair import pattern_repairs
from tokenarium.models.mending.json_edits import JsonPath
from tokenarium.models.mending.merge_repair import merge_repairs
from tokenarium.models.mending.repair import (
    WHOLE,
    EditAction,
    FileEdit,
    Repair,
    json_of,
    whole_path,
)
from tokenarium.models.mending.template_repair import TEXT_STARTS, template_repairs
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.text.added_in_text import id_of
from tokenarium.models.text.piece import counted
from tokenarium_core.formats import SETTINGS_FILES, named_tokens
from tokenarium_core.formats.chat_part import folder_of

CONFIG: Final = SETTINGS_FILES[0]
ROLE_NAMES: Final = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")  # fmt: skip
"""The names of special tokens, in the order in which transformers adds them (``SPECIAL_TOKENS_ATTRIBUTES``)."""

DECODER: Final = "added_tokens_decoder"


def repairs_of(
    tokenizer: tc.Tokenizer, finding: Diagnosis, render: Renderer = written
) -> list[Repair]:
    """Returns the repairs of a finding, the usual one first; none for a finding that no file can mend.

    ``render`` writes a chat by a template; see `Renderer`.
    """
    if finding.level is Level.UNKNOWN:
        return []
    try:
        if finding.id == TEXT_STARTS:
            return list(template_repairs(tokenizer, finding, render))
        make = _REPAIRS.get(finding.id)
        found = make(tokenizer, finding) if make is not None else ()
        return [one for one in found if one.edits or one.pattern]
    except tc.TokenariumError:  # such as a file that has been removed since
        return []


@dataclass(frozen=True, slots=True)
class FoundRepairs:
    """The repairs of a finding, by its id."""

    finding: str
    repairs: tuple[Repair, ...]


def examine_for_repairs(
    report: ProgressReporter, source: str, pattern: str, weights: str = ""
) -> None:
    """Reports the findings as `examine_source` does, and the repairs of each."""

    def follow(tokenizer: tc.Tokenizer, finding: Diagnosis) -> None:
        found = repairs_of(tokenizer, finding)
        if found:
            report(FoundRepairs(finding.id, tuple(found)))

    examine_source(report, source, pattern, weights, follow)


# Options of added tokens.


def _blanks(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    stripping = {
        token.content: {"lstrip": False, "rstrip": False}
        for token in tokenizer.added_tokens.tokens
        if token.lstrip or token.rstrip
    }
    edits = [*flag_edits(tokenizer, stripping)]
    count = counted(len(finding.tokens), "added token")
    said = f"Sets lstrip and rstrip of {count} to false: the spaces next to it stay in the text."
    yield Repair(finding.id, finding.id, "Keep the spaces", said, tuple(edits))


def _lookalikes(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    found = {case.token for case in finding.evidence if case.note.startswith("becomes")}
    tokens = [one for one in tokenizer.added_tokens.tokens if one.id in found and one.normalized]
    edits = flag_edits(tokenizer, {token.content: {"normalized": False} for token in tokens})
    said = f"Sets normalized of {counted(len(tokens), 'special token')} to false: only its exact text is the special token."
    yield Repair(finding.id, finding.id, "Match the exact text", said, tuple(edits))


def _injection(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    tokens = [
        one for one in tokenizer.added_tokens.tokens
        if not one.special and MARKER.fullmatch(one.content)
    ]  # fmt: skip
    edits = flag_edits(tokenizer, {token.content: {"special": True} for token in tokens})
    count = counted(len(tokens), "added token that is", "added tokens that are")
    said = f"Sets special of {count} written like a marker to true: a program can then tell it from plain text, and decoding can skip it."  # fmt: skip
    yield Repair(finding.id, finding.id, "Mark them as special", said, tuple(edits))


# Ids.


def _added_ids(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    stated = {detail.name for detail in tokenizer.details if detail.group == STATED}
    ids = {token.content: token.id for token in tokenizer.added_tokens.tokens}
    edits = [
        FileEdit(WHOLE, (*path, "id"), token["id"], ids[token["content"]])
        for path, token in objects_in(added_list(tokenizer) if whole_path(tokenizer) else {})
        if token.get("content") in stated & ids.keys() and token.get("id") != ids[token["content"]]
    ]
    said = (
        "Writes the ids that the library tokenizers gives these tokens into the file, so that programs that read the ids of"
        " the file give the same ones."
    )
    yield Repair(finding.id, finding.id, "State the ids that are given", said, tuple(edits))


def _configuration(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    folder = folder_of(tokenizer)
    if folder is None:
        return
    files = {name: model_fields(folder / name) for name in FILES}
    roles = {token.field: token.content for token in named_tokens(folder)}
    edits: dict[tuple[str, JsonPath], FileEdit] = {}
    for setting in id_settings(tokenizer, folder, files):
        content = roles.get(setting.field.removesuffix("_id"))
        known = -1 if content is None else id_of(tokenizer, content)
        if not setting.fault or known < 0:
            continue
        written = json_of(tokenizer, setting.file)
        inner = setting.field not in written and "text_config" in written
        path: JsonPath = ("text_config", setting.field) if inner else (setting.field,)
        old = (written["text_config"] if inner else written).get(setting.field)
        new: object = known
        if isinstance(old, list):
            kept = [id for id in old if type(id) is int and id < len(tokenizer.vocabulary)]
            new = [known, *(id for id in kept if id not in (known, setting.id))]
        edits[setting.file, path] = FileEdit(setting.file, path, old, new)
    said = "Writes the ids of the tokens that the tokenizer's own files name into the model's configuration."  # fmt: skip
    yield Repair(finding.id, finding.id, "Correct the ids", said, tuple(edits.values()))


def _folder(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    config = json_of(tokenizer, CONFIG)
    ids = {token.content: token.id for token in tokenizer.added_tokens.tokens}
    edits: list[FileEdit] = []
    stated = config.get(DECODER)
    decoder: dict[str, Any] = stated if isinstance(stated, dict) else {}
    for key, token in decoder.items():
        content = token.get("content") if isinstance(token, dict) else None
        known = ids.get(content) if isinstance(content, str) else None
        if known is None or not key.isdecimal() or int(key) == known:
            continue
        if str(known) in decoder:  # the token is there twice, or another is in its place
            other = decoder[str(known)]
            if not isinstance(other, dict) or other.get("content") != content:
                continue
            edits.append(FileEdit(CONFIG, (DECODER, key), token, None, EditAction.REMOVE))
        else:
            edits.append(FileEdit(CONFIG, (DECODER, key), key, str(known), EditAction.RENAME))
    added = json_of(tokenizer, SETTINGS_FILES[2])
    for content, id in added.items():
        if ids.get(content, id) != id:
            edits.append(FileEdit(SETTINGS_FILES[2], (content,), id, ids[content]))
    if edits:
        said = "Writes the ids that the tokens have in the tokenizer into the settings beside it."
        yield Repair(f"{finding.id}-ids", finding.id, "Correct the ids of the settings", said, tuple(edits))  # fmt: skip
    absent = _absent(tokenizer, config)
    if absent:
        count = counted(len(absent), "token")
        said = f"Adds {count} to {WHOLE} with the ids that transformers gives: all programs then agree. The model needs rows for them, if they are used."  # fmt: skip
        yield Repair(f"{finding.id}-tokens", finding.id, "Add the tokens that the settings name", said, tuple(absent))  # fmt: skip
    missing = _missing_around(tokenizer, config, ids)
    if not missing:
        return
    names = " and ".join(setting for setting, _, _ in missing)
    off = [FileEdit(CONFIG, (setting,), True, False) for setting, _, _ in missing]
    said = f"Sets {names} to false. The ids stay those of {WHOLE}, and programs that follow the setting give the same."
    yield Repair(f"{finding.id}-off", finding.id, f"Set {names} to false", said, tuple(off))
    if whole_path(tokenizer) is None or json_of(tokenizer, WHOLE).get("post_processor") is not None:
        return  # one that does more, such as trimming offsets, is not replaced
    said = f"Puts the tokens around a text in {WHOLE}, as {names} asks for: texts get other ids with the template."
    template = FileEdit(WHOLE, ("post_processor",), None, _template(missing))
    yield Repair(f"{finding.id}-template", finding.id, "Add the tokens to the template", said, (template,))  # fmt: skip


def _absent(tokenizer: tc.Tokenizer, config: Mapping[str, Any]) -> list[FileEdit]:
    """Returns the edits that add the special tokens of the settings that are no entries, in the order of transformers."""
    if whole_path(tokenizer) is None:
        return []
    listed = added_list(tokenizer)["added_tokens"] or []
    edits: list[FileEdit] = []
    new: dict[str, Mapping[str, Any]] = {}
    for name in ROLE_NAMES:
        stated = config.get(name)
        options: Mapping[str, Any] = stated if isinstance(stated, dict) else {}
        content = options.get("content") if options else stated
        if isinstance(content, str) and content and id_of(tokenizer, content) < 0:
            new.setdefault(content, options)
    for number, (content, given) in enumerate(new.items()):
        flags = {flag: bool(given.get(flag)) for flag in ("single_word", "lstrip", "rstrip", "normalized")}  # fmt: skip
        token = {"id": len(tokenizer.vocabulary) + number, "content": content, **flags, "special": True}  # fmt: skip
        path = ("added_tokens", len(listed) + number)
        edits.append(FileEdit(WHOLE, path, None, token, EditAction.INSERT))
    return edits


def _missing_around(
    tokenizer: tc.Tokenizer, config: Mapping[str, Any], ids: Mapping[str, int]
) -> list[tuple[str, str, int]]:
    """Returns the settings that ask for a token around a text that the template does not put there, with the token."""
    template = tokenizer.template
    around = [*template.before, *template.after] if template is not None else []
    found = []
    for setting, name in (("add_bos_token", "bos_token"), ("add_eos_token", "eos_token")):
        token = config.get(name)
        content = token.get("content") if isinstance(token, dict) else token
        if config.get(setting) is True and isinstance(content, str):
            known = ids.get(content, -1)
            if known >= 0 and known not in around:
                found.append((setting, content, known))
    return found


def _template(missing: list[tuple[str, str, int]]) -> dict[str, Any]:
    """Returns a post-processor that puts tokens around a text."""

    def around(sequence: str, type_id: int) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = [{"Sequence": {"id": sequence, "type_id": type_id}}]
        for setting, content, _ in missing:
            step = {"SpecialToken": {"id": content, "type_id": type_id}}
            steps = [step, *steps] if setting == "add_bos_token" else [*steps, step]
        return steps

    return {
        "type": "TemplateProcessing",
        "single": around("A", 0),
        "pair": [*around("A", 0), *around("B", 1)],
        "special_tokens": {
            content: {"id": content, "ids": [id], "tokens": [content]} for _, content, id in missing
        },
    }


# Stages.


def _cuts(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    fields = json_of(tokenizer, WHOLE) if whole_path(tokenizer) else {}
    edits = [
        FileEdit(WHOLE, (name,), fields[name], None)
        for name in ("truncation", "padding")
        if fields.get(name) is not None
    ]
    names = " and ".join(str(edit.path[0]) for edit in edits)
    said = f"Removes {names} from the file: the library tokenizers then returns all ids of a text, as transformers does."
    yield Repair(finding.id, finding.id, f"Remove {names}", said, tuple(edits))


def _patterns(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    fields = json_of(tokenizer, WHOLE) if whole_path(tokenizer) else {}
    edits = []
    for stage in ("normalizer", "pre_tokenizer", "decoder"):
        for path, step in objects_in(fields.get(stage), (stage,)):
            literal = step.get("String") if path[-1] == "pattern" else None
            if isinstance(literal, str) and REGEX.search(literal):
                edits.append(FileEdit(WHOLE, path, dict(step), {"Regex": literal}))
    if edits:
        count = counted(len(edits), "pattern")
        said = f"Stores {count} as a regular expression (“Regex”), as it is written, and not as text (“String”)."
        yield Repair(f"{finding.id}-regex", finding.id, "Store it as a regular expression", said, tuple(edits))  # fmt: skip
    if mistral_fault(tokenizer, {**fields}) is not None:
        first = next(
            (path, step["Regex"]) for path, step in objects_in(fields["pre_tokenizer"], ("pre_tokenizer",))
            if path[-1] == "pattern" and "Regex" in step
        )  # fmt: skip
        edit = FileEdit(WHOLE, (*first[0], "Regex"), first[1], TEKKEN)
        said = "Writes the pattern of Mistral's models into the file, which transformers uses if fix_mistral_regex is set."
        yield Repair(f"{finding.id}-mistral", finding.id, "Use Mistral's pattern", said, (edit,))


_REPAIRS: Final[dict[str, Callable[[tc.Tokenizer, Diagnosis], Iterator[Repair]]]] = {
    "added_blanks": _blanks,
    "added_ids": _added_ids,
    "configuration": _configuration,
    "folder": _folder,
    "injection": _injection,
    "lookalikes": _lookalikes,
    "same_model": pattern_repairs,
    "stored_cuts": _cuts,
    "stored_patterns": _patterns,
    "unreachable": merge_repairs,
}
"""What makes the repairs of a finding, by its id."""

MENDABLE: Final = frozenset([*_REPAIRS, TEXT_STARTS])
"""The ids of the findings that may have repairs."""
