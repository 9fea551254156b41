"""Calls of public functions with bad arguments: ids out of range, other types, huge and broken texts."""

from __future__ import annotations

import inspect
import itertools
import threading
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any

import zoo
from attack import Attack, Case
from planting import abort, bent, fail_inside, instead

import tokenarium_core as tc
from tokenarium_core.explaining.vocabulary_entries import is_superword, superwords, words_in
from tokenarium_core.pretokenizers import pretokenizer
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.scanners import cutting, pre_tokenizer
from tokenarium_core.trace import Trace
from tokenarium_core.training.algorithms import ALGORITHMS

OTHER_NAMES = {
    "added_tokens": "AddedMatch AddedToken AddedTokens",
    "batches": "Batch Padding Truncation stored_padding stored_truncation",
    "changing.differing_texts": "DifferingText differing_texts",
    "changing.extended_files": "NewEntry",
    "changing.extending": "ChangedWord Extension extend_with",
    "changing.migrating": "Migration SpecialClash",
    "changing.pruning": "Pruned Pruning prune_curve pruned",
    "changing.residues": "Residue residues",
    "changing.special_tokens": "forgery",
    "changing.token_usage": "TokenUsage usage_of",
    "details": "Detail Source",
    "encoding": "EncodedTexts EncodeJob Template",
    "errors": "RoomError",
    "explaining.merge_path": "merges",
    "explaining.prefix_walk": "PrefixTrie PrefixWalk prefix_tries prefix_walks",
    "explaining.sampling": "SampledCut SampledCuts sample",
    "explaining.vocabulary_entries": "is_superword superwords words_in",
    "models.model": "Model",
    "models.nested_cuts": "MergeLevels NestedCuts",
    "models.unigram.lattice": "Lattice",
    "normalized_text": "NormalizedText",
    "pretokenizers.pattern": "pattern",
    "pretokenizers.pretokenizer": "PreTokenizer PreTokens cut",
    "pretokenizers.scanners": "cutting pre_tokenizer",
    "progress": "Progress",
    "text_ends": "TextEnds",
    "trace": "Trace",
    "training.algorithms": "make_trainer tokenizer_of",
    "training.bpe_trainer": "BpeTrainer",
    "training.merge_list": "from_merges",
    "training.parity_trainer": "ParityTrainer",
    "training.picky_trainer": "PickyBpeTrainer",
    "training.superbpe_trainer": "SuperBpeTrainer",
    "training.trainer": "Option Trainer",
    "training.unigram.unigram_trainer": "UnigramTrainer",
    "training.word_counts": "CountJob count merge_files",
}
"""What is called besides the names at the top of the package, by modules."""

NUMBERS = [
    *(0, 1, 2, 3, 7, 255, 256, 257, 300, 301, 1000, -1, -2, -256),
    *(2**16, 2**20, 2**21 - 1, 2**21, 2**31 - 1, 2**31, 2**32, -(2**31), -(2**31) - 1),
    *(2**62, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**30),
]
OTHERS: list[Any] = [
    None,
    True,
    1.5,
    float("nan"),
    float("inf"),
    b"bytes",
    b"",
    "text",
    "",
    [],
    {},
    ["a"],
    [1],
]
NAMES = ["bytes", "tokenarium", "none", "all", "gpt2", "cl100k", "o200k", "whitespace", "digits"]
BROKEN = [
    "gpt3", "(", "(?P<a>", "a{99999}", "[\ud800]", "\x00", "(?i:ß)|.", r"\p{Nope}", "(?R)?a|.",
]  # fmt: skip
WRONG = (tc.TokenariumError, TypeError, ValueError, IndexError, OverflowError)
"""The errors that a call may raise for a wrong argument."""


def _text(chance: Random, long: bool) -> Any:
    if long and chance.random() < 0.06:
        return {"repeat": chance.choice(zoo.LONG)}
    return zoo.text_of(chance)


