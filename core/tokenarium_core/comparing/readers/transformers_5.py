"""transformers 5 as a reader: what ``AutoTokenizer.from_pretrained`` makes of a folder with a `tokenizer.json`.

The class that the settings name counts. A class with an ``__init__`` of its own takes the entries, the merges and the
post-processor of the `tokenizer.json`, and its own stages; any other class runs the file. A folder without a
`tokenizer.json` is opened as in this library (`hf_slow_folder`), which follows the same code.

Sources: transformers 5.24, ``models/auto/tokenization_auto.py`` and ``TokenizersBackend.convert_to_native_format`` in
``tokenization_utils_tokenizers.py``.
"""

from __future__ import annotations

from typing import Any, Final

from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderFile, ReaderRule
from tokenarium_core.comparing.readers.sentencepiece_backend import fields_of_model
from tokenarium_core.comparing.readers.transformers_settings import (
    MISTRAL_RULE,
    MISTRAL_TYPES,
    OWN_CODE_RULE,
    add_tokens,
    settings_with_tokens,
    takes,
    vocabulary_of,
)
from tokenarium_core.comparing.readers.unigram_classes import UNIGRAM_CLASSES, of_entries
from tokenarium_core.errors import FormatError
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
from tokenarium_core.formats.hf.hf_slow_settings import GENERIC, SlowSettings
from tokenarium_core.formats.hf.hf_slow_words import OTHER_WORD_CLASSES, of_other_words
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import SentencePieceSettings
from tokenarium_core.unicode import byte_alphabet

_CODE: Final = "tokenization_auto.py and tokenization_utils_tokenizers.py of transformers 5.24"

_FORMATS: Final = ("huggingface", "model folder", "tekken")
_ABOUT: Final = "AutoTokenizer.from_pretrained, without mistral-common"

_WITHOUT_INIT: Final = ("FNetTokenizer", "ParakeetTokenizer", GENERIC)
"""The classes that run a `tokenizer.json` as it is."""

_LLAMA: Final = ("LlamaTokenizer", "LlamaTokenizerFast")
_NEOX: Final = "GPTNeoXTokenizer"
_BPE_PIECES: Final = ("LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer", "Siglip2Tokenizer")
_AROUND_OF_FILE: Final = ("CodeGenTokenizer",)
"""The classes that set a post-processor before they take that of the file."""


def class_of(file: ReaderFile, settings: SlowSettings) -> str:
    """Returns the class that opens a folder with a `tokenizer.json`."""
    wrong = settings.model_type in MISNAMED.split()
    if settings.named in _LLAMA and not wrong and settings.model_type not in MISTRAL_TYPES:
        stages = [file.fields().get(name) for name in ("pre_tokenizer", "decoder", "normalizer")]
        if "ByteLevel" in repr(stages):
            return GENERIC
    return settings.kind


def _python_class(draft: ReaderDraft) -> bool:
    """Ignores the `tokenizer.json` where the class is code in Python."""
    file = draft.file
    if file.whole is None or not file.configured:
        return False
    kind = file.settings().kind
    own = kind in OWN_CLASSES
    if kind not in PYTHON_CLASSES.split() and not own:
        return False
    if file.format == "huggingface" or own:
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
    settings.values.pop("fix_mistral_regex", None)  # a rule of its own
    builder = SlowBuilder(settings)
    builder.post_processor = None if kind == _NEOX else fields.get("post_processor")
    around = builder.post_processor
    try:
        scores = _build(builder, kind, fields, draft)
    except FormatError as error:
        if "transformers also refuses" in str(error):
            draft.refusal = str(error).partition(": transformers also")[0] + "."
            return True
        raise
    if draft.ended or _lacks_unknown(draft, kind, builder.model, builder.vocabulary):
        return True
    if _lacks_merged(draft, kind, builder.model, builder.vocabulary):
        return True
    if kind in _AROUND_OF_FILE and around is not None:
        builder.post_processor = around
    made = builder.fields()
    made["truncation"] = fields.get("truncation")
    made["padding"] = fields.get("padding")
    draft.note = f"The class is {kind}."
    draft.replace(made, scores)
    return True


