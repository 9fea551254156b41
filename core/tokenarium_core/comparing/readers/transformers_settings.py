"""What both versions of transformers do with the settings beside a `tokenizer.json`: the tokens that they add to it."""

from __future__ import annotations

from typing import Any, Final

from tokenarium_core.comparing.readers.reader import ReaderDraft, ReaderFile, ReaderRule
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.hf.hf_slow_builder import SlowBuilder
from tokenarium_core.formats.hf.hf_slow_settings import (
    ATTRIBUTES,
    OwnCode,
    SlowSettings,
    SlowToken,
    text_of,
)
from tokenarium_core.formats.settings_files import CONFIG

AROUND = ("add_bos_token", "add_eos_token")
"""The settings about the ids around a text."""

MISTRAL_TYPES: Final = (
    "mistral", "mistral3", "voxtral", "ministral", "pixtral", "ministral3", "mixtral",
)  # fmt: skip
"""The types of models that are Mistral's; the first five are those whose pattern is looked at."""

_MISTRAL_PATTERN: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LARGE: Final = 100_000  # entries from which on the pattern is looked at


def takes(file: ReaderFile) -> str:
    """Returns why ``AutoTokenizer`` does not open a file; empty if it does."""
    if file.is_folder and (file.configured or file.whole is not None):
        return ""
    return f"AutoTokenizer opens folders with {CONFIG} or config.json."


def stored_tokens(fields: dict[str, Any]) -> dict[int, SlowToken]:
    """Returns the added tokens of a `tokenizer.json` by their ids."""
    tokens: dict[int, SlowToken] = {}
    for stored in fields.get("added_tokens") or []:
        tokens[int(stored["id"])] = SlowToken(
            stored["content"],
            bool(stored.get("special", False)),
            stored.get("normalized"),
            bool(stored.get("lstrip", False)),
            bool(stored.get("rstrip", False)),
            bool(stored.get("single_word", False)),
        )
    return tokens


def settings_with_tokens(file: ReaderFile, fields: dict[str, Any]) -> SlowSettings:
    """Returns the settings of a folder with a `tokenizer.json`: without ``added_tokens_decoder``, that file's tokens count too."""
    settings = file.settings()
    if "added_tokens_decoder" not in settings.origins:
        settings.added.update(stored_tokens(fields))
    by_content = {token.content: token for token in settings.added.values()}
    for name in ATTRIBUTES:
        value = settings.values.get(name)
        if value is not None:
            settings.values[name] = by_content.get(text_of(value), value)
    for name in AROUND:  # the file decides
        settings.values.pop(name, None)
    return settings


def tokens_of_settings(
    fields: dict[str, Any], settings: SlowSettings, defaults: dict[str, str]
) -> list[dict[str, Any]]:
    """Returns the added tokens of a `tokenizer.json` after those of the settings are added to them.

    ``defaults`` are the special tokens that the class has where the settings do not name them.
    """
    before = list(fields.get("added_tokens") or [])
    own = stored_tokens(fields)
    named = {token.content for token in settings.added.values()}
    others = {id: token for id, token in own.items() if token.content not in named}
    builder = SlowBuilder(settings)
    builder.vocabulary = vocabulary_of(fields)
    builder.post_processor = fields.get("post_processor") or {}
    builder.add([token for _, token in sorted(own.items())])
    settings.added = {**others, **settings.added}
    known = {token.content: token for token in others.values()}
    for name, content in defaults.items():
        if name not in builder.values:
            builder.values[name] = content
    for name in ATTRIBUTES:  # a token that the file has is not added once more
        value = builder.values.get(name)
        if value is not None and text_of(value) in known:
            builder.values[name] = known[text_of(value)]
    builder.finish()
    after: list[dict[str, Any]] = builder.fields()["added_tokens"]
    last: dict[str, dict[str, Any]] = {}
    for token in [*before, *after]:
        last[token["content"]] = token
    return list(last.values())


def vocabulary_of(fields: dict[str, Any]) -> dict[str, int]:
    """Returns the entries of the model of a `tokenizer.json` with their ids."""
    vocab = fields["model"]["vocab"]
    if isinstance(vocab, list):
        return {entry[0]: id for id, entry in enumerate(vocab)}
    return dict(vocab)


def add_tokens(draft: ReaderDraft, settings: SlowSettings, defaults: dict[str, str]) -> bool:
    """Adds the tokens of the settings to the draft; returns whether that changes one."""
    fields = draft.json()
    before = {token["content"]: _form(token) for token in fields.get("added_tokens") or []}
    tokens = tokens_of_settings(fields, settings, defaults)
    changed = [token["content"] for token in tokens if before.get(token["content"]) != _form(token)]
    if not changed:
        return False
    fields["added_tokens"] = tokens
    shown = ", ".join([repr(content) for content in changed[:3]])
    more = f" and {len(changed) - 3:,} more" if len(changed) > 3 else ""
    draft.note = f"These are {shown}{more}."
    return True


def _form(token: dict[str, Any]) -> list[Any]:
    """Returns what of an added token affects ids."""
    flags = [bool(token.get(name, False)) for name in ("single_word", "lstrip", "rstrip")]
    normalized = token.get("normalized")
    if normalized is None:
        normalized = not token.get("special", False)
    return [token["id"], *flags, bool(normalized)]


def _own_code(draft: ReaderDraft) -> bool:
    """Refuses a folder whose class is code in it."""
    try:
        draft.file.settings()
    except OwnCode:
        draft.refusal = (
            "The tokenizer is made by code in the folder (auto_map), which transformers runs only with"
            " trust_remote_code=True."
        )
        return True
    except TokenariumError:
        pass  # another rule says so
    return False


def _mistral(draft: ReaderDraft) -> bool:
    """Replaces the pattern where the settings ask for that."""
    file = draft.file
    if file.format != "huggingface" or not file.configured:
        return False
    if file.config().get("fix_mistral_regex") is not True or not _patched(file):
        return False
    fields = draft.json()
    if len(vocabulary_of(fields)) <= _LARGE or not fields.get("pre_tokenizer"):
        return False
    _mistral_stage(fields)
    return True


def _patched(file: ReaderFile) -> bool:
    """Returns whether transformers looks at the pattern of a folder: that of a Mistral, saved by a version before 5."""
    config = file.config("config.json")
    if not config:
        return False
    version = str(config.get("transformers_version") or "0")
    kind = config.get("model_type")
    return int(version.partition(".")[0] or 0) < 5 and (kind is None or kind in MISTRAL_TYPES[:5])


def _mistral_stage(fields: dict[str, Any]) -> None:
    """Puts Mistral's pattern in the place of the first pre-tokenizer, or before it."""
    split = {
        "type": "Split",
        "pattern": {"Regex": _MISTRAL_PATTERN},
        "behavior": "Isolated",
        "invert": False,
    }
    current = fields["pre_tokenizer"]
    if current.get("type") == "Sequence":
        current["pretokenizers"] = [split, *current["pretokenizers"][1:]]
        return
    if current.get("type") == "Metaspace":
        current = {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": False,
        }
    fields["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, current]}


OWN_CODE_RULE: Final = ReaderRule(
    "own-code",
    "A folder whose tokenizer is code in it is opened only with trust_remote_code.",
    "resolve_trust_remote_code of transformers",
    _own_code,
)
MISTRAL_RULE: Final = ReaderRule(
    "mistral-pattern",
    "With fix_mistral_regex in the settings, Mistral's pattern replaces the first pre-tokenizer.",
    "_patch_mistral_regex of transformers 4.57.6 and 5.24",
    _mistral,
)
