"""Evaluates a tokenizer for a release: measures it on texts, and checks it against its model's files."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

import tokenarium_core as tc
from tokenarium.models.chat.chat_tokens import chat_tokens, written
from tokenarium.models.chat.template_files import read_chat_templates, templates_of
from tokenarium.models.compare.comparing import (
    MOST_FILES,
    ComparedTokenizer,
    named_parts,
)
from tokenarium.models.compare.kept_lines import LanguageTexts
from tokenarium.models.compare.language_premiums import language_premiums
from tokenarium.models.compare.metric import ratio
from tokenarium.models.compare.metrics import METRICS, Figures, figures_of, words_mean_something
from tokenarium.models.compare.parallel_texts import ParallelText, aligned, of_folder, shipped
from tokenarium.models.compare.tally import Tally, empty, measured, tally
from tokenarium.models.diagnosis.diagnosis_entries import unreachable
from tokenarium.models.diagnosis.diagnosis_files import FILES, id_settings, model_fields
from tokenarium.models.diagnosis.diagnosis_stored import Renderer, sample_chat, start_count
from tokenarium.models.diagnosis.diagnosis_texts import TRIED, injection, round_trip
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.programs import MOST_TEXT, CodeTokenizer, CodeValue, program
from tokenarium.models.programs import written as written_value
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.release.evaluation_report import (
    CheckedFigure,
    CutText,
    EvaluationReport,
    LostText,
    ScriptFigures,
    TextFigures,
)
from tokenarium.models.release.release_limits import CHECKS, ReleaseLimits, declared_limits
from tokenarium.models.scripts.text_scripts import CountedTokens, TokenScripts, text_scripts
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES, VocabularyScripts
from tokenarium.models.text.piece import readable
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.keeping import reading_notes
from tokenarium.resources.samples_index import load_samples
from tokenarium_core.explaining.piece_facts import BYTES, COMMON, MIXED, RESERVED, SPECIAL
from tokenarium_core.formats.chat_part import own_tokens
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import BYTE

if TYPE_CHECKING:
    from tokenarium.models.progress_reporter import ProgressReporter

OWN_TEXTS: Final = "Tokenarium's samples"
OWN_SENTENCES: Final = "Tokenarium's sentences"

NUMBERS: Final = (
    "7",
    "42",
    "128",
    "1000",
    "1037",
    "9847",
    "12345",
    "1234567",
    "3.14159",
    "2024-12-31",
)
"""Numbers whose tokens are shown."""

SPACES: Final = (
    ("2 spaces", "  "),
    ("4 spaces", "    "),
    ("8 spaces", "        "),
    ("16 spaces", " " * 16),
    ("a tab", "\t"),
    ("two tabs", "\t\t"),
    ("an empty line", "\n"),
)
"""Indentation whose tokens are shown."""

FRAME: Final = "a\n{}b"
"""Where the indentation is: at the beginning of a line."""

MOST_LOST: Final = 20
"""Texts that do not survive a round trip, of which the first difference is shown."""

MOST_CASES: Final = 8
CONTEXT: Final = 12
"""Characters that are shown from a difference on."""

LETTERS: Final = 0.01
"""The share of the letters of the texts from which a script needs entries."""

_NO_SCRIPT: Final = (COMMON, MIXED, BYTES, SPECIAL, RESERVED)

STEPS: Final = ("Texts", "Languages", "Entries", "Special tokens", "Chat template", "Configuration")
"""The names of the stages that `evaluate` reports."""


class EvaluationStopped(tc.TokenariumError):
    """The evaluation was asked to stop."""


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to evaluate, and how.

    Without ``sources``, the texts are the program's samples; without ``parallel``, a folder with a text for each
    language, its sentences. ``config`` is a model's config.json or its folder, if it is not beside the tokenizer.
    """

    candidate: ComparedTokenizer
    sources: tuple[CorpusSource, ...] = ()
    parallel: str = ""
    config: str = ""
    limits: ReleaseLimits = field(default_factory=declared_limits)


