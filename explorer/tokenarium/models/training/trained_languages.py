"""Trainings that compare languages: the corpus of each, the dev set, and how many tokens each language needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve, roomy
from tokenarium.models.inequality import gini
from tokenarium.models.text.piece import counted
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.keeping import HeldOut
from tokenarium.resources.parallel_index import load_translations
from tokenarium_core import TokenariumError
from tokenarium_core.training import ALGORITHMS, Option, Trainer
from tokenarium_core.training.parity_trainer import ParityTrainer

AUTOMATIC: Final = "automatic"
PARALLEL: Final = "parallel sentences"
OWN_TEXT: Final = "training text"

MOST_POINTS: Final = 200
"""Points of a curve: more than most charts have pixels for."""

DEV_SET: Final = Option(
    "dev_set",
    AUTOMATIC,
    "The text on which the languages are compared: the parallel sentences that come with Tokenarium, which say the same in"
    " each language, or the training text of each language. Automatic uses the sentences if there are some in all"
    " languages and no ratios are given.",
    choices=[AUTOMATIC, PARALLEL, OWN_TEXT],
)
"""An option of the window and the command line: the core takes any texts."""

Dev = dict[str, list[str]]
"""The texts of a dev set, by language."""


def by_language(algorithm: str) -> bool:
    """Whether an algorithm takes a corpus for each language."""
    return algorithm in ALGORITHMS and ALGORITHMS[algorithm].by_language


def trainer_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options that the trainer itself knows."""
    return {name: value for name, value in options.items() if name != DEV_SET.name}


UNDETERMINED: Final = "und"
"""The language of sources without one, as in BCP 47."""


def languages_of(sources: Iterable[CorpusSource]) -> list[str]:
    """Returns the languages of sources, each once."""
    return list(dict.fromkeys(source.language or UNDETERMINED for source in sources))


def texts_by_language(corpus: Corpus, held: HeldOut | None) -> dict[str, Iterable[str]]:
    """Returns the texts to train on, by language; TokenariumError at the end of a language without any."""
    texts = corpus.by_language() if held is None else held.by_language()
    return {
        name or UNDETERMINED: _SomeTexts(corpus, name or UNDETERMINED, of_it)
        for name, of_it in texts.items()
    }


class _SomeTexts:
    """Texts of one language; TokenariumError at their end if there were none."""

    def __init__(self, corpus: Corpus, language: str, texts: Iterable[str]) -> None:
        self._corpus = corpus
        self._language = language
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        empty = True
        for text in self._texts:
            empty = False
            yield text
        if empty:
            why = self._corpus.why_nothing or "Its sources have no text."
            raise TokenariumError(
                f"There is nothing to train on in {self._language}. {why} Choose another source, or leave that language out."
            )


def languages_with_sentences() -> frozenset[str]:
    """Returns the languages that there are parallel sentences in."""
    return frozenset(one.language for one in load_translations())


def with_language(source: CorpusSource) -> CorpusSource:
    """Returns a source with the language that its name says, as de.txt or texts/sw do; as it is where there is none."""
    name = Path(source.value).name.split(".")[0].lower()
    named = source.kind in ("file", "folder", "glob") and name in languages_with_sentences()
    return replace(source, language=name) if named and not source.language else source


IN_ITS_ROW: Final = "write one into its row under Corpus, such as de"


def language_problem(sources: Sequence[CorpusSource], how: str = IN_ITS_ROW) -> str:
    """Returns what is wrong with the languages of sources that are to be compared; empty if nothing is.

    ``how`` a source gets a language is said of one without.
    """
    bare = next((source for source in sources if not source.language), None)
    if bare is not None:
        return f"No language is given for {bare.name}: {how}, so that languages can be compared."
    if sources and len(languages_of(sources)) < 2:
        return f"All text is in {sources[0].language}, so there is nothing to compare: add a source in another language."
    return ""


def dev_texts(languages: Sequence[str], options: Mapping[str, Any]) -> Dev | None:
    """Returns the texts that languages are measured on; None if that is what they are trained on.

    The language of a sentence is found by the first part of a BCP 47 tag: pt-BR has those of pt. TokenariumError where
    sentences are asked for in a language that has none.
    """
    chosen = options.get(DEV_SET.name, AUTOMATIC)
    if chosen == OWN_TEXT or (chosen == AUTOMATIC and options.get("ratios")):
        return None
    known = {one.language: one for one in load_translations()}
    found: Dev = {}
    for language in languages:
        one = known.get(language) or known.get(language.replace("_", "-").split("-")[0].lower())
        if one is not None:
            found[language] = one.sentences()
        elif chosen == AUTOMATIC:
            return None
        else:
            raise TokenariumError(
                f"There are no parallel sentences in {language}: there are some only in {', '.join(sorted(known))}. Give the"
                f" language one of these names, or compare on the {OWN_TEXT}."
            )
    return found


