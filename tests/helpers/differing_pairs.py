"""Pairs of tokenizers: those with one known difference, and those whose files only have another form."""

from __future__ import annotations

import copy
import functools
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hf_models import CORPUS, KINDS
from published_patterns import LLAMA3

import tokenarium_core as tc
from tokenarium_core.unicode.hf_codepoints_data import NUMERIC, PUNCTUATION

Fields = dict[str, Any]
Edit = Callable[[Fields], None]

MARK = "▁"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class KnownPair(NamedTuple):
    """A kind of `KINDS`, what is changed in it, the stage that is the cause, and a part of what differs.

    ``before`` changes both files first.
    """

    name: str
    kind: str
    edit: Edit
    stage: str
    what: str
    before: Edit | None = None


@functools.cache
def _written(kind: str) -> str:
    text: str = KINDS[kind](CORPUS).to_str()
    return text


def fields_of(kind: str) -> Fields:
    """Returns the fields of a ``tokenizer.json`` of a kind, which may be changed."""
    fields: Fields = json.loads(_written(kind))
    return fields


def opened(fields: Fields, path: Path) -> tc.Tokenizer:
    """Returns the tokenizer of a file with these fields, written to a path."""
    path.write_text(json.dumps(fields), encoding="utf-8")
    return tc.open(path)


def put(value: Any, *path: str | int) -> Edit:
    """Returns an edit that gives a field a value."""

    def edit(fields: Fields) -> None:
        inner: Any = fields
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = value

    return edit


def replaced(old: str, new: str, *path: str | int) -> Edit:
    """Returns an edit of a part of a text, which has to be there."""

    def edit(fields: Fields) -> None:
        inner: Any = fields
        for name in path[:-1]:
            inner = inner[name]
        assert old in inner[path[-1]]
        inner[path[-1]] = inner[path[-1]].replace(old, new)

    return edit


def without(*path: str | int) -> Edit:
    """Returns an edit that takes an item of a list, or a field, away."""

    def edit(fields: Fields) -> None:
        inner: Any = fields
        for name in path[:-1]:
            inner = inner[name]
        del inner[path[-1]]

    return edit


def option(content: str, flag: str, value: bool) -> Edit:
    """Returns an edit of an option of an added token."""

    def edit(fields: Fields) -> None:
        token = next(one for one in fields["added_tokens"] if one["content"] == content)
        assert token[flag] != value
        token[flag] = value

    return edit


def both(*edits: Edit) -> Edit:
    """Returns several edits as one."""

    def edit(fields: Fields) -> None:
        for one in edits:
            one(fields)

    return edit


def pair_of(merge: Any) -> list[str]:
    """Returns the parts of a merge, which older files write as one text."""
    parts: list[str] = merge.split(" ") if isinstance(merge, str) else merge
    return parts


def _without_entry(fields: Fields) -> None:
    """Takes the last merge and its entry away; the ids of the others stay."""
    left, right = pair_of(fields["model"]["merges"].pop())
    del fields["model"]["vocab"][left + right]


def _swap_competing(fields: Fields) -> None:
    """Swaps the first merge with the next that shares a part with it, in a word."""
    merges = fields["model"]["merges"]
    for index, one in enumerate(merges):
        for other in range(index + 1, len(merges)):
            if pair_of(one)[1] == pair_of(merges[other])[0] and pair_of(one)[1].isalpha():
                merges[index], merges[other] = merges[other], merges[index]
                return
    raise AssertionError


def _swap_ids(fields: Fields) -> None:
    vocab = fields["model"]["vocab"]
    vocab["a"], vocab["b"] = vocab["b"], vocab["a"]


def _higher_score(fields: Fields) -> None:
    """Gives the longest entry in Latin letters a score so low that its parts are better."""
    vocab = fields["model"]["vocab"]
    row = max(
        (one for one in vocab if one[0].isascii() and one[0].isalpha()), key=lambda one: len(one[0])
    )
    row[1] = -1000.0


def _without_scored(fields: Fields) -> None:
    """Gives the last entry another text: ids stay."""
    row = max(
        (one for one in fields["model"]["vocab"] if one[0].isascii() and one[0].isalpha()),
        key=lambda one: len(one[0]),
    )
    row[0] = "\ue0ff\ue0fe"