def evaluate_request(report: ProgressReporter, request: EvaluationRequest) -> EvaluationReport:
    """Evaluates for a process of its own, with its progress."""

    def reported(progress: Progress) -> None:
        if report.asked_to_stop:
            raise EvaluationStopped("The check was stopped.")
        report(progress)

    reported(stage("Opening", 0.0))
    tokenizer = request.candidate.open()
    tokenizer.name = request.candidate.name
    return evaluate(
        tokenizer, request.sources, request.parallel, request.config, request.limits, reported
    )


def evaluate(
    tokenizer: tc.Tokenizer,
    sources: Sequence[CorpusSource] = (),
    parallel: str | Path = "",
    config: str | Path = "",
    limits: ReleaseLimits | None = None,
    reported: ReportProgress = lambda _: None,
    render: Renderer = written,
) -> EvaluationReport:
    """Returns the evaluation report of a tokenizer; see `EvaluationRequest` for what the arguments are.

    TokenariumError if the texts cannot be read.
    """
    made: dict[str, CheckedFigure] = {}
    limits = limits or declared_limits()
    checks = {check.id: check for check in CHECKS}

    def put(id: str, figure: float | None, cases: Iterable[str] = (), note: str = "") -> None:
        shown = tuple(cases)[:MOST_CASES]
        made[id] = CheckedFigure(checks[id], figure, limits[id], shown, note)

    texts = _measure_texts(tokenizer, sources, reported)
    _check_texts(texts, put)
    languages = _measure_languages(tokenizer, parallel, put, reported)
    scripts = VocabularyScripts(tokenizer.vocabulary)
    reported(stage(STEPS[2], 0.55))
    _check_scripts(texts, scripts, put)
    finding = unreachable(tokenizer)
    kinds = memoryview(tokenizer.vocabulary.kinds)
    lost = sum(kinds[token] != BYTE for token in finding.tokens)  # some bytes occur in no UTF-8
    put(
        "unreachable",
        100 * lost / max(len(tokenizer.vocabulary), 1),
        (f"id {case.token}: {case.note}" for case in finding.evidence if kinds[case.token] != BYTE),
    )
    reported(stage(STEPS[3], 0.85))
    hard = round_trip(tokenizer)
    put("hard_texts", 100 * (1 - hard.count / len(TRIED)), (case.note for case in hard.evidence))
    _check_special(tokenizer, put)
    _check_cuts(tokenizer, put)
    folder = _folder(tokenizer, config)
    reported(stage(STEPS[4], 0.92))
    _check_chat(tokenizer, folder, put, render)
    reported(stage(STEPS[5], 0.98))
    _check_config(tokenizer, folder, config, put)
    reported(stage("Done", 1.0))
    return EvaluationReport(
        name=tokenizer.name,
        tokenizer={
            "format": tokenizer.source.format,
            "source": tokenizer.source.path,
            "entries": len(tokenizer.vocabulary),
            "files": [
                {"name": name, "sha256": digest} for name, digest in tokenizer.source.digests()
            ],
        },
        corpus={
            "name": texts.name,
            "texts": texts.total.texts,
            "bytes": texts.total.byte_count,
            "characters": texts.total.characters,
            "words": texts.total.word_count,
            "languages": languages.name,
            "sha256": hashlib.sha256(f"{texts.sha256} {languages.sha256}".encode()).hexdigest(),
        },
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        version=tc.__version__,
        checks=tuple(made[check.id] for check in CHECKS),
        files=tuple(texts.rows),
        languages=tuple(languages.rows),
        scripts=tuple(_script_rows(scripts, texts.scripts)),
        numbers=tuple(CutText(text, _pieces(tokenizer, text)) for text in NUMBERS),
        spaces=tuple(
            CutText(name, _pieces(tokenizer, FRAME.format(blanks))) for name, blanks in SPACES
        ),
        lost=tuple(texts.lost),
        notes=tuple(texts.notes),
        measures=_measures(texts),
    )


Put = Callable[..., None]


