"""The stages of a `tokenizer.json` for a tokenizer from another format, or why there are none.

Sources: huggingface/tokenizers, the modules of the stages; for SentencePiece models ``convert_slow_tokenizer.py`` in
huggingface/transformers shows which stages stand for what.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from mypy_extensions import i64

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.byte_level import obstacle_to_bytes, obstacle_to_spelling
from tokenarium_core.formats.parts import DECODER, joins_bytes, lost_sentence, misspelled
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import (
    SentencePieceSettings,
    read_settings,
)
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.padded_text import padded
from tokenarium_core.patterns.comparison import other_to_oniguruma
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.patterns.oniguruma import OnigurumaPattern
from tokenarium_core.patterns.oniguruma_characters import case_folds
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.pattern import (
    TIKTOKEN_PATTERN,
    obstacle_in_options,
    oniguruma_pattern,
)
from tokenarium_core.pretokenizers.scanners import ONLY_HERE, PRE_TOKENIZERS
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    SPACE_MARK,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Vocabulary,
)

_MARK: Final = "▁"
_TRAINER: Final = "trainer_spec"
_RULES: Final = "normalizer_spec"


def obstacle(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer cannot be written in this format; empty if it can."""
    model = tokenizer.model
    if isinstance(model, (BytePairEncoder, PickyBpe, BoundlessBpe)):
        return (
            obstacle_to_bytes(tokenizer, forms=True)
            or obstacle_to_spelling(tokenizer)
            or _obstacle_of_decoder(tokenizer)
            or _obstacle_of_pattern(tokenizer)
        )
    if isinstance(model, WordPiece):
        if not isinstance(tokenizer.normalizer, BertNormalizer) or not isinstance(
            tokenizer.pre_tokenizer, BertPreTokenizer
        ):
            return "WordPiece is written with BERT's stages, and this tokenizer has different ones."
        return ""
    if _TRAINER in tokenizer.stored and isinstance(model, (CharacterBpe, Unigram)):
        return _obstacle_of_sentencepiece(tokenizer)
    return "This program does not write models of its kind in Hugging Face's format."