def _ids(chance: Random) -> list[int]:
    size = chance.choice([0, 1, 2, 5, 40])
    if chance.random() < 0.4:
        return [chance.randrange(300) for _ in range(size)]
    return [chance.choice(NUMBERS) for _ in range(size)]


def _special(chance: Random) -> Any:
    kind = chance.random()
    if kind < 0.7:
        return chance.choice(["none", "all"])
    return {"set": chance.sample([*zoo.SIGNS, "<|endoftext|>", "<s>"], chance.randrange(3))}


# The entry points, and what makes their arguments.

_MAKE: dict[str, Callable[[Random], list[Any]]] = {
    "encode_ids": lambda c: [_text(c, True)],
    "encode_buffer": lambda c: [_text(c, True)],
    "encode_ids_batch": lambda c: [[_text(c, False) for _ in range(3)]],
    "encode": lambda c: [_text(c, True), _special(c)],
    "encode_job": lambda c: [_text(c, True), _special(c)],
    "nested_cuts": lambda c: [_text(c, False), _special(c)],
    "decode": lambda c: [_ids(c)],
    "decode_bytes": lambda c: [_ids(c)],
    "save": lambda c: [
        c.choice(["out", "out.json", "out.model", "a/b", ".", "", "\x00", "x" * 300, "\ud800"]),
        c.choice(
            ["tokenarium", "huggingface", "tiktoken", "sentencepiece", "gpt2", "vocab.txt", "zip"]
        ),
    ],
    "token_to_id": lambda c: [_text(c, False)],
    "id_to_token": lambda c: [c.choice(NUMBERS)],
    "vocabulary.piece": lambda c: [c.choice(NUMBERS)],
    "vocabulary.kind": lambda c: [c.choice(NUMBERS)],
    "vocabulary.surface": lambda c: [c.choice(NUMBERS)],
    "vocabulary.find": lambda c: [
        c.choice([b"", b"a", b"the", b"\xff" * 9, b"\x00", b"a" * 99999])
    ],
    "open": lambda c: [c.choice([*NAMES, *BROKEN, ".", "/", "/dev/null", "", "x" * 5000])],
    "cutting": lambda c: [c.choice(NAMES + BROKEN)],
    "pattern": lambda c: [c.choice(NAMES + BROKEN)],
    "pre_tokenizer": lambda c: [c.choice(NAMES + BROKEN)],
    "words_in": lambda c: [c.choice([b"", b" a b", b"\xff", b"\x00" * 99])],
    "is_superword": lambda c: [c.choice(NUMBERS)],
    "superwords": lambda c: [],
    "train": lambda c: [
        c.choice([*ALGORITHMS, "bpe3"]),
        [_text(c, False) for _ in range(c.randrange(5))],
        c.choice([0, 1, 256, 257, 270, 300, 2**21, 2**40, -1]),
    ],
}


def make_entry_points(chance: Random) -> Case:
    """Returns some calls on one tokenizer; some of the arguments are of another type."""
    calls = []
    for _ in range(chance.randrange(1, 7)):
        name = chance.choice(list(_MAKE))
        args = _MAKE[name](chance)
        if args and chance.random() < 0.25:
            args[chance.randrange(len(args))] = chance.choice([*OTHERS, chance.choice(NUMBERS)])
        calls.append([name, args])
    return {"tokenizer": chance.choice(list(zoo.MAKERS)), "calls": calls}


def run_entry_points(case: Case) -> str:
    """Makes the calls; they may only raise errors that say what is wrong with the arguments, and the tokenizer works as before."""
    tokenizer = zoo.shared(case["tokenizer"])
    before = tokenizer.encode_ids("the thing, é 12")
    refused = 0
    for name, args in case["calls"]:
        try:
            _call(tokenizer, name, [zoo.parts_of(arg) for arg in args])
        except WRONG as error:
            if isinstance(error, UnicodeError) or not str(error):
                raise
            refused += 1
    assert tokenizer.encode_ids("the thing, é 12") == before, "calls changed what a tokenizer gives"
    return "refused" if refused else "answered"