def grown(*entries: str, merges: tuple[tuple[str, str], ...] = ()) -> Edit:
    """Returns an edit that adds entries, and merges with what they make; tokens behind the entries move."""

    def edit(fields: Fields) -> None:
        model = fields["model"]
        vocab = model["vocab"]
        size = len(vocab)
        new = [*entries, *[left + right for left, right in merges]]
        behind = {
            token["id"]: token["id"] + len(new)
            for token in fields["added_tokens"]
            if token["id"] >= size
        }
        for token in fields["added_tokens"]:
            token["id"] = behind.get(token["id"], token["id"])
        for step in _steps(fields, "TemplateProcessing"):
            for one in step["special_tokens"].values():
                one["ids"] = [behind.get(id, id) for id in one["ids"]]
        vocab.update({entry: size + index for index, entry in enumerate(new)})
        model["merges"] += [list(pair) for pair in merges]

    return edit


def option_of_all(flag: str, value: bool) -> Edit:
    """Returns an edit of an option of all added tokens."""

    def edit(fields: Fields) -> None:
        for token in fields["added_tokens"]:
            token[flag] = value

    return edit


def added(*contents: str) -> Edit:
    """Returns an edit that adds tokens behind the others, which need no permission."""

    def edit(fields: Fields) -> None:
        tokens = fields["added_tokens"]
        for content in contents:
            token = {**tokens[-1], "content": content, "id": tokens[-1]["id"] + 1, "special": False}
            tokens.append(token)

    return edit


def _at_no_space(fields: Fields) -> None:
    """Splits at spaces where the normalizer leaves none, as Gemma's file does."""
    step = fields["normalizer"]
    last = step["normalizers"][-1] if step and step.get("normalizers") else step
    if last and last.get("pattern") == {"String": " "} and last["content"] == MARK:
        assert fields["pre_tokenizer"] is None
        fields["pre_tokenizer"] = {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        }


def _split_for_digits(fields: Fields) -> None:
    for step in [fields["pre_tokenizer"]["pretokenizers"][0]]:
        del step["individual_digits"]
        step.update(type="Split", pattern={"Regex": r"\p{N}"}, behavior="Isolated", invert=False)


_METASPACE = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": False}
_MARKS = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
_SPLIT = ("pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")