def stages_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the fields of the file, without ``vocab`` and ``merges``; only if there is no `obstacle`."""
    model = tokenizer.model
    if isinstance(model, BytePairEncoder):
        fields = _byte_level(tokenizer, model)
    elif isinstance(model, WordPiece):
        fields = _wordpiece(tokenizer, model)
    else:
        fields = _sentencepiece(tokenizer)
    fields["post_processor"] = _template(tokenizer)
    return fields


# Byte-level BPE.


def _obstacle_of_pattern(tokenizer: Tokenizer) -> str:
    name = tokenizer.pre_tokenizer.name
    if name in ONLY_HERE:
        return f"The engine that Hugging Face uses does not split as the pattern {name} does."
    if name in PRE_TOKENIZERS:
        return ""
    misplaced = obstacle_in_options(tokenizer.pre_tokenizer.pattern)
    if misplaced:
        return f"In its pattern, {misplaced}: to the engine that Hugging Face uses, that means something else."
    cutter = tokenizer.pre_tokenizer
    pattern = oniguruma_pattern(cutter)
    try:
        FoundRegex(pattern)
    except FormatError as error:
        return f"Its pattern has no equivalent in the engine that Hugging Face uses: {error}"
    if cutter.name == TIKTOKEN_PATTERN:
        other = other_to_oniguruma(cutter.pattern, pattern)
    else:
        read = OnigurumaPattern(pattern)
        other = read.other or case_folds().other(read.cased)
    if other:
        return f"In its pattern, {other} means something else to the engine that Hugging Face uses."
    return ""


def _obstacle_of_decoder(tokenizer: Tokenizer) -> str:
    other = misspelled(tokenizer)
    if other:
        return (
            f"Hugging Face's library would not decode the special token {other!r} as it is: it takes its characters for"
            " bytes."
        )
    return "" if joins_bytes(tokenizer) else lost_sentence(DECODER)


def _byte_level(tokenizer: Tokenizer, model: BytePairEncoder) -> dict[str, Any]:
    cutter = tokenizer.pre_tokenizer
    alphabet = _byte_level_step(cutter.name == "gpt2")
    steps = [alphabet]
    if cutter.name != "gpt2":
        steps = [
            {
                "type": "Split",
                "pattern": {"Regex": oniguruma_pattern(cutter)},
                "behavior": "Isolated",
                "invert": False,
            },
            alphabet,
        ]
    normalizer = tokenizer.normalizer
    form = normalizer.form if isinstance(normalizer, UnicodeNormalizer) else ""
    return {
        "added_tokens": [_added(token) for token in _by_id(tokenizer)],
        "normalizer": {"type": form} if form else None,
        "pre_tokenizer": _sequence(steps, "pretokenizers"),
        "decoder": _byte_level_step(True),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": model.whole_pieces,
        },
    }


def _byte_level_step(cuts: bool) -> dict[str, Any]:
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": cuts,
    }


# WordPiece.


def _wordpiece(tokenizer: Tokenizer, model: WordPiece) -> dict[str, Any]:
    normalizer = tokenizer.normalizer
    assert isinstance(normalizer, BertNormalizer)
    vocabulary = model.vocabulary
    return {
        "added_tokens": [_added(token) for token in _by_id(tokenizer)],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": normalizer.clean_text,
            "handle_chinese_chars": normalizer.handle_chinese_chars,
            "strip_accents": normalizer.strip_accents,
            "lowercase": normalizer.lowercase,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": vocabulary.affix, "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": vocabulary.surface(model.unknown) if model.unknown >= 0 else "[UNK]",
            "continuing_subword_prefix": vocabulary.affix,
            "max_input_chars_per_word": int(model.max_input_chars),
        },
    }


# SentencePiece.


def _obstacle_of_sentencepiece(tokenizer: Tokenizer) -> str:
    vocabulary = tokenizer.vocabulary
    rules = _normalizer_of(tokenizer)
    trainer = rules_of(tokenizer)
    if tokenizer.stored.get("denormalizer_spec"):
        return "It normalizes what it decodes, for which Hugging Face's format has no stage."
    if vocabulary.spelling != SPACE_MARK or not rules.escape_whitespaces:
        return f"Its entries are not spelled with {_MARK} for each space."
    if trainer.treat_whitespace_as_suffix:
        return f"It puts {_MARK} after words, for which Hugging Face's format has no stage."
    normalizer = tokenizer.normalizer
    assert isinstance(normalizer, SentencePieceNormalizer)
    bare = SentencePieceNormalizer(
        normalizer.name, normalizer.charsmap, False, normalizer.squeeze, True, False, []
    )
    for token in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[token])
        if kind == CONTROL or kind == UNKNOWN or kind == BYTE:
            surface = vocabulary.surface(token)
            if " " not in surface and vocabulary.find(surface.replace(_MARK, " ").encode()) >= 0:
                return f"Two of its entries are {surface!r}, and Hugging Face's format has one id for each spelling."
        if kind == USER_DEFINED and rules.add_dummy_prefix:
            return (
                f"It has user-defined entries such as {vocabulary.surface(token)!r} and puts a space before each"
                " text: in Hugging Face's format there would also be a space after each such entry."
            )
        if kind == USER_DEFINED and bare.normalize_plain(
            padded(vocabulary.surface(token))
        ) != padded(vocabulary.piece(token).decode()):
            return (
                f"Its user-defined entry {vocabulary.surface(token)!r} is changed by its normalizer: Hugging Face's"
                " library looks for such an entry in its normalized form."
            )
        if kind == UNUSED:
            return "It has unused entries, which no text becomes: Hugging Face's models would use them."
    if isinstance(tokenizer.model, CharacterBpe):
        return _obstacle_of_merges(tokenizer.model)
    return ""


def _obstacle_of_merges(model: CharacterBpe) -> str:
    if len(model.merges.priorities):
        return "Some of its entries have equal scores, and Hugging Face's BPE, which ranks merges, cannot have them."
    table = model.merges.table
    count: i64 = len(model.vocabulary)
    for rank in range(len(table)):
        if i64(table.lefts[rank]) >= count or i64(table.rights[rank]) >= count:
            return "It merges characters that are not entries themselves, which Hugging Face's BPE does not."
    return ""


def _sentencepiece(tokenizer: Tokenizer) -> dict[str, Any]:
    model = tokenizer.model
    rules = _normalizer_of(tokenizer)
    normalizer = tokenizer.normalizer
    assert isinstance(normalizer, SentencePieceNormalizer)
    prefix: bool = normalizer.prefix
    steps: list[dict[str, Any]] = []
    if rules.precompiled_charsmap:
        charsmap = base64.b64encode(rules.precompiled_charsmap).decode()
        steps.append({"type": "Precompiled", "precompiled_charsmap": charsmap})
    if normalizer.squeeze:
        # At the end, SentencePiece also removes marks of the text itself.
        ends = f"\\A +|[ {_MARK}]+\\z"
        steps.append({"type": "Replace", "pattern": {"Regex": ends}, "content": ""})
        steps.append({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})
    if prefix:
        steps.append({"type": "Prepend", "prepend": _MARK})
    steps.append(_replace(" ", _MARK))
    back: list[dict[str, Any]] = [
        _replace(_MARK, " "),
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    if prefix:
        back.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {
        "added_tokens": _added_pieces(tokenizer),
        "normalizer": _sequence(steps, "normalizers"),
        "decoder": _sequence(back, "decoders"),
        "model": _unigram(tokenizer.vocabulary, rules_of(tokenizer))
        if isinstance(model, Unigram)
        else _bpe(tokenizer.vocabulary, rules_of(tokenizer)),
    }


def rules_of(tokenizer: Tokenizer) -> SentencePieceSettings:
    """Returns the trainer's settings that a SentencePiece model stores."""
    return read_settings(_TRAINER, tokenizer.stored[_TRAINER], "the model")