def _call(tokenizer: tc.Tokenizer, name: str, args: list[Any]) -> None:
    if name == "encode_job":
        job = tokenizer.encode_job(*args)
        while not job.finished:
            job.step(100.0)
    elif name == "nested_cuts":
        cuts = tokenizer.nested_cuts(*args)
        while not cuts.finished:
            cuts.step(100.0)
    elif name == "is_superword":
        is_superword(tokenizer.vocabulary, *args)
    elif name == "superwords":
        superwords(tokenizer)
    elif name == "train":
        tc.train(args[0], args[1], vocab_size=args[2])
    elif name in ("cutting", "pattern", "pre_tokenizer"):
        makers: dict[str, Callable[..., Any]] = {
            "cutting": cutting,
            "pattern": pattern,
            "pre_tokenizer": pre_tokenizer,
        }
        cut(makers[name](*args), "the thing, é 12")
    elif name == "open":
        tc.open(*args)
    elif name == "words_in":
        words_in(*args)
    elif name.startswith("vocabulary."):
        getattr(tokenizer.vocabulary, name.partition(".")[2])(*args)
    else:
        getattr(tokenizer, name)(*args)


# Everything that can be reached: the process must go on, whatever a call answers.

_VALUES = "value"
_POOL = "pool"
_SIZES = [number for number in NUMBERS if not 10**5 < number < 2**40]


def make_reachable(chance: Random) -> Case:
    """Returns steps over a growing pool of objects: an attribute of one of them, called where it can be."""
    steps = [
        [chance.randrange(1 << 16), chance.randrange(1 << 16), [_any(chance) for _ in range(9)]]
        for _ in range(chance.randrange(4, 40))
    ]
    return {"tokenizer": chance.choice(list(zoo.MAKERS)), "steps": steps}


def _any(chance: Random) -> dict[str, Any]:
    kind = chance.random()
    if kind < 0.35:
        return {_POOL: chance.randrange(1 << 16)}
    if kind < 0.6:
        return {_VALUES: chance.choice(_SIZES)}
    if kind < 0.75:
        return {_VALUES: zoo.text_of(chance, 4)}
    if kind < 0.85:
        return {_VALUES: bytes(chance.randrange(256) for _ in range(chance.randrange(40)))}
    return {_VALUES: chance.choice(OTHERS)}


def run_reachable(case: Case) -> str:
    """Makes the calls; each result becomes another object to call."""
    tokenizer = zoo.MAKERS[case["tokenizer"]]()
    trace = Trace()
    text = "the thing <|endoftext|>, é 12 aaaa"
    named = [getattr(tc, name) for name in tc.__all__ if name not in ("train", "open")]
    named += [
        getattr(import_module(f"tokenarium_core.{module}"), name)
        for module, names in OTHER_NAMES.items()
        for name in names.split()
    ]
    # What is a list or a dict there is Python's own: to empty it breaks the next case, and is no call of ours.
    pool: list[Any] = [value for value in named if not isinstance(value, (list, dict))]
    pool += [tokenizer, tokenizer.vocabulary, trace, tokenizer.encode(text, "all", trace=trace)]
    pool += [tokenizer.model, tokenizer.pre_tokenizer, tokenizer.decoder, tokenizer.added_tokens]
    answered = 0
    for which, member, args in case["steps"]:
        # The later half of the pool is what the steps have made.
        target = pool[-1 - which % len(pool)] if which & 1 << 15 else pool[which % len(pool)]
        names = [name for name in dir(target) if not name.startswith("_")]
        try:
            if names and not (isinstance(target, type) and member & 1):
                found = getattr(target, names[member % len(names)])
            else:
                found = target
            if callable(found):
                values = [
                    pool[arg[_POOL] % len(pool)] if _POOL in arg else arg[_VALUES] for arg in args
                ]
                found = found(*values[: _count(found, member)])
        except Exception:
            continue
        answered += 1
        if type(found).__module__.startswith("tokenarium_core"):
            pool.append(found)
        elif hasattr(found, "__next__"):
            pool += list(itertools.islice(found, 3))
        elif isinstance(found, list):
            pool += found[:2]
    return "answered" if answered else "refused"


