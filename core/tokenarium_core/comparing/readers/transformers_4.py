"""transformers 4 as a reader: what ``AutoTokenizer.from_pretrained`` makes of a folder with a `tokenizer.json`.

Its fast classes run the file, and change what their settings say: the tokens, ``add_prefix_space`` of a byte-level
pre-tokenizer, BERT's normalizer, and the ids around a text.

Sources: transformers 4.57.6, ``tokenization_auto.py``, ``PreTrainedTokenizerFast.__init__`` in ``tokenization_utils_fast.py`` and
``models/*/tokenization_*_fast.py``.
"""

from __future__ import annotations

from typing import Any, Final

from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderRule
from tokenarium_core.comparing.readers.transformers_4_data import (
    FAST_CLASSES,
    FAST_OF_MODELS,
    SLOW_CLASSES,
)
from tokenarium_core.comparing.readers.transformers_settings import (
    AROUND,
    MISTRAL_RULE,
    OWN_CODE_RULE,
    add_tokens,
    settings_with_tokens,
    takes,
    vocabulary_of,
)
from tokenarium_core.formats.hf.hf_slow_builder import SlowBuilder
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings, SlowToken, text_of
from tokenarium_core.formats.settings_files import CONFIG, MODEL_CONFIG

_CODE: Final = "tokenization_auto.py and tokenization_utils_fast.py of transformers 4.57.6"
_PLAIN: Final = "PreTrainedTokenizerFast"

_BERT: Final = [
    "BertTokenizerFast",
    "ConvBertTokenizerFast",
    "DistilBertTokenizerFast",
    "DPRContextEncoderTokenizerFast",
    "DPRQuestionEncoderTokenizerFast",
    "DPRReaderTokenizerFast",
    "ElectraTokenizerFast",
    "FunnelTokenizerFast",
    "LayoutLMTokenizerFast",
    "LxmertTokenizerFast",
    "MobileBertTokenizerFast",
    "SqueezeBertTokenizerFast",
]
_BERT_LOWER: Final = ["LayoutLMv2TokenizerFast", "MPNetTokenizerFast", "SplinterTokenizerFast"]
"""The classes that change BERT's normalizer; the last three leave Chinese characters to the file."""

_AROUND: Final = {
    "LlamaTokenizerFast": True,
    "CodeLlamaTokenizerFast": True,
    "GemmaTokenizerFast": True,
    "CohereTokenizerFast": True,
    "GPTNeoXTokenizerFast": False,
}
"""The classes that set the ids around a text, and whether a text begins with bos_token by default."""

_MASKS: Final = {
    "BartTokenizerFast": True,
    "LEDTokenizerFast": True,
    **dict.fromkeys(
        [
            "AlbertTokenizerFast",
            "BarthezTokenizerFast",
            "BlenderbotTokenizerFast",
            "CamembertTokenizerFast",
            "FNetTokenizerFast",
            "LayoutXLMTokenizerFast",
            "LongformerTokenizerFast",
            "RemBertTokenizerFast",
            "RobertaTokenizerFast",
            "XLMRobertaTokenizerFast",
            "XLNetTokenizerFast",
        ],
        False,
    ),
}
"""The classes whose mask token takes the white space before it, and whether it is matched in normalized text."""

_MORE: Final = {
    "CamembertTokenizerFast": "<s>NOTUSED </s>NOTUSED <unk>NOTUSED",
    "XLNetTokenizerFast": "<eop> <eod>",
}
"""The additional special tokens of classes."""

_UNKNOWN: Final = [
    "MBart50TokenizerFast",
    "MBartTokenizerFast",
    "NllbTokenizerFast",
    "PegasusTokenizerFast",
    "SeamlessM4TTokenizerFast",
    "XGLMTokenizerFast",
    "UdopTokenizerFast",
    "RoFormerTokenizerFast",
    "BigBirdTokenizerFast",
    "CpmTokenizerFast",
    "MarkupLMTokenizerFast",
    "LayoutLMv3TokenizerFast",
]
"""The classes whose tokens, or stages, are not compared here."""

_SLOW_IF_PREFIXED: Final = ("LlamaTokenizerFast", "T5TokenizerFast", "MT5TokenizerFast")
"""The classes that convert the vocabulary anew if ``add_prefix_space`` is set."""


def class_of(draft: ReaderDraft) -> str:
    """Returns the class that opens a folder; with a refusal in the draft, and an empty text, if there is none."""
    file = draft.file
    named = file.config().get("tokenizer_class") or file.config(MODEL_CONFIG).get("tokenizer_class")
    if not isinstance(named, str) or not named:
        kind = file.config(MODEL_CONFIG).get("model_type")
        for made, kinds in FAST_OF_MODELS.items():
            if kind in kinds.split():
                return made
        if file.has(MODEL_CONFIG):
            draft.refusal = f"Neither {CONFIG} nor {MODEL_CONFIG} names a class that it has."
        else:
            draft.unknown = f"Without {MODEL_CONFIG} and a class in {CONFIG}, it guesses the class from the path of the folder."
        return ""
    for name in (named if named.endswith("Fast") else f"{named}Fast", named):
        if name in FAST_CLASSES or name == _PLAIN or name in SLOW_CLASSES.split():
            return name
    draft.refusal = f"It has no tokenizer class {named}."
    return ""