def _normalizer_of(tokenizer: Tokenizer) -> SentencePieceSettings:
    """Returns the normalizer's settings; a model that stores none has the defaults."""
    return read_settings(_RULES, tokenizer.stored.get(_RULES, b""), "the model")


def _unigram(vocabulary: Vocabulary, trainer: SentencePieceSettings) -> dict[str, Any]:
    return {
        "type": "Unigram",
        "unk_id": _unknown(vocabulary),
        "byte_fallback": trainer.byte_fallback,
    }


def _bpe(vocabulary: Vocabulary, trainer: SentencePieceSettings) -> dict[str, Any]:
    unknown = _unknown(vocabulary)
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": vocabulary.surface(unknown) if unknown is not None else None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": trainer.byte_fallback,
        "ignore_merges": False,
    }


def _unknown(vocabulary: Vocabulary) -> int | None:
    """Returns the id of the unknown piece, None if there is none."""
    for token in range(len(vocabulary)):
        if i64(vocabulary.kinds[token]) == UNKNOWN:
            return token
    return None


def _added_pieces(tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """Returns the control pieces, the unknown one and the user-defined ones as added tokens."""
    vocabulary = tokenizer.vocabulary
    unknown = _unknown(vocabulary)
    special = {token.id: token.content for token in tokenizer.added_tokens.tokens}
    if unknown is not None:
        special[unknown] = vocabulary.surface(unknown)
    added: list[dict[str, Any]] = []
    for token in range(len(vocabulary)):
        if token in special:
            added.append(_added(AddedToken(special[token], token)))
        elif i64(vocabulary.kinds[token]) == USER_DEFINED:
            # SentencePiece finds them in the normalized text, where a space is a mark.
            content = vocabulary.surface(token)
            added.append(_added(AddedToken(content, token, special=False, normalized=True)))
    return added


def _replace(what: str, by: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": what}, "content": by}


# All of them.


def _sequence(steps: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Returns several stages as one."""
    return steps[0] if len(steps) == 1 else {"type": "Sequence", name: steps}


def _by_id(tokenizer: Tokenizer) -> list[AddedToken]:
    return sorted(tokenizer.added_tokens.tokens, key=_id_of)


def _id_of(token: AddedToken) -> int:
    return token.id


def _added(token: AddedToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "content": token.content,
        "single_word": token.single_word,
        "lstrip": token.lstrip,
        "rstrip": token.rstrip,
        "normalized": token.normalized,
        "special": token.special,
    }


def _template(tokenizer: Tokenizer) -> dict[str, Any] | None:
    """Returns the stage that adds ids around a text; None if there are none."""
    template = tokenizer.template
    if template is None:
        return None
    surface = tokenizer.vocabulary.surface
    before = [{"SpecialToken": {"id": surface(token), "type_id": 0}} for token in template.before]
    behind = [{"SpecialToken": {"id": surface(token), "type_id": 0}} for token in template.after]
    last = [{"SpecialToken": {"id": surface(token), "type_id": 1}} for token in template.after]
    text = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 1}}
    tokens = {
        surface(token): {"id": surface(token), "ids": [token], "tokens": [surface(token)]}
        for token in [*template.before, *template.after]
    }
    return {
        "type": "TemplateProcessing",
        "single": [*before, text, *behind],
        "pair": [*before, text, *behind, second, *last],
        "special_tokens": tokens,
    }
