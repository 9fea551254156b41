"""transformers 5 as a reader: what ``AutoTokenizer.from_pretrained`` makes of a folder with a `tokenizer.json`.

The class that the settings name counts. A class with an ``__init__`` of its own takes the entries, the merges and the
post-processor of the `tokenizer.json`, and its own stages; any other class runs the file. A folder without a
`tokenizer.json` is opened as in this library (`hf_slow_folder`), which follows the same code.

Sources: transformers 5.24, ``models/auto/tokenization_auto.py`` and ``TokenizersBackend.convert_to_native_format`` in
``tokenization_utils_tokenizers.py``.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderFile, ReaderRule
from tokenarium_core.comparing.readers.transformers_settings import (
    add_tokens,
    settings_with_tokens,
    takes,
    vocabulary_of,
)
from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.formats.hf.hf_class_data import MISNAMED
from tokenarium_core.formats.hf.hf_slow_builder import SlowBuilder, SlowPieces
from tokenarium_core.formats.hf.hf_slow_classes import (
    PAIR_CLASSES,
    PYTHON_CLASSES,
    WORDPIECE_CLASSES,
    of_pair,
    of_pieces,
    of_wordpiece,
)
from tokenarium_core.formats.hf.hf_slow_folder import OWN_CLASSES
from tokenarium_core.formats.hf.hf_slow_pairs import OTHER_PAIR_CLASSES, of_other_pair
from tokenarium_core.formats.hf.hf_slow_settings import GENERIC, OwnCode, SlowSettings
from tokenarium_core.formats.hf.hf_slow_unigram import of_unigram
from tokenarium_core.formats.hf.hf_slow_words import OTHER_WORD_CLASSES, of_other_words
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import SentencePieceSettings

_CODE: Final = "tokenization_auto.py and tokenization_utils_tokenizers.py of transformers 5.24"

_WITHOUT_INIT: Final = ("FNetTokenizer", "ParakeetTokenizer", GENERIC)
"""The classes that run a `tokenizer.json` as it is."""

_LLAMA: Final = ("LlamaTokenizer", "LlamaTokenizerFast")
_NEOX: Final = "GPTNeoXTokenizer"
_BPE_PIECES: Final = ("LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer", "Siglip2Tokenizer")
_MISTRAL: Final = (
    "mistral",
    "mistral3",
    "voxtral",
    "ministral",
    "pixtral",
    "ministral3",
    "mixtral",
)

_CUT_ENDS: Final = {
    "T5Tokenizer": (0, 0),
    "AlbertTokenizer": (0, 0),
    "XLNetTokenizer": (0, 0),
    "DebertaV2Tokenizer": (0, 0),
    "XLMRobertaTokenizer": (1, 1),
    "CamembertTokenizer": (4, 1),
}
"""The classes of Unigram models, and how many entries at both ends `of_unigram` adds to those of a model by itself."""

_MISTRAL_PATTERN: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LARGE: Final = 100_000  # entries from which on the pattern is looked at


def class_of(file: ReaderFile, settings: SlowSettings) -> str:
    """Returns the class that opens a folder with a `tokenizer.json`."""
    wrong = settings.model_type in MISNAMED.split()
    if settings.named in _LLAMA and not wrong and settings.model_type not in _MISTRAL:
        stages = [file.fields().get(name) for name in ("pre_tokenizer", "decoder", "normalizer")]
        if "ByteLevel" in repr(stages):
            return GENERIC
    return settings.kind


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


def _python_class(draft: ReaderDraft) -> bool:
    """Ignores the `tokenizer.json` where the class is code in Python."""
    file = draft.file
    if file.whole is None or not file.configured:
        return False
    kind = file.settings().kind
    if kind not in PYTHON_CLASSES.split() and kind not in OWN_CLASSES:
        return False
    if file.format == "huggingface":
        draft.unknown = f"{kind} is code in Python that reads no tokenizer.json, and its ids for these files are not known here."
    return True


def _own_stages(draft: ReaderDraft) -> bool:
    """Replaces the stages of the `tokenizer.json` by those of the class."""
    file = draft.file
    if file.format != "huggingface" or not file.configured:
        return False
    fields = draft.json()
    settings = settings_with_tokens(file, fields)
    kind = class_of(file, settings)
    if kind in _WITHOUT_INIT:
        return False
    settings.kind = kind
    fix = settings.values.pop("fix_mistral_regex", None)
    builder = SlowBuilder(settings)
    builder.post_processor = None if kind == _NEOX else fields.get("post_processor")
    scores = _build(builder, kind, fields, draft)
    if draft.ended:
        return True
    made = builder.fields()
    made["truncation"] = fields.get("truncation")
    made["padding"] = fields.get("padding")
    if fix is True:
        _mistral_stage(made)
    draft.note = f"The class is {kind}."
    draft.replace(made, scores)
    return True


def _build(
    builder: SlowBuilder, kind: str, fields: dict[str, Any], draft: ReaderDraft
) -> list[float] | None:
    """Builds a class of the entries of a `tokenizer.json`; returns the scores of a Unigram model."""
    model = fields["model"]
    vocabulary = vocabulary_of(fields)
    scored = isinstance(model["vocab"], list)
    merges = _merges(model)
    if kind in PAIR_CLASSES:
        of_pair(builder, kind, vocabulary, merges)
    elif kind in OTHER_PAIR_CLASSES:
        of_other_pair(builder, kind, vocabulary, merges)
    elif kind in WORDPIECE_CLASSES:
        of_wordpiece(builder, vocabulary)
    elif kind in OTHER_WORD_CLASSES:
        of_other_words(builder, kind, vocabulary)
    elif kind in _BPE_PIECES:
        listed = sorted(vocabulary, key=vocabulary.__getitem__)
        if [vocabulary[piece] for piece in listed] != list(range(len(listed))):
            raise FormatError(f"{kind} is not known here for entries whose ids have gaps.")
        of_pieces(builder, kind, _pieces([(piece, 0.0) for piece in listed], fields))
        builder.model["merges"] = merges
    elif kind in _CUT_ENDS:
        if not scored:
            draft.refusal = f"{kind} needs the entries of a Unigram model, and this file has a {model.get('type')} model."
            return None
        return _unigram(builder, kind, fields)
    else:
        draft.unknown = f"What {kind} makes of a tokenizer.json is not known here."
    return None


def _unigram(builder: SlowBuilder, kind: str, fields: dict[str, Any]) -> list[float]:
    """Builds a class of a Unigram model, whose entries are those of the file, in their order."""
    entries = [(str(piece), float(score)) for piece, score in fields["model"]["vocab"]]
    first, last = _CUT_ENDS[kind]
    listed = entries[first : len(entries) - last]
    if kind == "T5Tokenizer":
        while listed and listed[-1][0].startswith("<extra_id_"):
            listed.pop()
    of_unigram(builder, kind, _pieces(listed, fields))
    if [piece for piece, _ in builder.model["vocab"]] != [piece for piece, _ in entries]:
        raise FormatError(f"The entries are not those that {kind} has in this order.")
    return [score for _, score in entries]


def _pieces(listed: list[tuple[str, float]], fields: dict[str, Any]) -> SlowPieces:
    trainer = SentencePieceSettings("trainer_spec")
    trainer.put("unk_id", int(fields["model"].get("unk_id") or 0))
    steps = fields.get("normalizer") or {}
    charsmap = b""
    for step in steps.get("normalizers", [steps]):
        if step.get("type") == "Precompiled":
            charsmap = base64.b64decode(step["precompiled_charsmap"] or "")
            break
    return SlowPieces([(piece, score, 1) for piece, score in listed], trainer, charsmap)


def _merges(model: dict[str, Any]) -> list[tuple[str, str]]:
    merges: list[tuple[str, str]] = []
    for merge in model.get("merges") or []:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        merges.append((left, right))
    return merges


def _added(draft: ReaderDraft) -> bool:
    """Adds the tokens that the settings name to those of the `tokenizer.json`."""
    file = draft.file
    if file.format != "huggingface" or not file.configured:
        return False
    fields = draft.json()
    settings = settings_with_tokens(file, fields)
    if class_of(file, settings) not in _WITHOUT_INIT:
        return False
    settings.values.pop("fix_mistral_regex", None)
    return add_tokens(draft, settings, {})


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
    return int(version.partition(".")[0] or 0) < 5 and (kind is None or kind in _MISTRAL[:5])


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


TRANSFORMERS_5: Final = Reader(
    "transformers",
    "5.24.0",
    ("huggingface", "model folder"),
    (
        ReaderRule(
            "own-code",
            "A folder whose tokenizer is code in it is opened only with trust_remote_code.",
            _CODE,
            _own_code,
        ),
        ReaderRule(
            "python-class",
            "Classes in Python do not read the tokenizer.json, but the vocabulary files beside it.",
            _CODE,
            _python_class,
        ),
        ReaderRule(
            "class-stages",
            "The class that the settings name takes the entries, merges and post-processor of the tokenizer.json; its"
            " normalizer, pre-tokenizer and model options replace those of the file.",
            _CODE,
            _own_stages,
        ),
        ReaderRule(
            "settings-tokens",
            "Special and added tokens of the settings are added to those of the tokenizer.json; their options replace"
            " those in the file.",
            _CODE,
            _added,
        ),
        ReaderRule(
            "mistral-pattern",
            "With fix_mistral_regex in the settings, Mistral's pattern replaces the first pre-tokenizer.",
            _CODE,
            _mistral,
        ),
    ),
    takes,
    compared="2026-11-30",
    about="AutoTokenizer.from_pretrained, without mistral-common",
)