def _lacks_unknown(
    draft: ReaderDraft, kind: str, model: dict[str, Any], vocabulary: dict[str, int]
) -> bool:
    """Refuses a model whose unknown token is no entry, unless its entries are all that texts are made of."""
    unknown = model.get("unk_token")
    if not isinstance(unknown, str) or unknown in vocabulary:
        return False
    bytes_of = [*byte_alphabet.CHARACTERS]
    if model.get("byte_fallback"):
        bytes_of = [f"<0x{byte:02X}>" for byte in range(256)]
    if model["type"] != "WordPiece" and all(entry in vocabulary for entry in bytes_of):
        return False
    draft.refusal = f"{kind} stops at each text that needs the unknown token, which is {unknown!r} and no entry of the file."
    return True


def _lacks_merged(
    draft: ReaderDraft, kind: str, model: dict[str, Any], vocabulary: dict[str, int]
) -> bool:
    """Refuses merges that make no entry without the prefix that the file's model has, and the class's has not."""
    if model["type"] != "BPE" or model.get("continuing_subword_prefix"):
        return False
    for left, right in model["merges"]:
        if left + right not in vocabulary:
            draft.refusal = f"{kind} joins the parts of merges as they are: {left + right!r:.60} would be one, and is no entry."
            return True
    return False


def _build(
    builder: SlowBuilder, kind: str, fields: dict[str, Any], draft: ReaderDraft
) -> list[float] | None:
    """Builds a class of the entries of a `tokenizer.json`; returns the scores of a Unigram model."""
    model = fields["model"]
    vocabulary = vocabulary_of(fields)
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
        trainer = SentencePieceSettings("trainer_spec")
        of_pieces(builder, kind, SlowPieces([(piece, 0.0, 1) for piece in listed], trainer, b""))
        builder.model["merges"] = merges
    elif kind in UNIGRAM_CLASSES:
        if not isinstance(model["vocab"], list):
            draft.refusal = f"{kind} needs the entries of a Unigram model, and this file has a {model.get('type')} model."
            return None
        return of_entries(builder, kind, fields)
    else:
        draft.unknown = f"What {kind} makes of a tokenizer.json is not known here."
    return None


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


def _tekken(draft: ReaderDraft) -> bool:
    """Says that the conversion of Mistral's own file is not known."""
    if draft.file.format != "tekken":
        return False
    draft.unknown = (
        "How it converts a tekken.json, or has mistral-common read it, is not compared here."
    )
    return True


def _backend(draft: ReaderDraft) -> bool:
    """Opens a SentencePiece model in a class without stages of its own as from 5.24 on."""
    file = draft.file
    if file.format != "model folder" or not file.main.name.endswith(".model"):
        return False
    settings = file.settings()
    if settings.kind not in _WITHOUT_INIT:
        return False
    settings.values.pop("fix_mistral_regex", None)
    fields, scores = fields_of_model(settings, file.main)
    draft.replace(fields, scores)
    draft.note = f"The class is {settings.kind}."
    return True


_RULES: Final = (
    ReaderRule(
        "tekken",
        "A folder with Mistral's tekken.json and a config.json is opened by mistral-common, where that is installed, or converted.",
        _CODE,
        _tekken,
    ),
    OWN_CODE_RULE,
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
    MISTRAL_RULE,
)

TRANSFORMERS_5_23: Final = Reader(
    "transformers",
    "5.23.0",
    _FORMATS,
    _RULES,
    takes,
    compared="2026-11-30",
    about=_ABOUT,
)
TRANSFORMERS_5: Final = Reader(
    "transformers",
    "5.24.0",
    _FORMATS,
    (
        *_RULES,
        ReaderRule(
            "model-rules",
            "From 5.24 on, classes without stages of their own follow the settings of a SentencePiece model: white space that it"
            " removes, the space before a text, and merges by scores. Before, they did not.",
            "SpmConverter.build_tokenizer_from_spm_proto of transformers 5.24",
            _backend,
        ),
    ),
    takes,
    compared="2026-11-30",
    about=_ABOUT,
)
