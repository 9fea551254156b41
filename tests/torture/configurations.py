"""Random tokenizers and random patterns, each in the library that defines it and in ours: ids, places, decoding."""

from __future__ import annotations

import base64
import copy
import functools
import json
import sys
from random import Random
from typing import Any

import random_patterns
import sentencepiece
import sentencepiece_models
import tiktoken
import tiktoken_cuts
import tokenizers
import zoo
from attack import Attack, Case, Fault, is_own, others
from planting import backwards, bent, instead, together
from sentencepiece import sentencepiece_model_pb2
from trace_law import whole_characters

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.formats.tiktoken_format import read_tiktoken
from tokenarium_core.normalized_text import unchanged
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.pretokenizers.hf_splitters import Split
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_pattern

PATTERNS = [
    *(r"\s+", r"\w+|[^\w\s]+", r"\p{L}+|\p{N}|[^\p{L}\p{N}]+", "a*", ".", r"[^\S\n]+|\n"),
    *(r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", "(?=[A-Z])", r"\d{1,3}"),
    *(r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|\s*[\r\n]+|\s+", "[一-龥]+", "^a|b$"),
    *(r"\R", r"(?<=a)\s|é", ".|[^b]|[ab]"),
]
PLACES = ["^", "$", r"\b", r"\s*$", "(?!a)", "a?", r"\n*", ".|[^b]|$", r"^\s*|\s+", "()"]
"""Patterns that may find a place, with no characters: only where another library says what that means."""
STRINGS = ["", " ", "a", "▁", "aa", "the", "é", "e\u0301", "-", "\n", "  "]
CONTENTS = ["", "", " ", "▁", "a", "bb", "é", "##", "▁▁", "$1", "\u0301", " b", "ﬁ"]
OPENINGS = [
    *("a", "b", " ", "  ", "\n", "▁", "é", "e\u0301", "\u0301", "\u0327", "\u0344", "\u0301\u0327", "\u302e"),
    *("ﬁ", "㌀", "각", "\u1100\u1161\u11a8", "\u00ad", "\x01", "日", "##", "_", "aa", "İ", "\u200d", "\u1e9b\u0323"),
]  # fmt: skip
"""Parts of texts whose first characters normalizers change, move or take away."""
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
KINDS = [
    *(
        "byte_level",
        "llama3",
        "few_bytes",
        "llama2",
        "unknown_characters",
        "clip",
        "wordpieces_by_bpe",
    ),
    *("t5", "xlm_roberta", "real_spaces", "bert", "word_level"),
]


# Files of Hugging Face.


def _flag(chance: Random) -> bool:
    return chance.random() < 0.5


def _pattern(chance: Random) -> dict[str, str]:
    if _flag(chance):
        return {"String": chance.choice(STRINGS)}
    return {"Regex": chance.choice(PATTERNS if chance.random() < 0.7 else PLACES)}


def _sequence(chance: Random, name: str, step: Any, most: int) -> Any:
    """Returns nothing, one stage, or several of them, perhaps within each other."""
    steps = [step(chance) for _ in range(chance.randrange(most + 1))]
    if not steps:
        return None if chance.random() < 0.8 else {"type": "Sequence", name: []}
    if len(steps) == 1 and chance.random() < 0.8:
        return steps[0]
    if len(steps) > 2 and chance.random() < 0.3:
        steps[:2] = [{"type": "Sequence", name: steps[:2]}]
    return {"type": "Sequence", name: steps}


def _normalizer(chance: Random) -> dict[str, Any]:
    kind = chance.choice(
        [
            "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "Strip", "Prepend",
            "Replace", "Replace", "BertNormalizer", "ByteLevel", "Precompiled",
        ]
    )  # fmt: skip
    made: dict[str, Any] = {"type": kind}
    if kind == "Strip":
        made |= {"strip_left": _flag(chance), "strip_right": _flag(chance)}
    elif kind == "Prepend":
        made["prepend"] = chance.choice(CONTENTS)
    elif kind == "Replace":
        made |= {"pattern": _pattern(chance), "content": chance.choice(CONTENTS)}
    elif kind == "BertNormalizer":
        made |= {
            "clean_text": _flag(chance),
            "handle_chinese_chars": _flag(chance),
            "strip_accents": chance.choice([None, True, False]),
            "lowercase": _flag(chance),
        }
    elif kind == "Precompiled":
        made["precompiled_charsmap"] = base64.b64encode(_rules()).decode()
    return made


@functools.cache
def _rules() -> bytes:
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(sentencepiece_models.trained(**sentencepiece_models.MODELS["bpe, plain"]))
    return bytes(model.normalizer_spec.precompiled_charsmap)


def _pre_tokenizer(chance: Random) -> dict[str, Any]:
    kind = chance.choice(
        [
            "Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts", "Digits",
            "Split", "Split", "Punctuation", "Metaspace", "ByteLevel", "CharDelimiterSplit",
            "FixedLength",
        ]
    )  # fmt: skip
    made: dict[str, Any] = {"type": kind}
    if kind == "Digits":
        made["individual_digits"] = _flag(chance)
    elif kind == "Split":
        made |= {
            "pattern": _pattern(chance),
            "behavior": chance.choice(BEHAVIORS),
            "invert": _flag(chance),
        }
    elif kind == "Punctuation":
        made["behavior"] = chance.choice(BEHAVIORS)
    elif kind == "Metaspace":
        made |= {
            "replacement": chance.choice(["▁", "▁", "_", "é"]),
            "prepend_scheme": chance.choice(["always", "first", "never"]),
            "split": _flag(chance),
        }
    elif kind == "ByteLevel":
        made |= _byte_level(chance)
    elif kind == "CharDelimiterSplit":
        made["delimiter"] = chance.choice(["-", " ", "é", "▁"])
    elif kind == "FixedLength":
        made["length"] = chance.choice([1, 2, 5])
    return made


def _behind_others(chance: Random, stage: Any) -> dict[str, Any]:
    """Returns a pre-tokenizer with a Metaspace behind it that marks the first word: where that is, others decide."""
    marks = {
        "type": "Metaspace",
        "replacement": chance.choice(["▁", "_"]),
        "prepend_scheme": "first",
        "split": _flag(chance),
    }
    return {"type": "Sequence", "pretokenizers": [stage, marks]} if stage else marks


def _byte_level(chance: Random) -> dict[str, Any]:
    return {
        "type": "ByteLevel",
        "add_prefix_space": _flag(chance),
        "trim_offsets": _flag(chance),
        "use_regex": _flag(chance),
    }


def _decoder(chance: Random) -> dict[str, Any]:
    kind = chance.choice(
        [
            "ByteLevel", "Metaspace", "Replace", "ByteFallback", "Fuse", "Strip", "BPEDecoder",
            "CTC", "WordPiece",
        ]
    )  # fmt: skip
    made: dict[str, Any] = {"type": kind}
    if kind == "ByteLevel":
        made |= _byte_level(chance)
    elif kind == "Metaspace":
        made |= {
            "replacement": chance.choice(["▁", "_"]),
            "prepend_scheme": chance.choice(["always", "first", "never"]),
            "split": _flag(chance),
        }
    elif kind == "Replace":
        made |= {"pattern": _pattern(chance), "content": chance.choice(CONTENTS)}
    elif kind == "Strip":
        made |= {
            "content": chance.choice([" ", "▁", "a"]),
            "start": chance.randrange(3),
            "stop": chance.randrange(3),
        }
    elif kind == "BPEDecoder":
        made["suffix"] = chance.choice(["</w>", "", "e"])
    elif kind == "CTC":
        made |= {"pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": _flag(chance)}
    elif kind == "WordPiece":
        made |= {"prefix": chance.choice(["##", "", "a"]), "cleanup": _flag(chance)}
    return made


def _template(chance: Random, special: dict[str, int]) -> dict[str, Any] | None:
    if not special or _flag(chance):
        return None
    token = chance.choice(list(special))
    kind = chance.random()
    if kind < 0.3:
        pair = [token, special[token]]
        name = chance.choice(["BertProcessing", "RobertaProcessing"])
        rest = {} if name == "BertProcessing" else {"trim_offsets": True, "add_prefix_space": True}
        return {"type": name, "sep": pair, "cls": pair, **rest}
    parts: list[dict[str, Any]] = [{"Sequence": {"id": "A", "type_id": 0}}]
    for _ in range(chance.randrange(3)):
        place = chance.randrange(len(parts) + 1)
        parts.insert(place, {"SpecialToken": {"id": token, "type_id": 0}})
    ids = {"id": token, "ids": [special[token]], "tokens": [token]}
    made = {
        "type": "TemplateProcessing",
        "single": parts,
        "pair": [*parts, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {token: ids},
    }
    return made if kind < 0.7 else {"type": "Sequence", "processors": [_byte_level(chance), made]}


def add_tokens(chance: Random, file: dict[str, Any]) -> None:
    """Puts some added tokens into a file: new ones, and some that are entries."""
    vocab = file["model"]["vocab"]
    ids = vocab if isinstance(vocab, dict) else {row[0]: id for id, row in enumerate(vocab)}
    taken = {token["content"] for token in file["added_tokens"]}
    following = max([*ids.values(), *(token["id"] for token in file["added_tokens"])]) + 1
    words = [
        "<x>", "<x", "x>", "the", "e", " the", "▁", "日", "12", "<|a b|>", "\n", "é", "İ", "aa",
    ]  # fmt: skip
    for content in chance.sample(words, chance.randrange(5)):
        if content in taken:
            continue
        id = ids.get(content, following)
        following += id == following
        flags = {
            name: chance.random() < 0.3
            for name in ("single_word", "lstrip", "rstrip", "normalized", "special")
        }
        file["added_tokens"].append({"id": id, "content": content, **flags})


def _special(file: dict[str, Any]) -> dict[str, int]:
    return {token["content"]: token["id"] for token in file["added_tokens"] if token["special"]}


def make_stage(chance: Random, name: str, file: dict[str, Any]) -> Any:
    """Returns a stage for a file, by the name of its field."""
    if name == "normalizer":
        return _sequence(chance, "normalizers", _normalizer, 4)
    if name == "pre_tokenizer":
        return _sequence(chance, "pretokenizers", _pre_tokenizer, 3)
    if name == "decoder":
        return _sequence(chance, "decoders", _decoder, 4)
    return _template(chance, _special(file))


def make_huggingface(chance: Random) -> Case:
    """Returns a ``tokenizer.json`` of a trained model with other stages, and texts."""
    plain = chance.random() < 0.08  # one whose places are compared too
    kind = chance.choice(["bert", "word_level"] if plain else KINDS)
    file = copy.deepcopy(json.loads(zoo.huggingface_file(kind)))
    if chance.random() < 0.6:
        file["normalizer"] = make_stage(chance, "normalizer", file)
    if chance.random() < 0.6:
        file["pre_tokenizer"] = make_stage(chance, "pre_tokenizer", file)
    if chance.random() < 0.25:
        file["pre_tokenizer"] = _behind_others(chance, file["pre_tokenizer"])
    if chance.random() < 0.6:
        file["decoder"] = make_stage(chance, "decoder", file)
    if chance.random() < 0.6:
        add_tokens(chance, file)
    if chance.random() < 0.6:
        file["post_processor"] = make_stage(chance, "post_processor", file)
    model = file["model"]
    for name in ("fuse_unk", "byte_fallback", "ignore_merges"):
        if name in model and chance.random() < 0.2:
            model[name] = not model[name]
    if "max_input_chars_per_word" in model and _flag(chance):
        model["max_input_chars_per_word"] = chance.choice([0, 1, 5, 100])
    if plain:
        file |= {"normalizer": None, "post_processor": None}
        file["pre_tokenizer"] = {"type": chance.choice(["Whitespace", "Punctuation", "Digits"])}
        if file["pre_tokenizer"]["type"] != "Whitespace":
            file["pre_tokenizer"] |= {"behavior": "Isolated", "individual_digits": _flag(chance)}
        for token in file["added_tokens"]:
            token |= {"lstrip": False, "rstrip": False}
    words = [*_special(file), "<x>", "the", "<|a b|>"]
    texts = [zoo.whole(zoo.text_of(chance)) for _ in range(4)]
    texts += ["".join(chance.choices(OPENINGS, k=chance.randrange(1, 5))) for _ in range(4)]
    texts += [chance.choice(words) + zoo.whole(zoo.text_of(chance, 5)) + chance.choice(words)]
    return {
        "file": json.dumps(file),
        "texts": texts,
        "ids": [chance.randrange(400) for _ in range(12)],
    }


def run_huggingface(case: Case) -> str:
    """Compares ids with and without special tokens and templates, the places where both report them, and decoding."""
    try:
        with others():
            theirs = tokenizers.Tokenizer.from_str(case["file"])
    except BaseException as error:
        _is_theirs(error)
        return "not a file of tokenizers"
    try:
        ours = read_huggingface(case["file"].encode(), "random")
    except tc.TokenariumError:
        return "refused"
    file = json.loads(case["file"])
    found = "equal"
    for text in case["texts"]:
        try:
            with others():
                expected = _their_ids(theirs, text)
        except BaseException as error:
            _is_theirs(error)
            continue
        try:
            mine = [
                ours.encode_ids(text),
                list(ours.encode(text, special="all").ids),
                list(ours.encode(text, special="all", template=True).ids),
            ]
        except tc.TokenariumError:
            found = "rejected a text"
            continue
        for ids, theirs_ids, way in zip(
            mine, expected, ("", " with special tokens", " in a template"), strict=True
        ):
            assert ids == theirs_ids, (
                f"other ids than tokenizers{way}: {text!r} gives {ids}, not {theirs_ids}"
            )
        if _places_are_alike(file):
            with others():
                offsets = theirs.encode(text, add_special_tokens=False).offsets
            encoding = ours.encode(text, special="all")
            spans = [encoding.span(index) for index in range(len(encoding))]
            assert whole_characters(text, spans) == offsets, (
                f"other places than tokenizers: {text!r}"
            )
        zoo.law(ours, text)
        zoo.law(ours, text, "all")
        _same_decoded(ours, theirs, mine[2])
    size = len(ours.vocabulary)
    _same_decoded(ours, theirs, [id % size for id in case["ids"]])
    return found


def _their_ids(theirs: Any, text: str) -> list[list[int]]:
    theirs.encode_special_tokens = True
    plain = theirs.encode(text, add_special_tokens=False).ids
    theirs.encode_special_tokens = False
    return [plain, theirs.encode(text, add_special_tokens=False).ids, theirs.encode(text).ids]


def _same_decoded(ours: tc.Tokenizer, theirs: Any, ids: list[int]) -> None:
    try:
        with others():
            expected = theirs.decode(ids)
    except BaseException as error:
        _is_theirs(error)
        return
    try:
        found = ours.decode(ids)
    except tc.TokenariumError:
        return
    assert found == expected, f"other text than tokenizers: {ids} are {found!r}, not {expected!r}"


def _is_theirs(error: BaseException) -> None:
    """Raises an error again unless it is a refusal or a panic of another library."""
    ours = (KeyboardInterrupt, SystemExit, MemoryError)
    stale = (ImportError, AttributeError, NameError, TypeError)  # a call of what is gone
    if isinstance(error, ours) or (isinstance(error, stale) and is_own(error)):
        raise error


def _places_are_alike(file: dict[str, Any]) -> bool:
    """Returns whether `Encoding` promises the places of tokenizers for all tokens of such a file."""
    plain = {"Split", "Digits", "Whitespace", "WhitespaceSplit", "Punctuation", "BertPreTokenizer"}
    plain |= {"UnicodeScripts", "FixedLength", "CharDelimiterSplit"}
    stage = file["pre_tokenizer"] or {"type": "Sequence", "pretokenizers": []}
    steps = stage["pretokenizers"] if stage["type"] == "Sequence" else [stage]
    return (
        file["normalizer"] is None
        and file["post_processor"] is None
        and all(step["type"] in plain for step in steps)
        and file["model"]["type"] in ("WordPiece", "WordLevel")
        and not any(token["lstrip"] or token["rstrip"] for token in file["added_tokens"])
    )


# Models of SentencePiece.


def _make_models() -> None:
    for name in KINDS:
        zoo.huggingface_file(name)
    for options in sentencepiece_models.MODELS.values():
        sentencepiece_models.trained(**options)


def make_sentencepiece(chance: Random) -> Case:
    """Returns a trained ``.model`` with other scores, pieces and settings, and texts."""
    name = chance.choice(list(sentencepiece_models.MODELS))
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(sentencepiece_models.trained(**sentencepiece_models.MODELS[name]))
    known = {piece.piece for piece in model.pieces}
    for _ in range(chance.choice([0, 3, 40])):
        piece = chance.choice(model.pieces)
        if piece.type == 1:
            piece.score = chance.choice([0.0, -1.0, -5.5, 3.0, piece.score - 1, piece.score * 2])
    for _ in range(chance.randrange(6)):
        piece = chance.choice(model.pieces)
        if piece.type == 1:
            piece.type = chance.choice([3, 4, 5])
    for _ in range(chance.randrange(8)):
        text = zoo.whole(zoo.text_of(chance, 3)).replace(" ", "▁").replace("\x00", "")
        if text and text not in known:
            known.add(text)
            model.pieces.add(piece=text, score=-chance.random() * 9, type=chance.choice([1, 1, 4]))
    rules = model.normalizer_spec
    for field in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
        if chance.random() < 0.25:
            setattr(rules, field, not getattr(rules, field))
    if chance.random() < 0.15:
        model.trainer_spec.treat_whitespace_as_suffix = _flag(chance)
    if chance.random() < 0.2:
        model.trainer_spec.unk_surface = chance.choice(["", " ?? ", "é"])
    if chance.random() < 0.1:
        model.trainer_spec.model_type = chance.choice([1, 2, 3, 4])
    size = len(model.pieces)
    return {
        "model": model.SerializeToString(),
        "texts": [zoo.whole(zoo.text_of(chance)).replace("\x00", "") for _ in range(5)],
        "ids": [chance.randrange(size) for _ in range(12)],
    }


def run_sentencepiece(case: Case) -> str:
    """Compares ids and decoding with the reference."""
    try:
        with others():
            theirs = sentencepiece.SentencePieceProcessor(model_proto=case["model"])
    except BaseException as error:
        _is_theirs(error)
        return "not a model of sentencepiece"
    try:
        ours = read_sentencepiece(case["model"], "random.model", "random")
    except tc.TokenariumError:
        return "refused"
    for text in case["texts"]:
        with others():
            expected = theirs.encode(text)
        ids = ours.encode_ids(text)
        assert ids == expected, (
            f"other ids than sentencepiece: {text!r} gives {ids}, not {expected}"
        )
        zoo.law(ours, text)
        _same_pieces(ours, theirs, ids)
    _same_pieces(ours, theirs, case["ids"])
    return "equal"


def _same_pieces(ours: tc.Tokenizer, theirs: Any, ids: list[int]) -> None:
    with others():
        expected = theirs.decode(ids)
    found = ours.decode(ids)
    assert found == expected, (
        f"other text than sentencepiece: {ids} are {found!r}, not {expected!r}"
    )


# Ranks of tiktoken.


def make_tiktoken(chance: Random) -> Case:
    """Returns ranks of random merges, a pattern that takes every character, special tokens, and texts."""
    pieces = [bytes([byte]) for byte in range(256)]
    if _flag(chance):
        chance.shuffle(pieces)
    letters = b"abehit '1\n" + "é日".encode()
    seen = set(pieces)
    for _ in range(chance.choice([0, 5, 60, 300])):
        parts = [*pieces[256:], *(bytes([byte]) for byte in letters)]
        made = chance.choice(parts) + chance.choice(parts)
        if len(made) < 40 and made not in seen:
            seen.add(made)
            pieces.append(made)
    special = chance.sample(["<|a|>", "<|ab|>", "<|a|><|a|>", "the", "é"], chance.randrange(4))
    # Where a pattern matches nothing, tiktoken loses a character or ends with a panic, and this program refuses the text.
    pattern = chance.choice(PATTERNS) + chance.choice(["|.", r"|[\s\S]", r"|\s|\S"])
    return {
        "pieces": pieces,
        "pattern": pattern,
        "special": {name: len(pieces) + place * 3 for place, name in enumerate(special)},
        "texts": [zoo.whole(zoo.text_of(chance)) for _ in range(6)],
        "ids": [chance.randrange(len(pieces)) for _ in range(12)],
    }


def run_tiktoken(case: Case) -> str:
    """Compares ids, places and decoding with the reference."""
    pieces, special = case["pieces"], case["special"]
    try:
        with others():
            theirs = tiktoken.Encoding(
                "random",
                pat_str=case["pattern"],
                mergeable_ranks={piece: rank for rank, piece in enumerate(pieces)},
                special_tokens=special,
            )
    except BaseException as error:
        _is_theirs(error)
        return "not an encoding of tiktoken"
    lines = [base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(pieces)]
    try:
        ours = read_tiktoken(
            b"".join(lines), "random.tiktoken", "random", tiktoken_pattern(case["pattern"]), special
        )
    except tc.TokenariumError:
        return "refused"
    found = "equal"
    for text in case["texts"]:
        try:
            with others():
                plain = theirs.encode_ordinary(text)
                marked = theirs.encode(text, allowed_special="all")
                # What a pattern leaves out has no ids there, and is refused here.
                complete = theirs.decode_bytes(plain) == text.encode()
        except BaseException as error:
            _is_theirs(error)
            continue
        try:
            ids = zoo.law(ours, text)
            with_special = zoo.law(ours, text, "all")
        except tc.PatternError:
            found = "rejected a text"
            continue
        assert complete, f"a pattern that leaves characters out is taken: {text!r}"
        assert ids == plain, f"other ids than tiktoken: {text!r} gives {ids}, not {plain}"
        assert with_special == marked, f"other ids than tiktoken with special tokens: {text!r}"
        encoding = ours.encode(text, special="all")
        starts = [encoding.span(index)[0] for index in range(len(encoding))]
        with others():
            offsets = theirs.decode_with_offsets(marked)[1]
        assert [
            start for start, _ in whole_characters(text, [(s, s) for s in starts])
        ] == offsets, text
    with others():
        expected = theirs.decode_bytes(case["ids"])
    assert ours.decode_bytes(case["ids"]) == expected, "other bytes than tiktoken"
    return found


# Patterns.


def make_pattern(chance: Random) -> Case:
    """Returns a random pattern of Hugging Face's engine, and texts."""
    pattern = random_patterns.ONIGURUMA.pattern(chance)
    texts = [random_patterns.random_text(chance, pattern) for _ in range(8)]
    return {
        "pattern": pattern,
        "behavior": chance.choice(BEHAVIORS),
        "invert": chance.random() < 0.2,
        "texts": [*texts, zoo.whole(zoo.text_of(chance))],
    }


def run_pattern(case: Case) -> str:
    """Compares what a Split cuts by the pattern with Oniguruma, as tokenizers runs it."""
    behavior = "".join(f"_{c.lower()}" if c.isupper() else c for c in case["behavior"])[1:]
    try:
        with others():
            expression = tokenizers.Regex(case["pattern"])
            theirs = tokenizers.pre_tokenizers.Split(expression, behavior, case["invert"])
    except BaseException as error:
        _is_theirs(error)
        return "not a pattern of Oniguruma"
    try:
        ours = Split(FoundRegex(case["pattern"]), case["behavior"], case["invert"])
    except tc.TokenariumError:
        return "refused"
    for text in case["texts"]:
        try:
            with others():
                expected = [word for word, _ in theirs.pre_tokenize_str(text) if word]
        except BaseException as error:
            _is_theirs(error)
            continue
        data = padded(text)
        try:
            split = ours.split(unchanged(data, len(data) - PADDING, 0))
        except tc.PatternError:
            continue
        starts = [0, *split.ends]
        found = [split.text.data[a:b].decode() for a, b in zip(starts, split.ends, strict=False)]
        assert found == expected, (
            f"other cuts than Oniguruma: {case['pattern']!r} on {text!r} gives {found}, not {expected}"
        )
    return "equal"


def make_rust_pattern(chance: Random) -> Case:
    """Returns a random pattern in the syntax of tiktoken, and texts."""
    pattern = random_patterns.FANCY_REGEX.pattern(chance)
    return {
        "pattern": pattern,
        "texts": [random_patterns.random_text(chance, pattern) for _ in range(8)],
    }


def run_rust_pattern(case: Case) -> str:
    """Compares what the pattern cuts with tiktoken; a text of which tiktoken loses a character must be refused."""
    try:
        with others():
            expected = tiktoken_cuts.cuts_of_tiktoken(case["pattern"], case["texts"])
    except BaseException as error:
        _is_theirs(error)
        return "not a pattern of tiktoken"
    try:
        ours = tiktoken_pattern(case["pattern"])
    except tc.TokenariumError:
        return "refused"
    for text, pieces in zip(case["texts"], expected, strict=True):
        data = text.encode()
        try:
            ends = list(cut(ours, text).ends)
        except tc.PatternError as error:
            if "took more than" in str(error) or pieces is None or b"".join(pieces) != data:
                continue
            raise AssertionError(f"refused: {case['pattern']!r} on {text!r}: {error}") from error
        found = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        assert found == pieces, (
            f"other cuts than tiktoken: {case['pattern']!r} on {text!r} gives {found}, not {pieces}"
        )
    return "equal"


SEEDS = (_make_models,)


class _Late:
    """An encoding whose tokens are one byte late."""

    def __init__(self, encoding: tc.Encoding) -> None:
        self._encoding = encoding
        self.ids = list(encoding.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def span(self, index: int) -> tuple[int, int]:
        start, stop = self._encoding.span(index)
        return start + 1, stop + 1


def _without_the_last(tokenizer: tc.Tokenizer, text: str) -> list[int]:
    ids = tokenizer.encode_ids(text)
    return ids[:-1] if len(ids) > 2 else ids


def _in_other_case(tokenizer: tc.Tokenizer, ids: list[int]) -> str:
    return tokenizer.decode(ids).swapcase()


def _planted(reader: str, lawless: bool = True, **methods: Any) -> Fault:
    """Returns a fault in what a reader returns; the law, which would find it first, is off."""
    fault = instead(HERE, reader, bent(**methods))
    off = instead(zoo, "law", lambda before: lambda *given: [])
    return together(off, fault) if lawless else fault


def _shortened(before: Any) -> Any:
    return lambda *given: before(*given)[:-1]


def _without_special(before: Any) -> Any:
    return lambda tokenizer, text, special="none": before(tokenizer, text)


def _behaving(before: Any) -> Any:
    return lambda pattern, behavior, invert: before(pattern, "Isolated", invert)


def _not_inverted(before: Any) -> Any:
    return lambda pattern, behavior, invert: before(pattern, behavior, False)


HERE = sys.modules[__name__]

ATTACKS = [
    Attack(
        "configurations-huggingface",
        make_huggingface,
        run_huggingface,
        planted={
            "other ids than tokenizers: ": _planted(
                "read_huggingface", encode_ids=_without_the_last
            ),
            "other ids than tokenizers with special tokens": _planted(
                "read_huggingface",
                encode=lambda t, text, **o: t.encode(text, template=o.get("template", False)),
            ),
            "other ids than tokenizers in a template": _planted(
                "read_huggingface",
                encode=lambda t, text, **o: t.encode(text, special=o.get("special", "none")),
            ),
            "other places than tokenizers": _planted(
                "read_huggingface", encode=lambda t, *given, **o: _Late(t.encode(*given, **o))
            ),
            "other text than tokenizers": _planted("read_huggingface", decode=_in_other_case),
        },
    ),
    Attack(
        "configurations-sentencepiece",
        make_sentencepiece,
        run_sentencepiece,
        planted={
            "other ids than sentencepiece": _planted(
                "read_sentencepiece", encode_ids=_without_the_last
            ),
            "other text than sentencepiece": _planted("read_sentencepiece", decode=_in_other_case),
        },
    ),
    Attack(
        "configurations-tiktoken",
        make_tiktoken,
        run_tiktoken,
        planted={
            "other ids than tiktoken: ": instead(zoo, "law", _shortened),
            "other ids than tiktoken with special tokens": instead(zoo, "law", _without_special),
            "other ids with a trace": _planted(
                "read_tiktoken", lawless=False, encode_ids=backwards
            ),
            "other bytes than tiktoken": _planted(
                "read_tiktoken",
                lawless=False,
                decode_bytes=lambda tokenizer, ids: tokenizer.decode_bytes(ids)[1:],
            ),
        },
    ),
    Attack(
        "configurations-patterns",
        make_pattern,
        run_pattern,
        planted={
            "other cuts than Oniguruma": instead(HERE, "Split", _behaving),
            "other cuts than Oniguruma: ": instead(
                HERE, "FoundRegex", lambda before: lambda source: before(f"(?:{source})|b")
            ),
            "AssertionError: other cuts": instead(HERE, "Split", _not_inverted),
        },
    ),
    Attack(
        "configurations-rust-patterns",
        make_rust_pattern,
        run_rust_pattern,
        planted={
            "other cuts than tiktoken": instead(
                HERE, "tiktoken_pattern", lambda before: lambda _: before("(?s:.)")
            )
        },
    ),
]