@dataclass(frozen=True, slots=True)
class LanguageTokens:
    """What a language needs: tokens of the text that it is measured on, at first and now, and the merges made for it."""

    language: str
    first: int
    tokens: int
    merges: int


def languages_now(trainer: Trainer) -> tuple[LanguageTokens, ...]:
    """Returns what each language needs so far; empty before the first merge, and for trainings without languages."""
    if not isinstance(trainer, ParityTrainer) or not len(trainer.history):
        return ()
    made = Counter(trainer.merge_languages)
    columns = zip(trainer.languages, trainer.history.row(0), trainer.lengths_now(), strict=True)
    return tuple(
        LanguageTokens(name, first, tokens, made[number])
        for number, (name, first, tokens) in enumerate(columns)
    )


def inequality_curve(trainer: Trainer) -> tuple[tuple[int, float], ...]:
    """Returns the Gini of the languages' tokens at some sizes so far, as (entries, Gini); see `languages_now`."""
    if not isinstance(trainer, ParityTrainer):
        return ()
    history = trainer.history
    first = trainer.piece_count - trainer.merges_made
    every = max(len(history) // MOST_POINTS, 1)
    rows = sorted({*range(0, len(history), every), len(history) - 1} - {-1})
    found = ((first + history.steps[row], gini(history.row(row))) for row in rows)
    return tuple((entries, value) for entries, value in found if value is not None)


def inequality_chart(points: Sequence[tuple[int, float]], most: int) -> Chart:
    """Returns the curve of the Gini by vocabulary size, up to ``most`` entries."""
    if not points:
        return Chart(Axis("Vocabulary size", "entries"), Axis("Gini"))
    highest = roomy(max(value for _, value in points)) or 1.0
    return Chart(
        Axis("Vocabulary size", "entries", limits=(points[0][0], max(most, points[0][0] + 1))),
        Axis("Gini", limits=(0, highest)),
        [ChartCurve("Languages", [(float(entries), value) for entries, value in points])],
    )


def language_figures(trainer: Trainer) -> dict[str, Any]:
    """Returns what is kept of the languages of a training; nothing of one without."""
    found = languages_now(trainer)
    if not found or not isinstance(trainer, ParityTrainer):
        return {}
    return {
        "languages": [[one.language, one.first, one.tokens, one.merges] for one in found],
        "inequality": [list(point) for point in inequality_curve(trainer)],
        "measured_on": PARALLEL if trainer.has_dev else OWN_TEXT,
    }


def languages_in(figures: Mapping[str, Any]) -> tuple[LanguageTokens, ...]:
    """Returns what each language needs, from the figures of a training that is kept."""
    rows = figures.get("languages", ())
    return tuple(LanguageTokens(*row) for row in rows)


def last_languages(trainer: Trainer, count: int) -> tuple[str, ...]:
    """Returns the languages that the last merges were for, the latest first; empty for a merge of all together."""
    if not isinstance(trainer, ParityTrainer):
        return ()
    last = list(trainer.merge_languages[-count:])
    return tuple(trainer.languages[one] if one >= 0 else "" for one in reversed(last))


def languages_chart(found: Sequence[LanguageTokens]) -> Chart:
    """Returns the bars of the tokens of each language, the longest first."""
    bars = [(one.language, one.tokens) for one in sorted(found, key=lambda one: -one.tokens)]
    longest = roomy(bars[0][1]) if bars else 1
    return Chart(Axis("Tokens", limits=(0, longest)), Axis("Language"), bars=bars, colour=5)


def languages_sentence(found: Sequence[LanguageTokens], measured_on: str) -> str:
    """Returns how unequal the languages are, in a sentence; empty for fewer than two."""
    if len(found) < 2:
        return ""
    unequal = gini([one.tokens for one in found])
    most = max(found, key=lambda one: one.tokens)
    least = min(found, key=lambda one: one.tokens)
    said = (
        f"On the {measured_on}, {most.language} needs the most tokens, {most.tokens:,}, and {least.language} the fewest,"
        f" {least.tokens:,}"
    )
    if unequal is None:
        return f"{said}."
    return (
        f"{said}: a Gini of {unequal:.3f} over {counted(len(found), 'language')}, where 0 is equal."
    )