def _class(draft: ReaderDraft) -> bool:
    """Refuses classes that transformers 4 lacks, and says which are not known."""
    kind = class_of(draft)
    if not kind:
        return True
    file = draft.file
    if kind in SLOW_CLASSES.split():
        draft.unknown = f"{kind} is code in Python, which is not compared with transformers 4 here."
    elif file.format != "huggingface":
        draft.unknown = f"How transformers 4 converts a vocabulary without a tokenizer.json for {kind} is not compared here."
    elif kind in _UNKNOWN:
        draft.unknown = f"What {kind} changes in a tokenizer.json is not compared here."
    elif kind in _SLOW_IF_PREFIXED and file.config().get("add_prefix_space") is not None:
        draft.unknown = f"With add_prefix_space, {kind} converts the vocabulary anew, which is not compared here."
    return draft.ended


def _extra_tokens(draft: ReaderDraft) -> bool:
    """Refuses extra_special_tokens as transformers 5 writes them."""
    config = draft.file.config()
    if "extra_special_tokens" not in config or isinstance(config["extra_special_tokens"], dict):
        return False
    draft.refusal = f"extra_special_tokens of {CONFIG} is not an object, as in settings that transformers 5 saves."
    return True


def _settings(draft: ReaderDraft, kind: str) -> SlowSettings:
    """Returns the settings as transformers 4 has them."""
    file = draft.file
    settings = settings_with_tokens(file, draft.json())
    settings.values.pop("fix_mistral_regex", None)
    settings.values.pop("model_specific_special_tokens", None)
    own = file.config().get("extra_special_tokens")
    if isinstance(own, dict) and own:
        settings.values["model_specific_special_tokens"] = dict(own)
    mask = settings.values.get("mask_token", _defaults(kind).get("mask_token"))
    if kind in _MASKS and isinstance(mask, str):
        settings.values["mask_token"] = SlowToken(mask, True, _MASKS[kind], lstrip=True)
    extra = settings.values.get("extra_special_tokens")
    if kind in _MORE and "extra_special_tokens" not in settings.values:
        settings.values["extra_special_tokens"] = _MORE[kind].split()
    if kind in _SLOW_IF_PREFIXED[1:]:
        tokens = list(extra) if isinstance(extra, list) else []
        if not any("<extra_id_" in text_of(token) for token in tokens):
            count = file.config().get("extra_ids", 100)
            tokens += [f"<extra_id_{number}>" for number in range(int(count))]
        settings.values["extra_special_tokens"] = tokens
    return settings


def _defaults(kind: str) -> dict[str, str]:
    """Returns the special tokens of a class by their names."""
    found: dict[str, str] = {}
    for pair in FAST_CLASSES.get(kind, "").split():
        name, _, content = pair.partition("=")
        found[name] = content
    return found


def _added(draft: ReaderDraft) -> bool:
    """Adds the tokens of the settings and of the class."""
    kind = class_of(draft)
    return add_tokens(draft, _settings(draft, kind), _defaults(kind))


def _prefix_space(draft: ReaderDraft) -> bool:
    """Sets ``add_prefix_space`` of the pre-tokenizer as the settings have it: false if they do not name it."""
    if class_of(draft) in _SLOW_IF_PREFIXED:
        return False  # in them it is null
    wanted = draft.file.config().get("add_prefix_space", False)
    stage = draft.json().get("pre_tokenizer")
    changed = False
    if isinstance(stage, dict) and stage.get("type") == "ByteLevel":
        if stage.get("add_prefix_space", True) != wanted and isinstance(wanted, bool):
            stage["add_prefix_space"] = wanted
            changed = True
    elif wanted is True and class_of(draft) in ("BloomTokenizerFast", "CohereTokenizerFast"):
        inner = stage.get("pretokenizers", []) if isinstance(stage, dict) else []
        for one in inner:
            if one.get("add_prefix_space") is False:
                one["add_prefix_space"] = True
                changed = True
    draft.note = f"It is {str(wanted).lower()} here."
    return changed


