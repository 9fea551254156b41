"""What kitoken makes of a `tokenizer.json`: it translates the stages into its own, where some do not exist.

Not known here: the unknown token itself in a text, which becomes one with unknown characters beside it.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.comparing.readers.json_steps import (
    NORMALIZER,
    POST_PROCESSOR,
    PRE_TOKENIZER,
    PUNCTUATION,
    Step,
    before_lowercase,
    change_patterns,
    drop_flags,
    first_unknown_type,
    leaves_unknowns,
    missing_bytes,
    model_type,
    patterns_of,
    put_steps,
    replace_steps,
    replacing,
    space_before,
    splitting,
    steps_of,
    to_bytes,
)
from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderRule
from tokenarium_core.comparing.readers.regex_escapes import (
    escapes_of,
    possessive_intervals,
    replace_escapes,
)

_SOURCE: Final = "src/convert/tokenizers.rs in Systemcluster/kitoken"

_NORMALIZERS: Final = frozenset(
    [
        "BertNormalizer",
        "StripNormalizer",
        "StripAccents",
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "Lowercase",
        "Nmt",
        "Precompiled",
        "Replace",
        "Prepend",
    ]
)
_PRE_TOKENIZERS: Final = frozenset(
    [
        "BertPreTokenizer",
        "ByteLevel",
        "Delimiter",
        "Metaspace",
        "Whitespace",
        "Split",
        "Punctuation",
        "WhitespaceSplit",
        "Digits",
        "UnicodeScripts",
    ]
)
_BYTE_LEVEL: Final = r"'(?:[sdmt]|ll|ve|re)|\s?\p{L}+|\s?\p{N}+|\s?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_WORD: Final = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}"
_OUTSIDE: Final = {
    r"\w": f"[{_WORD}]",
    r"\W": f"[^{_WORD}]",
    r"\b": f"(?:(?<![{_WORD}])(?=[{_WORD}])|(?<=[{_WORD}])(?![{_WORD}]))",
    r"\B": f"(?:(?<![{_WORD}])(?![{_WORD}])|(?<=[{_WORD}])(?=[{_WORD}]))",
}
_INSIDE: Final = {
    r"\w": _WORD,
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:alnum:]": "0-9A-Za-z",
    "[:space:]": r"\t\n\x0b\x0c\r ",
}
_GROUPS: Final = re.compile(r"\$(?:\w+|\{\w+\})")


def _types(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if any(step.get("type") == "Nmt" for step in steps_of(fields, NORMALIZER)):
        draft.unknown = "Which characters its Nmt removes is not known here."
        return True
    kind = model_type(fields)
    if kind == "WordLevel":
        draft.refusal = "data did not match any variant of untagged enum Model"
        return True
    for stage, known in ((NORMALIZER, _NORMALIZERS), (PRE_TOKENIZER, _PRE_TOKENIZERS)):
        unknown = first_unknown_type(fields, stage, known)
        if unknown:
            draft.refusal = f"failed to parse tokenizers definition: unknown variant `{unknown}`"
            return True
    return False


def _scores(draft: ReaderDraft) -> bool:
    fields = draft.json()
    model = fields["model"]
    if model_type(fields) != "Unigram" or not model.get("byte_fallback"):
        return False
    pieces = {entry[0] for entry in model["vocab"]}
    if any(f"<0x{byte:02X}>" in pieces and chr(byte) in pieces for byte in range(128)):
        draft.refusal = (
            "encoder and scores must have the same length in unigram mode and every token must have a"
            " score"
        )
    else:
        draft.unknown = "In which order it has the bytes of a character is not known here."
    return True


def _unknowns(draft: ReaderDraft) -> bool:
    if not leaves_unknowns(draft.json()):
        return False
    draft.unknown = "An unknown character stays between its neighbours, which cannot be run here."
    return True


def _joined(draft: ReaderDraft) -> bool:
    fields = draft.json()
    model = fields["model"]
    if model_type(fields) != "BPE" or not missing_bytes(fields) or not model.get("fuse_unk"):
        return False
    draft.unknown = "That cannot be run here."
    return True


def _merges(draft: ReaderDraft) -> bool:
    """Adds a merge for each two entries that are together another one, beside the merge that the file has for it."""
    fields = draft.json()
    if model_type(fields) != "BPE":
        return False
    model = fields["model"]
    vocab = model["vocab"]
    made: dict[str, None] = {}
    own: set[tuple[str, str]] = set()
    for merge in model.get("merges") or []:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        own.add((left, right))
        made[left + right] = None
    merges: list[list[str]] = []
    for piece in made:
        cuts = [(piece[:size], piece[size:]) for size in range(1, len(piece))]
        merges += [[left, right] for left, right in cuts if left in vocab and right in vocab]
    if len(merges) <= len(own):
        return False
    model["merges"] = merges
    return True


def _around(draft: ReaderDraft) -> bool:
    fields = draft.json()
    steps = steps_of(fields, POST_PROCESSOR)
    if all(step.get("type") == "ByteLevel" for step in steps):
        return False
    put_steps(fields, POST_PROCESSOR, [step for step in steps if step["type"] == "ByteLevel"])
    return True


def _flags(draft: ReaderDraft) -> bool:
    return drop_flags(draft.json(), "single_word", "lstrip", "rstrip")


def _hidden(draft: ReaderDraft) -> bool:
    """Spells the added tokens that never match as what is in no text, so that all keep their ids."""
    fields = draft.json()
    forms = {token.id: token.form for token in draft.file.tokenizer.added_tokens.tokens}
    vocab = fields["model"]["vocab"]
    first: list[str] = []
    found = False
    for token in fields.get("added_tokens") or []:
        content = str(token["content"])
        form = forms.get(int(token["id"]))
        changed = bool(token.get("normalized")) and form not in (None, content.encode())
        if changed or any(content.startswith(other) for other in first):
            token["content"] = f"\ufdd0{content}"
            token["normalized"] = False
            found = True
        elif isinstance(vocab, dict) and content not in vocab:
            first.append(content)
    return found


def _dollars(draft: ReaderDraft) -> bool:
    found = False
    for step in steps_of(draft.json(), NORMALIZER):
        content = str(step.get("content", ""))
        changed = "$".join([_GROUPS.sub("", part) for part in content.split("$$")])
        if step["type"] != "Replace" or changed == content:
            continue
        if "(" in str(step["pattern"].get("Regex", "")):
            draft.unknown = (
                f"The replacement {content!r} refers to groups, which cannot be run here."
            )
            return True
        step["content"] = changed
        found = True
    return found


def _prefix(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if model_type(fields) != "BPE" or not fields["model"].get("continuing_subword_prefix"):
        return False
    draft.unknown = "Which merges it does then is not known here."
    return True


def _as_in_rust(pattern: str) -> str:
    return replace_escapes(pattern, _OUTSIDE, _INSIDE)


def _classes(draft: ReaderDraft) -> bool:
    fields = draft.json()
    for pattern in patterns_of(fields):
        for escape in escapes_of(pattern):
            if escape == r"[\W" or (escape.startswith("[:") and escape not in _INSIDE):
                draft.unknown = f"What {escape.removeprefix('[')} is in a class cannot be run here."
                return True
    return change_patterns(fields, _as_in_rust)


def _intervals(draft: ReaderDraft) -> bool:
    return change_patterns(draft.json(), possessive_intervals)


def _scripts(draft: ReaderDraft) -> bool:
    if not any(step["type"] == "UnicodeScripts" for step in steps_of(draft.json(), PRE_TOKENIZER)):
        return False
    draft.unknown = "Where it splits is not known here."
    return True


def _sigma(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), NORMALIZER, before_lowercase)


def _not_inverted(step: Step) -> list[Step] | None:
    if step["type"] != "Split" or not step.get("invert") or step.get("behavior") == "Removed":
        return None
    return [{**step, "invert": False}]


def _inverted(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _not_inverted)


def _byte_level(draft: ReaderDraft) -> bool:
    fields = draft.json()
    steps = steps_of(fields, PRE_TOKENIZER)
    before = [str(step["type"]) for step in steps]
    if "ByteLevel" not in before:
        return False
    found = before[-1] != "ByteLevel"
    made: list[Step] = []
    last: list[Step] = []
    for step in steps:
        if step["type"] != "ByteLevel":
            made.append(step)
            continue
        if step.get("add_prefix_space"):
            made.insert(0, space_before())
            found = found or len(before) > 1
        if step.get("use_regex", True):
            made.append(splitting(_BYTE_LEVEL))
            found = True
        last = [to_bytes(step)]
    put_steps(fields, PRE_TOKENIZER, made + last)
    return found


def _whitespace_split(draft: ReaderDraft) -> bool:
    fields = draft.json()
    steps = steps_of(fields, PRE_TOKENIZER)
    others = [step for step in steps if step["type"] != "WhitespaceSplit"]
    if len(others) == len(steps):
        return False
    put_steps(fields, PRE_TOKENIZER, [splitting(" ", "MergedWithNext"), *others])
    more = [replacing(r"\s+", " "), replacing(r"\A +", ""), replacing(r" +\z", "")]
    put_steps(fields, NORMALIZER, steps_of(fields, NORMALIZER) + more)
    return True


def _at_the_first(step: Step) -> list[Step] | None:
    if step["type"] != "Metaspace" or not step.get("split", True):
        return None
    mark = re.escape(step.get("replacement", "\u2581"))
    return [{**step, "split": False}, splitting(f"{mark}+", "MergedWithNext")]


def _newer_signs(step: Step) -> list[Step] | None:
    if step["type"] == "BertPreTokenizer":
        return [splitting(r"\s", "Removed"), splitting(f"[{PUNCTUATION}]")]
    if step["type"] == "Punctuation":
        return [splitting(f"[{PUNCTUATION}]", step.get("behavior", "Isolated"))]
    return None


def _punctuation(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _newer_signs)


def _metaspace(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _at_the_first)


KITOKEN: Final = Reader(
    "kitoken",
    "0.11.1",
    ("huggingface",),
    (
        ReaderRule(
            "ki-types",
            "WordLevel models are refused, and so are the normalizers Strip and ByteLevel and the pre-tokenizers"
            " CharDelimiterSplit and FixedLength.",
            _SOURCE,
            _types,
        ),
        ReaderRule(
            "ki-scores",
            "A Unigram model with byte fallback is refused if it has a byte and the same ASCII character as pieces.",
            _SOURCE,
            _scores,
        ),
        ReaderRule(
            "ki-unknowns",
            "A character without an entry and without an unknown token stays between its neighbours, which are not merged.",
            _SOURCE,
            _unknowns,
        ),
        ReaderRule(
            "ki-joined",
            "With fuse_unk, unknown characters of neighbouring pre-tokens become one token.",
            _SOURCE,
            _joined,
        ),
        ReaderRule(
            "ki-merges",
            "The list of merges is read for its order: two entries are merged wherever they are an entry together, also"
            " without a merge.",
            _SOURCE,
            _merges,
        ),
        ReaderRule("ki-around", "No ids are put around a text.", _SOURCE, _around),
        ReaderRule(
            "ki-flags",
            "The options single_word, lstrip and rstrip of added tokens are not read: they match inside words, and strip"
            " nothing.",
            _SOURCE,
            _flags,
        ),
        ReaderRule(
            "ki-hidden",
            "Of two added tokens that begin alike, the first in the file is taken, not the longest; and one that is matched in"
            " the normalized text is not normalized itself.",
            _SOURCE,
            _hidden,
        ),
        ReaderRule(
            "ki-dollar",
            "In the text that a Replace normalizer inserts, $ and a name or number stand for a group.",
            _SOURCE,
            _dollars,
        ),
        ReaderRule(
            "ki-prefix",
            "BPE does not read continuing_subword_prefix.",
            _SOURCE,
            _prefix,
        ),
        ReaderRule(
            "ki-intervals",
            "A plus sign after an interval, as in {1,3}+, makes it possessive; Oniguruma repeats it, so that there is no limit.",
            _SOURCE,
            _intervals,
        ),
        ReaderRule(
            "ki-classes",
            r"Classes of patterns are those of Rust: \w has the joiners U+200C and U+200D, and [:alpha:] is ASCII.",
            _SOURCE,
            _classes,
        ),
        ReaderRule(
            "ki-sigma",
            "Lowercasing makes a final sigma (\u03c2) of a \u03a3 at the end of a word.",
            _SOURCE,
            _sigma,
        ),
        ReaderRule(
            "ki-scripts", "UnicodeScripts splits between other characters.", _SOURCE, _scripts
        ),
        ReaderRule(
            "ki-inverted",
            "The option invert of Split is read for Removed only.",
            _SOURCE,
            _inverted,
        ),
        ReaderRule(
            "ki-punctuation",
            "BertPreTokenizer and Punctuation have the punctuation of newer Unicode versions, such as U+061D.",
            _SOURCE,
            _punctuation,
        ),
        ReaderRule(
            "ki-whitespace-split",
            "WhitespaceSplit keeps a space before each word but the first.",
            _SOURCE,
            _whitespace_split,
        ),
        ReaderRule(
            "ki-metaspace",
            "Metaspace splits only at the first of several marks.",
            _SOURCE,
            _metaspace,
        ),
        ReaderRule(
            "ki-byte-level",
            "ByteLevel joins any white space to the word after it, not only a space; it puts its space before a text only, and"
            " what follows it splits characters, not bytes.",
            _SOURCE,
            _byte_level,
        ),
    ),
    compared="2026-11-30",
    about="Kitoken.from_tokenizers_file(path).encode(text, True)",
)