_IMPORTS: Final = """
from pathlib import Path
from tokenarium.models.release.evaluation import evaluate
from tokenarium.models.release.release_limits import ReleaseLimit, declared_limits
from tokenarium.models.training.corpus_files import CorpusSource
"""

_PROGRAM: Final = """
report = evaluate(TOKENIZER, TEXTS, config=CONFIG, limits=declared_limits() | LIMITS)
rows = report.as_dict()["checks"]
Path("evaluation.json").write_text(report.as_json(), "utf-8")
print(report.summary)
"""


def evaluation_code(request: EvaluationRequest, file: str = "") -> str:
    """Returns a program that makes the report again; a long text is read from a ``file`` that has it."""
    declared = declared_limits()
    changed = {name: limit for name, limit in request.limits.items() if limit != declared[name]}
    long = next(
        (
            source
            for source in request.sources
            if source.kind == "text" and len(source.value) > MOST_TEXT
        ),
        None,
    )
    sources = [
        "CorpusSource('text', TEXT)" if source is long else written_value(source)
        for source in request.sources
    ]
    candidate = request.candidate
    kind, _, shipped = candidate.key.partition(":")
    return program(
        candidate.name,
        _IMPORTS,
        _PROGRAM,
        text=None if long is None else long.value,
        file=file,
        front=CodeTokenizer(
            candidate.name,
            candidate.source,
            candidate.pattern,
            shipped if kind == "shipped" else "",
        ),
        values={
            "TEXTS": CodeValue(f"[{', '.join(sources)}]"),
            "LIMITS": changed,
            "CONFIG": request.config,
        },
    )


# The texts.


@dataclass(slots=True)
class _TextCounts:
    """The counts over all texts, of those with words, and by script; the figures of each text."""

    name: str
    total: Tally
    spaced: Tally
    scripts: TokenScripts
    rows: list[TextFigures] = field(default_factory=list)
    lost: list[LostText] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sha256: str = ""


def _measure_texts(
    tokenizer: tc.Tokenizer, sources: Sequence[CorpusSource], reported: ReportProgress
) -> _TextCounts:
    nothing = empty(tokenizer)
    titles = ", ".join(source.title for source in sources)
    counts = _TextCounts(titles or OWN_TEXTS, nothing, nothing, TokenScripts.nothing())
    digest = hashlib.sha256()
    file, of_file = "", nothing
    for name, text, share in _texts(sources, counts.notes):
        reported(stage(STEPS[0], 0.45 * share))
        utf8 = text.encode("utf-8", "surrogatepass")
        digest.update(len(utf8).to_bytes(8, "little") + utf8)
        one = tally(tokenizer, measured(text))
        counts.total = counts.total + one
        if words_mean_something(one):
            counts.spaced = counts.spaced + one
        encoding = tokenizer.encode(text)
        counts.scripts += text_scripts(utf8, CountedTokens.of(tokenizer, encoding))
        if one.changed and len(counts.lost) < MOST_LOST:
            counts.lost.append(_lost(name, utf8, tokenizer.decode_bytes(list(encoding.ids))))
        if name != file:
            _add_row(counts, file, of_file)
            file, of_file = name, one
        else:
            of_file = of_file + one
    _add_row(counts, file, of_file)
    if not counts.total.texts:
        raise tc.TokenariumError(" ".join(["The texts of the check are empty.", *counts.notes]))
    counts.sha256 = digest.hexdigest()
    return counts


def _measures(texts: _TextCounts) -> dict[str, float | None]:
    """Returns all figures of the texts by their ids; those of words are of the texts with words."""
    whole, spaced = figures_of(texts.total), figures_of(texts.spaced)
    return {one.id: (spaced if one.of_words else whole).value(one.id) for one in METRICS}


def _texts(sources: Sequence[CorpusSource], notes: list[str]) -> Iterator[tuple[str, str, float]]:
    """Yields each text with the name of its file, and the share of all that was read before."""
    if not sources:
        samples = [sample for sample in load_samples() if sample.group != "Hard cases"]
        for index, sample in enumerate(samples):
            yield sample.title, sample.text(), index / len(samples)
        return
    corpus = Corpus(sources)
    notes += reading_notes(corpus)
    total, done = max(corpus.total, 1), 0
    for name, source in named_parts(corpus):
        part = Corpus([source])
        for text in part:
            yield name, text, min((done + part.done) / total, 1.0)
        done += part.done
        notes += reading_notes(part)


