"""The classes of transformers 5 that read BERT's ``vocab.txt``, other than BERT's; see `hf_slow_classes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tokenarium_core.formats.hf.hf_slow_builder import SECOND, TEXT, SlowBuilder
from tokenarium_core.formats.hf.hf_slow_classes import around_as_roberta, bert_stages, bpe_of
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of


def of_other_words(builder: SlowBuilder, kind: str, vocabulary: dict[str, int]) -> None:
    """Makes a class of `OTHER_WORD_CLASSES`. Raises FormatError for settings that the class refuses."""
    _CLASSES[kind](builder, vocabulary)


def _mpnet(builder: SlowBuilder, vocabulary: dict[str, int]) -> None:
    names = {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>"}
    for name, content in {**names, "unk_token": "[UNK]", "pad_token": "<pad>"}.items():
        token = builder.token(name, content)
        if isinstance(token, str):
            builder.values[name] = SlowToken(token)
    mask = builder.token("mask_token", "<mask>")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, lstrip=True)
    bert_stages(builder, vocabulary, builder.values["unk_token"])
    builder.finish()
    cls, sep = builder.special.get("cls_token"), builder.special.get("sep_token")
    around_as_roberta(builder, sep, cls, True, False)


def _funnel(builder: SlowBuilder, vocabulary: dict[str, int]) -> None:
    clean = builder.flag("clean_text", True)
    prefix = builder.take("wordpieces_prefix", "##")
    if not isinstance(prefix, str):
        raise builder.settings.error("wordpieces_prefix", "a text", prefix)
    unknown = builder.token("unk_token", "<unk>")
    builder.tokens(sep_token="<sep>", pad_token="<pad>", cls_token="<cls>", mask_token="<mask>")
    builder.tokens(bos_token="<s>", eos_token="</s>")
    bert_stages(builder, vocabulary, unknown)
    assert builder.normalizer is not None
    assert builder.decoder is not None
    builder.normalizer["clean_text"] = clean
    builder.decoder["prefix"] = prefix
    builder.finish()
    _cls_and_sep(builder, 2)


def _splinter(builder: SlowBuilder, vocabulary: dict[str, int]) -> None:
    unknown = builder.token("unk_token", "[UNK]")
    builder.tokens(sep_token="[SEP]", pad_token="[PAD]", cls_token="[CLS]", mask_token="[MASK]")
    question = builder.take("question_token", "[QUESTION]")
    bert_stages(builder, vocabulary, unknown)
    builder.values["question_token"] = question
    builder.finish()
    _cls_and_sep(builder, 0)


def _layout(builder: SlowBuilder, vocabulary: dict[str, int]) -> None:
    unknown = builder.token("unk_token", "[UNK]")
    builder.tokens(sep_token="[SEP]", pad_token="[PAD]", cls_token="[CLS]", mask_token="[MASK]")
    bert_stages(builder, vocabulary, unknown)
    builder.finish()
    _cls_and_sep(builder, 0)


def _esm(builder: SlowBuilder, vocabulary: dict[str, int]) -> None:
    """Makes ESM's class: every entry is found in a text wherever it is, and what is left is unknown, word by word."""
    unknown = builder.token("unk_token", "<unk>")
    builder.tokens(cls_token="<cls>", pad_token="<pad>", mask_token="<mask>", eos_token="<eos>")
    builder.vocabulary = vocabulary
    builder.model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": text_of(unknown)}
    builder.pre_tokenizer = {
        "type": "Split",
        "pattern": {"Regex": r"[\s\x1c-\x1f]+"},
        "behavior": "Removed",
        "invert": False,
    }
    builder.finish()
    named = {text_of(token) for token in [*builder.special.values(), *builder.extra]}
    builder.add([SlowToken(entry, False, False) for entry in vocabulary if entry not in named])
    cls, eos = builder.special.get("cls_token"), builder.special.get("eos_token")
    single: list[tuple[object, int]] = [(cls, 0), (TEXT, 0), (eos, 0)]
    builder.template(single, [*single, (SECOND, 0), (eos, 0)])


ESMC: Final = "EsmcTokenizer"
"""The class that reads no vocabulary, since its own has the amino acids."""

_AMINO_ACIDS: Final = (
    "<cls> <pad> <eos> <unk> L A G V S E R T I D P K Q N F Y M H W C X B U Z O . - | <mask>"
)


def of_esmc(builder: SlowBuilder) -> None:
    """Makes ESM C's class: a token for each amino acid. Raises FormatError if a mark around a text is none of them."""
    vocabulary = {entry: id for id, entry in enumerate(_AMINO_ACIDS.split())}
    unknown = text_of(builder.token("unk_token", "<unk>"))
    cls = builder.token("cls_token", "<cls>")
    builder.tokens(pad_token="<pad>", mask_token="<mask>")
    eos = builder.token("eos_token", "<eos>")
    if builder.take("bos_token", None) is None:
        builder.values["bos_token"] = cls
    else:
        builder.values["bos_token"] = builder.settings.values["bos_token"]
    builder.values.setdefault("chain_break_token", "|")
    bpe_of(builder, vocabulary, [], False, unknown, fuse_unknown=False)
    builder.finish()
    for token in (cls, eos):
        if text_of(token) not in vocabulary:
            raise builder.settings.error("cls_token or eos_token", "an entry", text_of(token))
    builder.template([(cls, 0), (TEXT, 0), (eos, 0)], [(TEXT, 0), (SECOND, 1)])


def _cls_and_sep(builder: SlowBuilder, type: int) -> None:
    """Puts the two tokens around a text; the first one has a type id of its own in Funnel."""
    cls, sep = text_of(builder.special.get("cls_token")), text_of(builder.special.get("sep_token"))
    single: list[tuple[object, int]] = [(cls, type), (TEXT, 0), (sep, 0)]
    builder.template(single, [*single, (SECOND, 1), (sep, 1)])


_CLASSES: Final[dict[str, Callable[[SlowBuilder, dict[str, int]], None]]] = {
    "MPNetTokenizer": _mpnet,
    "FunnelTokenizer": _funnel,
    "SplinterTokenizer": _splinter,
    "LayoutLMv2Tokenizer": _layout,
    "EsmTokenizer": _esm,
}

OTHER_WORD_CLASSES: Final = tuple(_CLASSES)
"""The classes that are made here."""