KNOWN = [
    KnownPair("no NFC", "composed_bytes", put(None, "normalizer"), "normalizer", "NFC"),
    KnownPair("NFKC for NFC", "composed_bytes", put({"type": "NFKC"}, "normalizer"), "normalizer", "NFC"),
    KnownPair("NFD for NFC", "composed_bytes", put({"type": "NFD"}, "normalizer"), "normalizer", "NFC"),
    KnownPair("no lower case", "word_level", without("normalizer", "normalizers", 1), "normalizer", "Lowercase"),
    KnownPair("accents", "bert", put(False, "normalizer", "strip_accents"), "normalizer", "strip_accents"),
    KnownPair("ideographs", "bert", put(False, "normalizer", "handle_chinese_chars"), "normalizer", "handle_chinese_chars"),
    KnownPair("control characters", "bert", put(False, "normalizer", "clean_text"), "normalizer", "clean_text"),
    KnownPair("CLIP's case", "clip", without("normalizer", "normalizers", 2), "normalizer", "Lowercase"),
    KnownPair("rules of SentencePiece", "xlm_roberta", without("normalizer", "normalizers", 0), "normalizer", "Precompiled"),
    KnownPair("Metaspace for Prepend", "llama2", both(put(None, "normalizer"), put(_METASPACE, "pre_tokenizer")), "normalizer", "begins with a space"),
    KnownPair("another mark", "llama2", put("a", "normalizer", "normalizers", 0, "prepend"), "normalizer", "the step Prepend"),
    KnownPair("no marks, where both split at spaces", "llama2", put(None, "normalizer"), "normalizer", "spaces as ▁", _at_no_space),
    KnownPair("mark before each part", "metaspace_bpe", put("always", "pre_tokenizer", "prepend_scheme"), "pre-tokenizer", "before a text"),
    KnownPair("no mark", "metaspace_bpe", put("never", "pre_tokenizer", "prepend_scheme"), "pre-tokenizer", "before a text"),
    KnownPair("two digits", "llama3", replaced("{1,3}", "{1,2}", *_SPLIT), "pre-tokenizer", "pattern"),
    KnownPair("case of contractions", "llama3", replaced("(?i:", "(?:", *_SPLIT), "pre-tokenizer", "pattern", grown(merges=(("D", "a"),))),
    KnownPair("newlines after signs", "llama3", replaced(r"[\r\n]*", "", *_SPLIT), "pre-tokenizer", "pattern", grown(merges=((";", "Ċ"),))),
    KnownPair("digits in runs", "starcoder", put(False, "pre_tokenizer", "pretokenizers", 0, "individual_digits"), "pre-tokenizer", "individual_digits"),
    KnownPair("digits of another version of Unicode", "starcoder", _split_for_digits, "pre-tokenizer", "the step Digits", grown(merges=((".", "ð"),))),
    KnownPair("space before the text", "prefixed_bytes", put(False, "pre_tokenizer", "add_prefix_space"), "pre-tokenizer", "a space before the text"),
    KnownPair("signs alone", "falcon", put("Isolated", "pre_tokenizer", "pretokenizers", 0, "behavior"), "pre-tokenizer", "behavior"),
    KnownPair("fewer letters of CJK", "deepseek", replaced("一-龥", "一-龠", "pre_tokenizer", "pretokenizers", 1, "pattern", "Regex"), "pre-tokenizer", "pattern", grown(merges=(("a", "é"),))),
    KnownPair("a missing entry", "byte_level", _without_entry, "vocabulary", "entries only in A"),
    KnownPair("a missing merge", "byte_level", without("model", "merges", 0), "merges", "merges only in A"),
    KnownPair("the order of merges", "byte_level", _swap_competing, "merges", "the order of"),
    KnownPair("the order of merges of characters", "llama2", _swap_competing, "merges", "the order of"),
    KnownPair("ids of entries", "byte_level", _swap_ids, "vocabulary", "the ids of 2 entries"),
    KnownPair("a score", "t5", _higher_score, "scores", "the scores of 1 "),
    KnownPair("a piece", "t5", _without_scored, "vocabulary", "entries only in A"),
    KnownPair("whole pieces", "llama3", put(False, "model", "ignore_merges"), "model", "ignore_merges", grown("thethe")),
    KnownPair("byte fallback", "llama2", put(False, "model", "byte_fallback"), "model", "byte_fallback"),
    KnownPair("unknown characters in a row", "unknown_characters", put(True, "model", "fuse_unk"), "model", "fuse_unk"),
    KnownPair("longest word", "bert", put(8, "model", "max_input_chars_per_word"), "model", "max_input_chars_per_word"),
    KnownPair("lstrip", "prefixed_bytes", option("[MASK]", "lstrip", False), "added tokens", "lstrip of the token '[MASK]'"),
    KnownPair("rstrip", "prefixed_bytes", option("[MASK]", "rstrip", True), "added tokens", "rstrip"),
    KnownPair("single_word", "llama3", option("<|x|>", "single_word", True), "added tokens", "single_word"),
    KnownPair("normalized", "word_level", option("<s>", "normalized", True), "added tokens", "normalized"),
    KnownPair("normalized, where tokens overlap", "llama3", option("<|ab", "normalized", True), "added tokens", "normalized", added("<|ab", "b|>")),
    KnownPair("normalized, of many tokens", "llama2", option_of_all("normalized", True), "added tokens", "normalized of 12", both(added(*[f"<unused{id}>" for id in range(120)], MARK * 3), option_of_all("normalized", False), put(_MARKS, "normalizer"))),
    KnownPair("special", "llama3", option("<|x|>", "special", False), "added tokens", "special"),
    KnownPair("a missing token", "llama3", without("added_tokens", -1), "added tokens", "the token '<|x|>'"),
    KnownPair("no BOS", "llama2", put(None, "post_processor"), "template", "around a text"),
    KnownPair("no SEP", "bert", without("post_processor", "single", 2), "template", "around a text"),
]  # fmt: skip
"""Pairs with one difference, which is the cause that has to be found."""