def _add_row(counts: _TextCounts, name: str, one: Tally) -> None:
    """Adds the row of a file, whose documents were counted together."""
    if one.texts and len(counts.rows) < MOST_FILES:
        counts.rows.append(_row(name, figures_of(one), one))


def _row(name: str, figures: Figures, counts: Tally, premium: float | None = None) -> TextFigures:
    words = figures.words_say
    return TextFigures(
        name,
        counts.byte_count,
        counts.characters,
        counts.word_count,
        counts.tokens,
        figures.value("bytes_per_token"),
        figures.value("characters_per_token"),
        figures.value("fertility") if words else None,
        figures.value("fertility_alone") if words else None,
        figures.value("whole_words") if words else None,
        100 * figures.unknown_share,
        not counts.changed,
        premium,
    )


def _lost(name: str, was: bytes, became: bytes) -> LostText:
    """Returns where a text first differs from what decoding gives back."""
    shorter = min(len(was), len(became))
    at = next((index for index in range(shorter) if was[index] != became[index]), shorter)
    return LostText(name, at, _excerpt(was, at), _excerpt(became, at))


def _excerpt(utf8: bytes, at: int) -> str:
    """Returns some characters from the one on that a byte belongs to."""
    while at and at < len(utf8) and utf8[at] & 0xC0 == 0x80:
        at -= 1
    text = utf8[at : at + 4 * CONTEXT].decode("utf-8", "replace")[:CONTEXT]
    return readable(text.encode("utf-8"))


def _check_texts(texts: _TextCounts, put: Put) -> None:
    total, spaced = texts.total, texts.spaced
    figures = figures_of(total)
    put("bytes_per_token", figures.value("bytes_per_token"))
    known = [row for row in texts.rows if row.bytes_per_token is not None]
    known.sort(key=lambda row: row.bytes_per_token or 0.0)
    put(
        "worst_file",
        known[0].bytes_per_token if known else None,
        (f"{row.name}: {row.bytes_per_token:.2f}" for row in known),
    )
    words = figures_of(spaced) if spaced.word_count else None
    for check, metric in (
        ("fertility", "fertility"),
        ("fertility_alone", "fertility_alone"),
        ("whole_words", "whole_words"),
    ):
        note = "" if words else "No text has spaces between its words."
        put(check, words.value(metric) if words else None, (), note)
    unknown = sorted(texts.rows, key=lambda row: -(row.unknown or 0.0))
    put(
        "unknown",
        100 * total.unknown_share,
        (f"{row.name}: {row.unknown:.2f}%" for row in unknown if row.unknown),
    )
    put("byte_tokens", figures.value("fallback"))
    put(
        "round_trip",
        100 * (total.texts - total.changed) / total.texts,
        (
            f"{lost_text.name}, byte {lost_text.at:,}: “{lost_text.was}” becomes “{lost_text.became}”"
            for lost_text in texts.lost
        ),
    )