def _bert(draft: ReaderDraft) -> bool:
    """Sets the options of BERT's normalizer."""
    kind = class_of(draft)
    if kind not in _BERT and kind not in _BERT_LOWER:
        return False
    fields = draft.json()
    stage = fields.get("normalizer")
    if stage is None:
        draft.refusal = f"{kind} needs a normalizer, and the file has none."
        return True
    config = draft.file.config()
    options = {
        "lowercase": config.get("do_lower_case", True),
        "strip_accents": config.get("strip_accents"),
        "handle_chinese_chars": config.get("tokenize_chinese_chars", True),
    }
    if kind in _BERT_LOWER:
        del options["handle_chinese_chars"]
    changed = [name for name, value in options.items() if stage.get(name, value) != value]
    if not changed:
        return False
    if stage.get("type") != "BertNormalizer":
        draft.unknown = f"{kind} changes a normalizer that is not BERT's."
        return True
    stage.update(options)
    draft.note = f"Here, this changes {' and '.join(changed)}."
    return True


def _clip(draft: ReaderDraft) -> bool:
    """Refuses CLIP's class for files with another kind of pre-tokenizer, or of model."""
    if class_of(draft) != "CLIPTokenizerFast":
        return False
    stage = draft.json().get("pre_tokenizer") or {}
    if stage.get("type") != "Sequence":
        draft.refusal = "CLIPTokenizerFast needs a Sequence as the pre-tokenizer."
    elif draft.json()["model"].get("type") not in ("BPE", None):
        draft.refusal = "CLIPTokenizerFast needs a BPE model."
    return draft.ended


def _codegen(draft: ReaderDraft) -> bool:
    """Refuses a beginning of texts for CodeGen."""
    if class_of(draft) != "CodeGenTokenizerFast" or not draft.file.config().get("add_bos_token"):
        return False
    draft.refusal = (
        "CodeGenTokenizerFast does not put bos_token before a text, which add_bos_token asks for."
    )
    return True


def _around(draft: ReaderDraft) -> bool:
    """Sets the ids around a text as the class and its settings have them."""
    kind = class_of(draft)
    if kind not in _AROUND:
        return False
    fields = draft.json()
    config = draft.file.config()
    settings = _settings(draft, kind)
    builder = SlowBuilder(settings)
    builder.vocabulary = {
        **vocabulary_of(fields),
        **{token["content"]: token["id"] for token in fields.get("added_tokens") or []},
    }
    sides: list[list[tuple[object, int]]] = []
    for name, default in zip(AROUND, (_AROUND[kind], False), strict=True):
        token: object = None
        if config.get(name, default):
            token = settings.values.get(
                name.removeprefix("add_"), _defaults(kind).get(name.removeprefix("add_"))
            )
            if token is None:
                draft.refusal = f"{name} is true, but {name.removeprefix('add_')} is null."
                return True
        sides.append([(token, 0)] if token is not None else [])
    builder.around(sides[0], sides[1])
    before: Any = fields.get("post_processor")
    fields["post_processor"] = builder.post_processor
    return bool(before != builder.post_processor)


TRANSFORMERS_4: Final = Reader(
    "transformers",
    "4.57.6",
    ("huggingface", "model folder"),
    (
        OWN_CODE_RULE,
        ReaderRule(
            "class",
            "The class that the settings name has to be one of transformers 4: it lacks TokenizersBackend, which transformers 5"
            " writes.",
            _CODE,
            _class,
        ),
        ReaderRule(
            "extra-special-tokens",
            "extra_special_tokens has to be an object; transformers 5 writes a list.",
            "PreTrainedTokenizerBase.__init__ of transformers 4.57.6",
            _extra_tokens,
        ),
        ReaderRule(
            "settings-tokens",
            "Special and added tokens of the settings, and the special tokens that the class has by default, are added to those"
            " of the tokenizer.json; their options replace those in the file.",
            _CODE,
            _added,
        ),
        ReaderRule(
            "prefix-space",
            "add_prefix_space of the settings replaces that of a byte-level pre-tokenizer; if they do not name it, it is false.",
            _CODE,
            _prefix_space,
        ),
        ReaderRule(
            "bert-normalizer",
            "do_lower_case, strip_accents and tokenize_chinese_chars of the settings, or their defaults, replace the options of"
            " BERT's normalizer.",
            "models/bert/tokenization_bert_fast.py of transformers 4.57.6",
            _bert,
        ),
        ReaderRule(
            "clip-pre-tokenizer",
            "CLIP's class takes only files with a BPE model whose pre-tokenizer is a Sequence.",
            "models/clip/tokenization_clip_fast.py of transformers 4.57.6",
            _clip,
        ),
        ReaderRule(
            "codegen-beginning",
            "CodeGen's class refuses add_bos_token.",
            "models/codegen/tokenization_codegen_fast.py of transformers 4.57.6",
            _codegen,
        ),
        ReaderRule(
            "class-template",
            "The classes of Llama, Code Llama, Gemma, Cohere and GPT-NeoX put bos_token and eos_token around a text as add_bos_token"
            " and add_eos_token say, whatever the post-processor of the file does.",
            "update_post_processor in models/*/tokenization_*_fast.py of transformers 4.57.6",
            _around,
        ),
        MISTRAL_RULE,
    ),
    takes,
    compared="2026-11-30",
    about="AutoTokenizer.from_pretrained",
)