# Files of another form.


def _nested(field: str, inner: str) -> Edit:
    def edit(fields: Fields) -> None:
        step = fields[field]
        steps = [] if step is None else [{"type": "Sequence", inner: [step]}]
        fields[field] = {"type": "Sequence", inner: steps}

    return edit


def _decoder_nested(fields: Fields) -> None:
    if fields["decoder"] is not None:
        fields["decoder"] = {"type": "Sequence", "decoders": [fields["decoder"]]}


def _all_steps(value: Any) -> Iterator[Fields]:
    """Yields all objects with a type."""
    if isinstance(value, dict):
        if "type" in value:
            yield value
        for inner in value.values():
            yield from _all_steps(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _all_steps(inner)


def _steps(fields: Fields, *types: str) -> list[Fields]:
    stages = [fields[name] for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")]
    return [step for step in _all_steps(stages) if step["type"] in types]


def _regex_for_string(fields: Fields) -> None:
    for step in _steps(fields, "Replace", "Split"):
        if "String" in step["pattern"]:
            step["pattern"] = {"Regex": re.escape(step["pattern"]["String"]).replace("\\ ", " ")}


def _patterns(change: Callable[[str], str]) -> Edit:
    def edit(fields: Fields) -> None:
        for step in _steps(fields, "Split", "Replace"):
            if "Regex" in step["pattern"]:
                step["pattern"] = {"Regex": change(step["pattern"]["Regex"])}

    return edit


def _spelled_out(source: str) -> str:
    return source.replace(r"\p{N}{1,3}", r"\p{N}\p{N}?\p{N}?")


def _longest_first(source: str) -> str:
    return source.replace(r"|\p{N}{1,3}|", r"|\p{N}\p{N}\p{N}|\p{N}\p{N}|\p{N}|")


def _in_classes(source: str) -> str:
    return re.sub(r"(?<![\[^}\\srn])(\\p\{\w\})(?=[+*?|{]|$)", r"[\1]", source)


def _in_group(source: str) -> str:
    return f"(?:{source})"


def _captured(source: str) -> str:
    return f"({source})" if "(?<" not in source else source


def _doubled_class(source: str) -> str:
    return source.replace(r"\s+(?!\S)", r"\s\s*(?!\S)")


def _starred(source: str) -> str:
    return re.sub(r"(?<=[a-z}])\+(?=\||$)", r"{1,}", source)


def _own_split(fields: Fields) -> None:
    """Writes the pattern of ByteLevel out."""
    step = fields["pre_tokenizer"]
    steps = step["pretokenizers"] if step and step["type"] == "Sequence" else [step]
    made: list[Any] = []
    for one in steps:
        if one and one["type"] == "ByteLevel" and one["use_regex"] and not one["add_prefix_space"]:
            made.append(
                {
                    "type": "Split",
                    "pattern": {"Regex": GPT2},
                    "behavior": "Isolated",
                    "invert": False,
                }
            )
            one = {**one, "use_regex": False}
        made.append(one)
    if len(made) > len(steps):
        fields["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": made}


def _trimmed(fields: Fields) -> None:
    for step in _steps(fields, "ByteLevel", "RobertaProcessing"):
        if "trim_offsets" in step:
            step["trim_offsets"] = not step["trim_offsets"]


def _merges_as_text(fields: Fields) -> None:
    merges = fields["model"].get("merges")
    if merges and not any(" " in part for merge in merges for part in pair_of(merge)):
        fields["model"]["merges"] = [" ".join(pair_of(merge)) for merge in merges]


def _bare_model(fields: Fields) -> None:
    """Leaves out settings with their default."""
    model = fields["model"]
    for name in ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"):
        if name in model and model[name] is None:
            del model[name]
    for name in ("fuse_unk", "byte_fallback", "ignore_merges"):
        if model.get(name) is False:
            del model[name]


def _untyped(fields: Fields) -> None:
    if fields["model"]["type"] == "BPE":
        del fields["model"]["type"]


def _shuffled(fields: Fields) -> None:
    vocab = fields["model"]["vocab"]
    if isinstance(vocab, dict):
        rows = list(vocab.items())
        random.Random(7).shuffle(rows)
        fields["model"]["vocab"] = dict(rows)


def _unknown_of_bytes(fields: Fields) -> None:
    """Names an unknown token where each byte has an entry."""
    model = fields["model"]
    if model["type"] == "BPE" and model.get("unk_token") is None and "Ā" in model["vocab"]:
        model["unk_token"] = "<|endoftext|>"


def _normalized_tokens(fields: Fields) -> None:
    if fields["normalizer"] is None and not any(one["lstrip"] for one in fields["added_tokens"]):
        for token in fields["added_tokens"]:
            token["normalized"] = True


def _twice(fields: Fields) -> None:
    step = fields["normalizer"]
    if step and step["type"] in ("NFC", "NFKC", "Lowercase"):
        fields["normalizer"] = {"type": "Sequence", "normalizers": [step, dict(step)]}
    elif step and step["type"] == "Sequence":
        last = step["normalizers"][-1:]
        if last and last[0]["type"] in ("Lowercase", "NFC"):
            step["normalizers"].append(dict(last[0]))


def _idle_strip(fields: Fields) -> None:
    idle = {"type": "Strip", "strip_left": False, "strip_right": False}
    step = fields["normalizer"]
    fields["normalizer"] = {"type": "Sequence", "normalizers": [idle, *([step] if step else [])]}


def _apart(fields: Fields) -> None:
    """Swaps neighbouring merges that share no part and do not need each other."""
    merges = fields["model"].get("merges")
    if not merges:
        return
    for index in range(len(merges) - 1):
        one, other = pair_of(merges[index]), pair_of(merges[index + 1])
        parts = {*one, *other, "".join(one), "".join(other)}
        if len(parts) == 6:
            merges[index], merges[index + 1] = merges[index + 1], merges[index]
            return


def _bert_accents(fields: Fields) -> None:
    for step in _steps(fields, "BertNormalizer"):
        step["strip_accents"] = step["lowercase"]


def _other_processor(fields: Fields) -> None:
    """Writes BERT's template, and RoBERTa's, as the other kind of processor."""
    step = fields["post_processor"]
    if step and step["type"] == "TemplateProcessing" and len(step["single"]) == 3:
        ids = {name: one["ids"][0] for name, one in step["special_tokens"].items()}
        cls, sep = (step["single"][at]["SpecialToken"]["id"] for at in (0, 2))
        fields["post_processor"] = {
            "type": "BertProcessing",
            "cls": [cls, ids[cls]],
            "sep": [sep, ids[sep]],
        }
    elif step and step["type"] == "RobertaProcessing":
        parts = [
            {"SpecialToken": {"id": step[name][0], "type_id": 0}}
            if name != "text"
            else {"Sequence": {"id": which, "type_id": 0}}
            for name, which in [
                ("cls", ""),
                ("text", "A"),
                ("sep", ""),
                ("sep", ""),
                ("text", "B"),
                ("sep", ""),
            ]
        ]
        tokens = {
            step[n][0]: {"id": step[n][0], "ids": [step[n][1]], "tokens": [step[n][0]]}
            for n in ("cls", "sep")
        }
        fields["post_processor"] = {
            "type": "TemplateProcessing",
            "single": parts[:3],
            "pair": parts,
            "special_tokens": tokens,
        }


def _marks_by_normalizer(fields: Fields) -> None:
    """Writes a Metaspace that puts no mark before a text and does not split as a Replace."""
    step = fields["pre_tokenizer"]
    if (
        step
        and step["type"] == "Metaspace"
        and step["prepend_scheme"] == "never"
        and not step["split"]
    ):
        fields["pre_tokenizer"] = None
        fields["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}


def _other_order_of_marks(fields: Fields) -> None:
    step = fields["normalizer"]
    if step and [one["type"] for one in step.get("normalizers", [])] == ["Prepend", "Replace"]:
        step["normalizers"].reverse()


def _any_of(spans: str) -> str:
    """Returns a pattern for one character of a set that is written as "0021 0024-002F"."""
    runs = ["-".join(f"\\x{{{end}}}" for end in run.split("-")) for run in spans.split()]
    return f"[{''.join(runs)}]"


def _split_for_class(fields: Fields) -> None:
    """Writes steps that split at the characters of a class as a Split at what they split at.

    Oniguruma's classes of digits and punctuation are not the same sets.
    """
    for step in _steps(fields, "Digits", "WhitespaceSplit", "Punctuation"):
        kind = step["type"]
        pattern, behavior = r"\s+", "Removed"
        if kind == "Digits":
            more = "" if step.pop("individual_digits") else "+"
            pattern, behavior = f"{_any_of(NUMERIC)}{more}", "Isolated"
        elif kind == "Punctuation":
            pattern, behavior = _any_of(PUNCTUATION), step["behavior"]
        step.update(type="Split", pattern={"Regex": pattern}, behavior=behavior, invert=False)


def _contiguous_digits(fields: Fields) -> None:
    """Writes Digits as a Split of single digits that are put together."""
    for step in _steps(fields, "Digits"):
        if not step["individual_digits"]:
            del step["individual_digits"]
            pattern = {"Regex": _any_of(NUMERIC)}
            step.update(type="Split", pattern=pattern, behavior="Contiguous", invert=True)


def _old_metaspace(fields: Fields) -> None:
    for step in _steps(fields, "Metaspace"):
        step["str_rep"] = step["replacement"]
        step["add_prefix_space"] = step["prepend_scheme"] != "never"


def _no_version(fields: Fields) -> None:
    del fields["version"]


def _isolated_inverted(fields: Fields) -> None:
    for step in _steps(fields, "Split"):
        if step["behavior"] == "Isolated":
            step["invert"] = True


def _removed_between(fields: Fields) -> None:
    """Removes what a pattern of which nothing is left out does not match."""
    for step in _steps(fields, "Split"):
        if step["pattern"].get("Regex") == LLAMA3 and step["behavior"] == "Isolated":
            step.update(behavior="Removed", invert=True)


FORMS: dict[str, Edit] = {
    "a nested normalizer": _nested("normalizer", "normalizers"),
    "a nested pre-tokenizer": _nested("pre_tokenizer", "pretokenizers"),
    "a nested decoder": _decoder_nested,
    "Regex for String": _regex_for_string,
    "digits spelled out": _patterns(_spelled_out),
    "digits longest first": _patterns(_longest_first),
    "properties in classes": _patterns(_in_classes),
    "a pattern in a group": _patterns(_in_group),
    "a pattern in a capture": _patterns(_captured),
    "one and more": _patterns(_doubled_class),
    "an interval": _patterns(_starred),
    "the pattern of ByteLevel": _own_split,
    "offsets": _trimmed,
    "merges as text": _merges_as_text,
    "no defaults": _bare_model,
    "no type": _untyped,
    "entries in another order": _shuffled,
    "an unknown token of bytes": _unknown_of_bytes,
    "normalized tokens": _normalized_tokens,
    "a step twice": _twice,
    "an idle step": _idle_strip,
    "merges that do not meet": _apart,
    "BERT's accents": _bert_accents,
    "another processor": _other_processor,
    "a Replace for Metaspace": _marks_by_normalizer,
    "marks in another order": _other_order_of_marks,
    "a Split at no space": _at_no_space,
    "a Split for a class": _split_for_class,
    "a contiguous Split for Digits": _contiguous_digits,
    "an older Metaspace": _old_metaspace,
    "no version": _no_version,
    "an inverted Split": _isolated_inverted,
    "nothing left to remove": _removed_between,
}
"""Edits that change the form of a file only; what they do not apply to they leave as it is."""


def form_pairs() -> list[tuple[str, str]]:
    """Returns the kinds, and the edits of `FORMS` that change their files."""
    found = []
    for kind in KINDS:
        for name, edit in FORMS.items():
            fields = fields_of(kind)
            before = copy.deepcopy(fields)
            edit(fields)
            changed = json.dumps(fields) != json.dumps(before)
            if changed:
                found.append((kind, name))
    return found
