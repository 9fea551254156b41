"""How llama.cpp splits a text before byte-level BPE runs, by the name in the field ``tokenizer.ggml.pre``.

A name stands for one or more patterns. Each splits the parts left by the previous ones: each match is a part, and so
is the text between two matches. Some differ from those of the model's own tokenizer, and give different ids:
llama.cpp has one class for letters of any case, so that ``gpt-4o`` distinguishes case only in ASCII, and has no
marks.

One name of the table is refused here: ``whitespace``, which belongs to the kind of model of that name. In the patterns of Llama 3 and Qwen 2, ``'ſ`` counts as the contraction ``'s``, as in the models' own tokenizers;
llama.cpp treats it as punctuation and a letter. Characters newer than its Unicode are unassigned in all of them: see
`older_unicode`.

Source: ``src/llama-vocab.cpp`` and ``src/unicode.cpp`` in ggml-org/llama.cpp (version 0.3.36 of llama-cpp-python).
"""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.errors import FormatError
from tokenarium_core.pretokenizers.scanner_cl100k import LLAMA3, QWEN2

DEFAULT: Final = "default"
"""The name if a file has none: llama.cpp warns that the ids will differ from those of the model."""

_GPT2: Final = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CONTRACTION: Final = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_BLANKS: Final = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_SIGN: Final = r"[^\r\n\p{L}\p{N}]?"
_SIGNS: Final = r" ?[^\s\p{L}\p{N}]+"
_NOT_LOWER: Final = r"[^\P{L}a-z]"
_NOT_UPPER: Final = r"[^\P{L}A-Z]"
_ANY_LETTER: Final = r"[\p{L}\p{M}]"
_WORDS: Final = (
    rf"{_SIGN}{_NOT_LOWER}*{_NOT_UPPER}+%s|{_SIGN}{_NOT_LOWER}+{_NOT_UPPER}*%s|%s| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*"
    rf"|{_BLANKS}"
)
_MARKED: Final = (
    rf"{_SIGN}(?:(?![a-z]){_ANY_LETTER})*(?:(?![A-Z]){_ANY_LETTER})+{_CONTRACTION}?"
    rf"|{_SIGN}(?:(?![a-z]){_ANY_LETTER})+(?:(?![A-Z]){_ANY_LETTER})*{_CONTRACTION}?"
    rf"|\p{{N}}{{1,3}}|{_SIGNS}[\r\n/]*|{_BLANKS}"
)
# Of the cases that its own pattern distinguishes, llama.cpp leaves nothing: each class is any letter or mark.
_CASELESS: Final = rf"{_SIGN}{_ANY_LETTER}+{_CONTRACTION}?|%s|{_SIGNS}[\r\n/]*|{_BLANKS}"
# Groups of three from the end; the first one keeps what is before it.
_DIGITS_FROM_THE_END: Final = r"\P{N}*\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
_IDEOGRAPHS: Final = "[一-龥\u3040-ゟ゠-ヿ]+"
_SIGN_AND_WORD: Final = (
    r"[!\"#$%%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+%s"
    r"|\s+(?!\S)|\s+"
)
_DEEPSEEK3: Final = [r"\p{N}{1,3}", _IDEOGRAPHS, _SIGN_AND_WORD % r"[\r\n]*|\s*[\r\n]+"]
_LONG: Final = "(?:(?!\\s)[一-龥\u0800-一가-\ud7ff])+"
_WESTERN: Final = (
    "\\s?[A-Za-z"
    "\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373"
    "\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481"
    "\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf"
    "\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d"
    "\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4"
    "\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107"
    "\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f"
    "\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d"
    "\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17"
    "\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb"
    "\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
    "]+"
)
_DIGIT_THEN_GPT2: Final = [r"\p{N}", _GPT2]
_BLOOM: Final = " ?[^(\\s|.,!?…。，、।۔،)]+"
_LINES: Final = r"[^\n]+|\n+"
_BAILING: Final = rf"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|{_SIGN}\p{{L}}+|\p{{N}}|{_SIGNS}[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
_SEED: Final = rf"{_CONTRACTION}|{_SIGN}\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_BLANKS}"
_JAIS2: Final = (
    rf"{_CONTRACTION}|{_SIGN}\p{{L}}+|\p{{N}}{{1,3}}|{_SIGNS}[\r\n]*|\s*[\r\n]+|\s{{512}}(?!\S)|\s{{256}}(?!\S)"
    r"|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s"
)
_QWEN35: Final = (
    rf"{_CONTRACTION}|{_SIGN}{_ANY_LETTER}+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_BLANKS}"
)
_EXAONE_MOE: Final = rf"{_CONTRACTION}|{_SIGN}(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}|{_SIGNS}[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
_MINICPM5: Final = rf"{_CONTRACTION}|{_SIGN}\p{{L}}+|\p{{N}}+|{_SIGNS}[\r\n]*|{_BLANKS}"
_AFMOE: Final = "[一-鿿㐀-䶿豈-\ufaff\u3040-ゟ゠-ヿ･-ﾟ⼀-\u2fdfเ-\u0e7f\u0e80-\u0effក-\u17ffက-႟ꩠ-ꩿꧠ-\ua9ff가-\ud7afᄀ-ᇿ]+"
_HAN: Final = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ebef\U0002f800-\U0002fa1f]"
_KIMI: Final = rf"{_HAN}+|{_SIGN}(?:(?!{_HAN})\p{{L}})+{_CONTRACTION}?|\p{{N}}{{1,3}}|{_SIGNS}[\r\n]*|{_BLANKS}"
# A group of three from the end of ASCII digits, with the numbers and the one or two digits before the next group.
_THREES: Final = (
    "[0-9]{3}(?=(?:[0-9]{3})*(?![0-9]))"
    r"(?:(?:(?![0-9])\p{N})+[0-9]{0,2}(?=(?:[0-9]{3})*(?![0-9])))*"
)
_YOUTU: Final = "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|" + _IDEOGRAPHS