def _measure_languages(
    tokenizer: tc.Tokenizer, parallel: str | Path, put: Put, reported: ReportProgress
) -> _TextCounts:
    """Measures parallel texts: their figures, and what each language costs against English, or else the first one."""
    reported(stage(STEPS[1], 0.45))
    nothing = empty(tokenizer)
    counts = _TextCounts(OWN_SENTENCES, nothing, nothing, TokenScripts.nothing())
    texts: list[ParallelText] = shipped()
    if parallel:
        counts.name = str(parallel)
        texts, counts.notes = of_folder(Path(parallel))
    by_line = aligned(texts)
    counted = LanguageTexts(texts, by_line).counts(tokenizer)
    english = ("en", "eng", "english")
    titles = tuple(text.title for text in texts)
    base = next((at for at, text in enumerate(texts) if text.language.casefold() in english), 0)
    costs = language_premiums(counted, base, titles)
    for index, text in enumerate(texts):
        figures = counted.figures[index]
        size, characters, words, _ = figures.raw
        value = figures.value
        says = figures.words_say
        counts.rows.append(
            TextFigures(
                text.title,
                size,
                characters,
                words,
                int(value("tokens") or 0),
                value("bytes_per_token"),
                value("characters_per_token"),
                value("fertility") if says else None,
                value("fertility_alone") if says else None,
                value("whole_words") if says else None,
                100 * figures.unknown_share,
                value("round_trip") == 100,
                float(costs[index].value),
            )
        )
    # Where much of a language became unknown tokens, its cost means nothing.
    sure = [
        (float(cost.value), title)
        for cost, title in zip(costs, titles, strict=True)
        if not cost.doubt and cost.value == cost.value
    ]
    sure.sort(reverse=True)
    put(
        "premium",
        sure[0][0] if sure else None,
        (f"{title}: {value:.2f} times the tokens of {titles[base]}" for value, title in sure),
    )
    counts.sha256 = hashlib.sha256("\f".join(text.text for text in texts).encode()).hexdigest()
    return counts


# The vocabulary.


def _check_scripts(texts: _TextCounts, scripts: VocabularyScripts, put: Put) -> None:
    sizes = texts.scripts.bytes.copy()
    sizes[list(_NO_SCRIPT)] = 0
    letters = max(int(sizes.sum()), 1)
    without = np.flatnonzero((sizes >= LETTERS * letters) & (scripts.counts == 0))
    put(
        "scripts_without",
        len(without),
        (
            f"{CLASS_NAMES[number]}: {100 * sizes[number] / letters:.1f}% of the letters"
            for number in without
        ),
    )


def _script_rows(scripts: VocabularyScripts, texts: TokenScripts) -> Iterator[ScriptFigures]:
    """Yields a row for each script of the entries or of the texts, the largest first."""
    order = np.argsort(-scripts.counts, kind="stable")
    for number in order.tolist():
        entries, tokens = int(scripts.counts[number]), int(texts.tokens[number])
        if entries or tokens:
            size = int(texts.bytes[number])
            yield ScriptFigures(
                CLASS_NAMES[number],
                entries,
                entries / max(scripts.total, 1),
                ratio(int(scripts.byte_counts[number]), entries),
                tokens,
                size,
                ratio(size, tokens),
            )


# Special tokens, numbers and white space.


def _check_special(tokenizer: tc.Tokenizer, put: Put) -> None:
    special = tokenizer.special_tokens
    cut = []
    for text, token in special.items():
        ids = list(tokenizer.encode(text, "all").ids)
        if token not in ids or len(ids) > 2:  # a mark before the text may come with it
            cut.append(f"“{text}” (id {token:,}) becomes {', '.join(map(str, ids))}")
    note = "" if special else "It has no special tokens."
    put("special_whole", len(cut) if special else None, cut, note)
    made = [case for case in injection(tokenizer).evidence if case.ids]
    put(
        "special_injected",
        len(made) if special else None,
        (f"“{case.text}” (id {case.token:,})" for case in made),
        note,
    )


def _pieces(tokenizer: tc.Tokenizer, text: str) -> tuple[str, ...]:
    """Returns the tokens of a text as texts."""
    return tuple(
        readable(tokenizer.vocabulary.piece(token)) for token in tokenizer.encode_ids(text)
    )


