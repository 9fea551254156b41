"""Folders of models with faults that a repair mends, written in the forms that files have."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from differing_pairs import fields_of
from hf_models import KINDS
from mutations import Files

Folder = dict[str, Any]
"""The values of the files of a folder by name: those of JSON, or a text."""

CHAT = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
WHOLE, CONFIG, MODEL = "tokenizer.json", "tokenizer_config.json", "config.json"
_WORDS = ("<mask>", "<pad>", "<sep>", "<cls>", "<new>", "</s>", "<é>")
_FORMS: tuple[dict[str, Any], ...] = (
    {}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"indent": 0}, {"separators": (",", ":")}, {"ensure_ascii": True},
    {"indent": 1, "ensure_ascii": True},
)  # fmt: skip


def sound(kind: str) -> Folder:
    """Returns a folder with the `tokenizer.json` of a kind of `KINDS`, and settings that agree with it."""
    whole = fields_of(kind)
    ids = {token["content"]: token["id"] for token in whole["added_tokens"] if token["special"]}
    first, last = (next(iter(ids), ""), next(reversed(ids), ""))
    config: Folder = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512}
    model: Folder = {"model_type": "llama", "x": [1.50, "é"]}
    if ids:
        config |= {"bos_token": first, "eos_token": last}
        model |= {"bos_token_id": ids[first], "eos_token_id": ids[last]}
    return {
        WHOLE: whole,
        CONFIG: config,
        MODEL: model,
        "generation_config.json": {"top_p": 0.90},
        "chat_template.jinja": CHAT,
        "README.md": "not a file of the tokenizer",
    }


def _added(chance: Random, folder: Folder) -> dict[str, Any]:
    token: dict[str, Any] = chance.choice(folder[WHOLE]["added_tokens"])
    return token


def _blanks(chance: Random, folder: Folder) -> None:
    token = _added(chance, folder)
    token[chance.choice(["lstrip", "rstrip"])] = True
    if chance.random() < 0.5:
        folder[CONFIG]["eos_token"] = {**token, "__type": "AddedToken"}


def _ids(chance: Random, folder: Folder) -> None:
    _added(chance, folder)["id"] += chance.choice([1, 7, 900, 10**9])


def _configuration(chance: Random, folder: Folder) -> None:
    name = chance.choice([MODEL, "generation_config.json"])
    inner = folder[name]
    if chance.random() < 0.3:
        inner = inner.setdefault("text_config", {})
    wrong = chance.choice([0, 7, 10**6, -1, [2, 3, 99_999], [], None, True, "2", 10**30])
    inner[chance.choice(["bos_token_id", "eos_token_id", "pad_token_id"])] = wrong


def _decoder(chance: Random, folder: Folder) -> None:
    token = _added(chance, folder)
    wrong = {str(chance.choice([0, 5, 900, 10**30])): {**token, "id": None}}
    if chance.random() < 0.4:
        wrong[str(token["id"])] = token
    folder[CONFIG].setdefault("added_tokens_decoder", {}).update(wrong)


def _listed(chance: Random, folder: Folder) -> None:
    folder["added_tokens.json"] = {_added(chance, folder)["content"]: chance.choice([3, 7, 10**6])}


def _absent(chance: Random, folder: Folder) -> None:
    content = chance.choice(_WORDS)
    named = {"content": content, "lstrip": True, "special": True}
    role = chance.choice(["mask_token", "pad_token", "unk_token", "sep_token", "cls_token"])
    folder[CONFIG][role] = chance.choice([content, named])


def _around(chance: Random, folder: Folder) -> None:
    folder[CONFIG][chance.choice(["add_bos_token", "add_eos_token"])] = True
    if chance.random() < 0.7:
        folder[WHOLE]["post_processor"] = None


def _cuts(chance: Random, folder: Folder) -> None:
    cut = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    fill: Folder = {
        "strategy": chance.choice([{"Fixed": 12}, "BatchLongest"]),
        "direction": "Right",
    }
    fill |= {"pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "!"}
    name, value = chance.choice([("truncation", cut), ("padding", fill)])
    folder[WHOLE][name] = value


def _patterns(chance: Random, folder: Folder) -> None:
    pattern = {"String": chance.choice([r"\p{N}{1,3}", r"[^\s]+", r"(?i:a)", r"\s"])}
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    before = folder[WHOLE]["pre_tokenizer"]
    steps = [split] if before is None else [split, before]
    folder[WHOLE]["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}


def _template(chance: Random, folder: Folder) -> None:
    literal = "{{ '" + folder[CONFIG]["bos_token"] + "' }}"
    before = chance.choice(["{{ bos_token }}", "{{- bos_token -}}\n", literal])
    if chance.random() < 0.5:
        folder["chat_template.jinja"] = before + CHAT
    else:
        folder.pop("chat_template.jinja", None)
        folder[CONFIG]["chat_template"] = before + CHAT
    start, id = folder[CONFIG]["bos_token"], folder[MODEL]["bos_token_id"]
    steps = [
        {"SpecialToken": {"id": start, "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ]
    folder[WHOLE]["post_processor"] = {
        "type": "TemplateProcessing",
        "single": steps,
        "pair": steps,
        "special_tokens": {start: {"id": start, "ids": [id], "tokens": [start]}},
    }


def _alike(chance: Random, folder: Folder) -> None:
    _added(chance, folder)["normalized"] = True
    folder[WHOLE]["normalizer"] = {"type": chance.choice(["NFKC", "Lowercase"])}


def _plain(chance: Random, folder: Folder) -> None:
    _added(chance, folder)["special"] = False


def _merges(chance: Random, folder: Folder) -> None:
    merges = folder[WHOLE]["model"]["merges"]
    for _ in range(chance.choice([1, 1, 3])):
        merges.pop(chance.randrange(len(merges)))


FAULTS: dict[str, Callable[[Random, Folder], None]] = {
    "blanks": _blanks,
    "ids": _ids,
    "configuration": _configuration,
    "decoder": _decoder,
    "listed": _listed,
    "absent": _absent,
    "around": _around,
    "cuts": _cuts,
    "patterns": _patterns,
    "template": _template,
    "alike": _alike,
    "plain": _plain,
    "merges": _merges,
}


def faulty(chance: Random, kinds: tuple[str, ...] = (*KINDS,)) -> Files:
    """Returns the files of a folder with one to three faults, as bytes."""
    folder = sound(chance.choice(kinds))
    for _ in range(chance.choice([1, 1, 2, 3])):
        try:
            FAULTS[chance.choice([*FAULTS])](chance, folder)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # a fault of folders of another kind
    return {name: formed(chance, value) for name, value in folder.items()}


def formed(chance: Random, value: Any) -> bytes:
    """Returns the bytes of a file, in one of the forms that programs write."""
    if isinstance(value, str):
        return value.encode()
    text = json.dumps(value, **{"ensure_ascii": False, **chance.choice(_FORMS)})
    if chance.random() < 0.2:
        text = text.replace("\n", "\r\n")
    content = text.encode("utf-8", "surrogatepass") + chance.choice([b"", b"\n", b" \n\n"])
    return b"\xef\xbb\xbf" + content if chance.random() < 0.05 else content