@final
class GgufCuts:
    """What a name of the table means.

    ``patterns`` split the text one after another. ``whole``: a word that is an entry becomes one token without
    merging (``ignore_merges``). ``bos``: a BOS token is added unless the file says otherwise. ``marks``: pieces have
    ``▁`` for a space and UTF-8 instead of GPT-2's alphabet.
    """

    def __init__(
        self, patterns: list[str], whole: bool = False, bos: bool = False, marks: bool = False
    ) -> None:
        self.patterns = patterns
        self.whole = whole
        self.bos = bos
        self.marks = marks


_TABLE: Final[list[tuple[str, GgufCuts]]] = [
    (DEFAULT, GgufCuts([r"[\p{P}$+<=>^~|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"])),
    (
        "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert jina-v1-en jina-v2-code"
        " roberta-bpe mpt olmo jais exaone4 trillion granite-docling",
        GgufCuts([_GPT2]),
    ),
    (
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        GgufCuts([LLAMA3], whole=True, bos=True),
    ),
    ("dbrx smaug-bpe chatglm-bpe", GgufCuts([LLAMA3])),
    ("glm4 glm5", GgufCuts([LLAMA3], whole=True)),
    (
        "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2",
        GgufCuts([QWEN2]),
    ),
    ("qwen35", GgufCuts([_QWEN35])),
    ("laguna", GgufCuts([_LINES, QWEN2])),
    ("ufakzeka", GgufCuts([rf"{_SIGN}\p{{L}}+|\p{{N}}|{_SIGNS}[\r\n]*|{_BLANKS}"])),
    ("jais-2", GgufCuts([_JAIS2])),
    ("minicpm5", GgufCuts([r"\p{N}{1,3}", _MINICPM5], whole=True)),
    (
        "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
        GgufCuts(_DIGIT_THEN_GPT2),
    ),
    ("exaone-moe", GgufCuts([_EXAONE_MOE])),
    (
        "falcon",
        GgufCuts([r"[\p{P}$+<=>^~|`]+", _GPT2, "[0-9][0-9][0-9]"]),
    ),
    (
        "deepseek-llm",
        GgufCuts(
            [
                r"[\r\n]",
                _WESTERN,
                "\\s?[!-/:-~！-／：-～‘-‟\u3001-。]+",
                r"\s+\z",
                _LONG,
                r"\p{N}+",
            ]
        ),
    ),
    ("deepseek-coder", GgufCuts([r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _LONG, r"\p{N}"])),
    ("deepseek-v3 hunyuan-dense joyai-llm hy_v4", GgufCuts(_DEEPSEEK3)),
    (
        "spark2_5",
        GgufCuts([r"\p{N}{1,3}", _IDEOGRAPHS, _SIGN_AND_WORD % r"|[\r\n]", r"\p{N}"]),
    ),
    ("youtu", GgufCuts([_YOUTU, _CASELESS % r"\p{N}"], whole=True)),
    ("tiny_aya cohere2moe", GgufCuts([_DIGITS_FROM_THE_END, _CASELESS % r"\p{N}{1,3}"])),
    (
        "afmoe",
        GgufCuts([_DIGITS_FROM_THE_END, _AFMOE, _SIGN_AND_WORD % r"[\r\n]*|\s*[\r\n]+"]),
    ),
    ("poro-chat bloom gpt3-finnish", GgufCuts([_BLOOM])),
    ("viking", GgufCuts([_BLOOM, r"\p{N}"])),
    ("tekken", GgufCuts([_WORDS % ("", "", r"\p{N}")], whole=True, bos=True)),
    (
        "gpt-4o llama4 kanana2 talkie minimax-m2",
        GgufCuts([_WORDS % (f"{_CONTRACTION}?", f"{_CONTRACTION}?", r"\p{N}{1,3}")]),
    ),
    ("granite-embed-multi-97m", GgufCuts([_MARKED], whole=True)),
    (
        "chameleon",
        GgufCuts(
            [
                "<sentinel:[0-9]+>",
                "IMGIMG[A-I]{1,4}Z",
                r"[\t\n]|    |  ",
                r"\p{N}",
                r"[\p{P}!-/:-@\[-`{-~]",
                _GPT2,
            ],
            bos=True,
        ),
    ),
    ("bailingmoe bailingmoe2 llada-moe", GgufCuts([_BAILING])),
    ("seed-coder", GgufCuts([_SEED])),
    ("kimi-k2", GgufCuts([_KIMI])),
    ("superbpe", GgufCuts([r"\p{N}+", _THREES])),
    ("gemma4 granite-embed-multi-311m sarvam-moe", GgufCuts([_LINES], marks=True)),
]

CUTS: Final[dict[str, GgufCuts]] = {name: cuts for names, cuts in _TABLE for name in names.split()}
"""What each name of ``tokenizer.ggml.pre`` means."""


def cuts_of(name: str, source: str) -> GgufCuts:
    """Returns what a name means, that of `DEFAULT` for an empty one; FormatError for an unknown name."""
    cuts = CUTS.get(name or DEFAULT)
    if cuts is None:
        raise FormatError(
            f"{source} splits texts with the pre-tokenizer {name!r} (tokenizer.ggml.pre), which this program does not"
            " know: with another one, its ids would be wrong. Known are "
            + ", ".join(sorted(CUTS))
            + "."
        )
    return cuts