def _check_cuts(tokenizer: tc.Tokenizer, put: Put) -> None:
    shapes: Counter[tuple[int, ...]] = Counter()
    example: dict[tuple[int, ...], str] = {}
    for number in range(1000, 10000):
        text = str(number)
        spans = array_of(tokenizer.encode(text).spans).reshape(-1, 2)
        sizes = (spans[:, 1] - spans[:, 0]).tolist()
        shape = tuple(size for size in sizes if size)
        shapes[shape] += 1
        example.setdefault(shape, text)
    put(
        "numbers",
        100 * max(shapes.values()) / shapes.total(),
        (
            f"{'+'.join(map(str, shape))}: {100 * count / shapes.total():.1f}%, such as {example[shape]}"
            for shape, count in shapes.most_common()
        ),
    )
    bare = len(tokenizer.encode_ids(FRAME.format("")))
    for check, blanks in (("indent_4", "    "), ("indent_8", " " * 8), ("tab", "\t")):
        text = FRAME.format(blanks)
        ids = tokenizer.encode_ids(text)
        comes_back = tokenizer.decode(ids).count(blanks[0]) >= len(blanks)
        tokens = " ".join(_pieces(tokenizer, text))
        put(
            check,
            len(ids) - bare if comes_back else None,
            (tokens,),
            "" if comes_back else "White space does not come back: see the round trips.",
        )


# The model's files.


def _folder(tokenizer: tc.Tokenizer, config: str | Path) -> Path | None:
    """Returns the folder of the model's files: that of the configuration, else that of the tokenizer."""
    path = Path(config) if config else Path(tokenizer.source.path or ".")
    if not config and not tokenizer.source.files:
        return None
    return path if os.path.isdir(path) else path.parent


def _check_chat(tokenizer: tc.Tokenizer, folder: Path | None, put: Put, render: Renderer) -> None:
    note = "There is no chat template beside the tokenizer."
    try:
        own = own_tokens(tokenizer)
        templates = read_chat_templates(folder, own) if folder is not None else []
        templates = templates or templates_of(tokenizer)
        if not templates:
            put("chat_markers", None, (), note)
            put("chat_start", None, (), note)
            return
        made, messages = sample_chat(templates[0], render)
        encoding = tokenizer.encode(made.chat.text, "all")
    except tc.TokenariumError as error:
        for check in ("chat_markers", "chat_start"):
            put(check, None, (), str(error))
        return
    ids = array_of(encoding.ids)
    tokens = chat_tokens(
        made.chat,
        messages,
        made.parts,
        TextMap(made.chat.text),
        ids,
        array_of(encoding.spans).reshape(-1, 2),
    )
    if made.parts is None:
        put(
            "chat_markers",
            None,
            (),
            "Which part of the text is the template's own is not known.",
        )
    else:
        put("chat_markers", len(tokens.broken), tokens.broken)
    start = start_count(tokenizer, templates[0], made.chat.text)
    if start is None:
        put("chat_start", None, (), "The model's files name no bos_token that the tokenizer has.")
        return
    token, count = start
    put("chat_start", count, (f"“{tokenizer.vocabulary.surface(token)}” (id {token:,})",))


def _check_config(
    tokenizer: tc.Tokenizer, folder: Path | None, config: str | Path, put: Put
) -> None:
    path = Path(config) if config else None
    named = path is not None and not os.path.isdir(path)
    files = (
        [path]
        if named and path is not None
        else [folder / file for file in FILES]
        if folder
        else []
    )
    settings = {
        file.name: model_fields(file, bool(config) and file.name == files[0].name) for file in files
    }
    if not any(settings.values()):
        note = "There is no config.json beside the tokenizer. Name one to compare them."
        for check in ("config_rows", "config_unused", "config_ids"):
            put(check, None, (), note)
        return
    size = len(tokenizer.vocabulary)
    rows = next(
        (setting["vocab_size"] for setting in settings.values() if "vocab_size" in setting), None
    )
    if type(rows) is int:
        case = f"vocab_size {rows:,}, entries of the tokenizer {size:,}"
        put("config_rows", max(size - rows, 0), (case,))
        put("config_unused", max(rows - size, 0), (case,))
    else:
        for check in ("config_rows", "config_unused"):
            put(check, None, (), "The configuration has no vocab_size.")
    ids = id_settings(tokenizer, folder, settings)
    wrong = [
        f"{setting.field} {setting.id:,} of {setting.file}: {setting.fault}"
        for setting in ids
        if setting.fault
    ]
    put("config_ids", len(wrong) if ids else None, wrong, "" if ids else "It names no ids.")