def _count(function: Any, chance: int) -> int:
    """Returns how many arguments to give: most often as many as it takes."""
    try:
        wanted = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is not parameter.KEYWORD_ONLY
        ]
    except (TypeError, ValueError):
        return chance % 5
    least = sum(parameter.default is parameter.empty for parameter in wanted)
    return least + chance % (len(wanted) - least + 1)


# Several threads on one tokenizer.


def make_threads(chance: Random) -> Case:
    """Returns texts, and a tokenizer on which several threads encode and decode them."""
    texts = [zoo.text_of(chance, 30) for _ in range(6)]
    texts.append(zoo.text_of(chance, 30) * 40)
    return {
        "tokenizer": chance.choice(list(zoo.MAKERS)),
        "texts": texts,
        "orders": [[chance.randrange(7) for _ in range(12)] for _ in range(4)],
    }


def run_threads(case: Case) -> str:
    """Encodes and decodes in several threads at once: the results are those of one thread."""
    texts = case["texts"]
    name = case["tokenizer"]
    alone, together = zoo.MAKERS[name](), zoo.MAKERS[name]()
    expected = [_answers(alone, text) for text in texts]
    wrong: list[str] = []
    start = threading.Barrier(len(case["orders"]))

    def work(order: list[int]) -> None:
        start.wait()
        for place in order:
            try:
                if _answers(together, texts[place]) != expected[place]:
                    wrong.append("several threads on one tokenizer get other ids")
            except BaseException as error:
                wrong.append(f"a thread got a {type(error).__name__} that one alone does not get")

    threads = [threading.Thread(target=work, args=(order,)) for order in case["orders"]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, sorted(set(wrong))[0]
    return "equal"


def _answers(tokenizer: tc.Tokenizer, text: str) -> Any:
    """Returns the results of several calls on a text; a refusal as its sentence."""
    try:
        ids = tokenizer.encode_ids(text)
        encoding = tokenizer.encode(text, special="all")
        trace = Trace()
        tokenizer.encode(text, trace=trace)
        spans = list(encoding.spans)
        return ids, tokenizer.decode(ids), list(encoding.ids), spans, list(trace.results)
    except tc.TokenariumError as error:
        return type(error).__name__


SEEDS = (zoo.make_all,)


def _worn(tokenizer: tc.Tokenizer, *values: Any, **named: Any) -> Any:
    """Gives other ids the more often it is asked."""
    _asked[0] += 1
    return [_asked[0], *tokenizer.encode_ids(*values, **named)]


_asked = [0]


def _unshared(tokenizer: tc.Tokenizer, *values: Any) -> Any:
    ids = tokenizer.encode_ids(*values)
    return ids if threading.current_thread() is threading.main_thread() else ids[::-1]


def _with_bent_makers(makers: dict[str, Any]) -> dict[str, Any]:
    return {name: bent(encode_ids=_unshared)(maker) for name, maker in makers.items()}


ATTACKS = [
    Attack(
        "calls-entry-points",
        make_entry_points,
        run_entry_points,
        seconds=20.0,
        planted={
            "A PLANTED FAULT": instead(zoo, "shared", bent(decode=fail_inside)),
            "calls changed what a tokenizer gives": instead(zoo, "shared", bent(encode_ids=_worn)),
        },
    ),
    Attack(
        "calls-reachable",
        make_reachable,
        run_reachable,
        planted={"ends the process by SIGABRT": instead(pretokenizer, "cut", lambda before: abort)},
    ),
    Attack(
        "calls-threads",
        make_threads,
        run_threads,
        planted={"get other ids": instead(zoo, "MAKERS", _with_bent_makers)},
    ),
]
