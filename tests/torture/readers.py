"""Files of every format with faults, as other programs read them: each verdict is true of the rules, and of the program."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import faulty_folders
import model_folders
import mutation_seeds
import mutations
import zoo
from attack import Attack, Case, check_sentence, others
from differing_pairs import fields_of
from hf_models import KINDS
from planting import fail_inside, instead

import tokenarium_core as tc
from tokenarium.models.compare.installed_programs import (
    AROUND,
    SPECIAL,
    answer,
    installed_version,
)
from tokenarium_core.added_tokens import ALL, NONE
from tokenarium_core.comparing.readers.reader import Reader, ReaderFile, Reading
from tokenarium_core.comparing.readers.readers import (
    NOT_READ,
    OTHER,
    READERS,
    REFUSES,
    SAME,
    UNKNOWN,
    VERDICTS,
    ReaderResult,
    read_as_others,
)
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, MAY_CHANGE_IDS
from tokenarium_core.errors import TokenariumError

FOLDER = Path("case")
MOST_READERS = 4
"""How many programs a case asks."""

CLASSES = [
    "GPT2Tokenizer", "LlamaTokenizer", "LlamaTokenizerFast", "Qwen2Tokenizer", "BertTokenizer", "T5TokenizerFast", "GemmaTokenizer",
    "PreTrainedTokenizerFast", "TokenizersBackend", "XLMRobertaTokenizer", "CLIPTokenizer", "NoTokenizer", "", None, 7, ["a"],
]  # fmt: skip
MODELS = ["llama", "gpt2", "bert", "t5", "mistral", "qwen2", "gemma", "clip", "none-such", None]
PROGRAMS = ("tokenizers", "sentencepiece", "transformers")
ODD = "\ud800"


def make_mutant(chance: Random) -> Case:
    """Returns the files of a tokenizer with some faults or none, whether they are a folder, and texts."""
    if chance.random() < 0.4:
        files = _folder(chance)
        folder = True
    else:
        files = mutation_seeds.seeds()[chance.choice(list(mutation_seeds.seeds()))]
        folder = False
    if chance.random() < 0.75:
        files = mutations.mutated(chance, files)
    return {
        "files": files,
        "folder": folder,
        "texts": [zoo.text_of(chance) for _ in range(8)],
        "seed": chance.randrange(1 << 30),
    }


def _folder(chance: Random) -> mutations.Files:
    """Returns a folder of a model whose settings name a class, and much else."""
    files = faulty_folders.faulty(chance)
    for name, content in model_folders.random_settings(chance).items():
        before = json.loads(files.get(name, b"{}").removeprefix(b"\xef\xbb\xbf"))
        files[name] = json.dumps({**before, **content}).encode()
    for name, changes in (
        ("tokenizer_config.json", {"tokenizer_class": chance.choice(CLASSES)}),
        ("config.json", {"model_type": chance.choice(MODELS), "transformers_version": "4.50.1"}),
    ):
        fields = json.loads(files[name].removeprefix(b"\xef\xbb\xbf"))
        files[name] = json.dumps({**fields, **changes}).encode()
    return files


def run_mutant(case: Case) -> str:
    """Asks some programs what they make of a file: each answer is true of the rules, and of the program if it is there."""
    FOLDER.mkdir()
    path = mutations.written(case["files"], FOLDER)
    try:
        tokenizer = tc.open(FOLDER if case["folder"] else path, cache=False)
    except TokenariumError as error:
        check_sentence(error)
        return "not opened"
    file = ReaderFile(tokenizer)
    chance = Random(case["seed"])
    readers = [reader for reader in READERS if file.format in reader.formats]
    readers = chance.sample(readers, min(MOST_READERS, len(readers)))
    texts = [zoo.whole(text) for text in case["texts"]]
    results = read_as_others(tokenizer, texts, readers)
    assert [one.reading.reader for one in results] == readers, "programs are left out"
    for result in results:
        _check_result(tokenizer, result, [*texts, ODD])
        _check_program(tokenizer, result, [*texts, *([result.text] if result.text else [])])
    words = sorted({one.verdict for one in results}, key=VERDICTS.index)
    return words[0] if words else "no program"


# By the rules.


def _check_result(tokenizer: tc.Tokenizer, result: ReaderResult, texts: list[str]) -> None:
    """Compares a verdict with the tokenizer that the rules make."""
    assert result.verdict in VERDICTS, f"no verdict: {result.verdict}"
    json.dumps(result.as_json())
    said = result.program
    reading = _reading(tokenizer, result.reading.reader)
    words = {REFUSES: reading.refusal, UNKNOWN: reading.unknown, NOT_READ: reading.not_read}
    if result.verdict in words or any(words.values()):
        assert words.get(result.verdict), f"{said}: {result.verdict}, but the rules say {words}"
        assert result.cause, f"{said}: {result.verdict} without a reason"
        return
    if result.verdict == OTHER:
        assert result.text is not None, f"{said}: other ids, but there is no text"
        ways = [(NONE, True)] if result.around else [(NONE, False), (ALL, False)]
        found = [_both(tokenizer, reading, result.text, *way) for way in ways]
        assert result.ids != result.other_ids, f"{said}: {result.text!r} shows nothing"
        shown = (result.ids, result.other_ids)
        assert shown in found, f"{said}: {result.text!r} has {found}, and not {shown}"
        return
    if result.diff is not None and result.diff.worst == MAY_CHANGE_IDS:
        return  # says that there may be such a text
    assert result.diff is None or result.diff.worst != CHANGES_IDS, f"{said}: a text is left out"
    for text in texts:
        for special in (NONE, ALL):
            ids, other = _both(tokenizer, reading, text, special, False)
            assert ids == other, (
                f"{said}: {result.verdict}, but {text!r} has {ids} and {other}, special tokens {special}"
            )


def _reading(tokenizer: tc.Tokenizer, reader: Reader) -> Reading:
    """Returns what a program makes of the file; a job of texts forgets it."""
    return reader.read(ReaderFile(tokenizer))


def _both(
    tokenizer: tc.Tokenizer, reading: Reading, text: str, special: str, template: bool
) -> tuple[list[int], list[int]]:
    """Returns the ids of a text, and those by the rules of a program."""
    ids = _ids(tokenizer, text, special, template)
    if reading.encoder is not None:
        plain = _ids(tokenizer, text, NONE, False)
        return plain, _attempt(lambda: reading.encoder.encode_ids(text))  # type: ignore[union-attr]
    assert reading.tokenizer is not None, "a program reads the file, but there is no tokenizer"
    return ids, _ids(reading.tokenizer, text, special, template)


def _ids(tokenizer: tc.Tokenizer, text: str, special: str, template: bool) -> list[int]:
    return _attempt(lambda: tokenizer.encode_ids(text, special, template=template))


def _attempt(encode: Callable[[], list[int]]) -> list[int]:
    try:
        return encode()
    except TokenariumError:
        return [-1]  # as a comparison has it


# By the program.


def _check_program(tokenizer: tc.Tokenizer, result: ReaderResult, texts: list[str]) -> None:
    """Compares a verdict with the program itself, where it is installed in this version."""
    reader = result.reading.reader
    if reader.group not in PROGRAMS or installed_version(reader.group) != reader.version:
        return
    if result.verdict in (UNKNOWN, NOT_READ):
        return
    source = tokenizer.source
    path = source.path if reader.group == "transformers" else source.files[0]
    with others():
        said = answer({"program": reader.group, "path": str(path), "texts": texts})
    if "Validation error for field" in said.get("refusal", ""):
        return  # of the model's configuration, whose fields no rule looks at
    if "refusal" in said:
        assert result.verdict == REFUSES, (
            f"{reader.group} refuses a file: {result.verdict}, {said['refusal'][:300]}"
        )
        return
    ids = [one for one in said["ids"] if isinstance(one, list)]
    if result.verdict == REFUSES:
        assert len(ids) < len(texts), f"{reader.name}: it reads the file, and not {result.cause}"
        return
    reading = _reading(tokenizer, reader)
    special = ALL if reader.group in SPECIAL else NONE
    template = reader.group in AROUND
    for text, theirs in zip(texts, said["ids"], strict=True):
        if isinstance(theirs, list):
            ours = _both(tokenizer, reading, text, special, template)[1]
            assert ours == theirs, (
                f"{reader.name}: {text!r} has {theirs} in the program, and {ours} by the rules"
            )


def _import_programs() -> None:
    """Imports the programs before the limits: they need memory and time of their own."""
    for kind in KINDS:
        fields_of(kind)
    mutation_seeds.seeds()
    for program in PROGRAMS:
        if installed_version(program):
            answer({"program": program, "path": "nowhere", "texts": []})


SEEDS = (zoo.make_all, _import_programs)


# Faults.


def _changed(change: Callable[[ReaderResult], None]) -> Any:
    """Returns what makes results that are wrong."""

    def make(before: Any) -> Any:
        def wrong(*given: Any) -> Iterable[ReaderResult]:
            results: list[ReaderResult] = before(*given)
            for one in results:
                change(one)
            return results

        return wrong

    return make


def _same(result: ReaderResult) -> None:
    if result.verdict == OTHER:
        result.verdict, result.diff = SAME, None


def _longer(result: ReaderResult) -> None:
    if result.text is not None:
        result.text += "."


def _shown(result: ReaderResult) -> None:
    result.other_ids = result.ids


def _known(result: ReaderResult) -> None:
    if result.verdict == REFUSES:
        result.verdict = SAME


def _backwards(before: Any) -> Any:
    def ask(asked: Any) -> Any:
        said = before(asked)
        ids = said.get("ids", [])
        return {**said, "ids": [one[::-1] if isinstance(one, list) else one for one in ids]}

    return ask


HERE = sys.modules[__name__]

ATTACKS = [
    Attack(
        "readers-mutant",
        make_mutant,
        run_mutant,
        seconds=30.0,
        planted={
            "same-ids, but": instead(HERE, "read_as_others", _changed(_same)),
            "and not (": instead(HERE, "read_as_others", _changed(_longer)),
            "shows nothing": instead(HERE, "read_as_others", _changed(_shown)),
            "but the rules say": instead(HERE, "read_as_others", _changed(_known)),
            "in the program, and": instead(HERE, "answer", _backwards),
            "KeyError": instead(HERE, "read_as_others", lambda before: fail_inside),
        },
    ),
]
