"""The figures of scenes of the workspace Merges: its steps, its longest match, its training."""

from __future__ import annotations

from typing import Literal

import msgspec

from tokenarium.models.merges.played_span import played_span, span_sentence
from tokenarium.models.merges.prefix_play import (
    own_strings,
    own_tokenizer,
    plays,
    stage_title,
    states_text,
    walked_span,
)
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.merges.training_story import TrainingStory
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.training.asked_training import (
    LARGEST,
    RECORDED,
    SAMPLES,
    SELECTION,
    TEXT,
    AskedTraining,
    begun_story,
)
from tokenarium.web.greedy_figure import greedy_figure
from tokenarium.web.lattice_figure import lattice_figure
from tokenarium.web.merge_figure import merge_figure
from tokenarium.web.page import Figure
from tokenarium.web.prefix_figure import prefix_figure
from tokenarium.web.shown_scene import ShownScene
from tokenarium.web.step_parts import StepReport, untold
from tokenarium.web.training_figure import training_figure
from tokenarium_core import TokenariumError
from tokenarium_core.models import LongestMatch, Unigram, WordPiece
from tokenarium_core.training.algorithms import ALGORITHMS

NOTHING = "There is nothing to play: the scene has no {}."
LINKED = "side by side"
"""The group of figures that are always at the same step."""


def steps_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figures of the page Steps: the run of the tokenizer in front, and of the next one beside it."""
    if not shown.tokenizers:
        raise TokenariumError(NOTHING.format("tokenizer"))
    selection = shown.selection
    start, end = played_span(shown.text, selection)
    if start == end:
        raise TokenariumError(NOTHING.format("text"))
    about = span_sentence(shown.text, start, end, selection)
    tokenizers = [*shown.tokenizers[shown.front :], *shown.tokenizers[: shown.front]]
    several = bool(shown.kept("side_by_side"))
    steps = [whole(shown.kept("step")), whole(shown.kept("other_step"), whole(shown.kept("step")))]
    figures = []
    for one, step in zip(tokenizers[: 1 + several], steps, strict=False):
        run = TraceRun(one.tokenizer, shown.text.utf8, start, end, _special(shown))
        figures.append(run_figure(run, one.name, about, step, shown.report))
    if len(figures) > 1 and shown.kept("in_step") is not False:
        figures = [_linked(figure) for figure in figures]
    return figures


def run_figure(
    run: TraceRun, name: str, about: str, step: int = 0, report: StepReport = untold
) -> Figure:
    """Returns the figure of a run of any model, shown at a step at first."""
    model = run.tokenizer.model
    if isinstance(model, Unigram):
        return lattice_figure(run, name, about, step, report)
    if isinstance(model, WordPiece | LongestMatch):
        return greedy_figure(run, name, about, step, report)
    return merge_figure(run, name, about, step, report)


def walk_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figure of the page Longest match: the walk of the stage that is shown, or of that with most tokens."""
    strings = own_strings(str(shown.kept("strings") or ""))
    typed = str(shown.kept("typed") or "")
    if strings:
        tokenizer, name = own_tokenizer(strings), "Your strings"
    elif shown.tokenizers:
        one = shown.tokenizers[shown.front]
        tokenizer, name = one.tokenizer, one.name
    else:
        raise TokenariumError(NOTHING.format("tokenizer"))
    text = TextMap(typed) if typed else shown.text
    selection = (0, text.byte_count) if typed else shown.selection
    span = walked_span(text, selection)
    walks = plays(tokenizer, text.utf8, *span, _special(shown))
    if not walks:
        raise TokenariumError(f"{name} has neither added nor user-defined tokens.")
    stages = [walk.trie.stage for walk in walks]
    wanted = shown.kept("stage")
    sizes = [len(walk.trie.pieces) for walk in walks]
    number = stages.index(wanted) if wanted in stages else sizes.index(max(sizes))
    walk = walks[number]
    about = f"{stage_title(walk.trie.stage)}: {states_text(tokenizer, walk.trie)}"
    if selection is not None and span[1] < min(selection[1], text.byte_count):
        about += f" · the first {span[1] - span[0]:,} bytes"
    return [prefix_figure(walk, name, about, whole(shown.kept("step")), shown.report)]


def training_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figure of the page Training: the training that the scene names is made again."""
    kept = shown.kept("trained")
    if kept is None:
        raise TokenariumError(NOTHING.format("training"))
    try:
        asked = msgspec.convert(kept, AskedTraining)
    except (ValueError, TypeError) as error:
        raise TokenariumError(f"The training of the scene cannot be read: {error}.") from error
    if asked.algorithm not in RECORDED:
        raise TokenariumError(f"A training of {asked.algorithm!r} cannot be played.")
    story = trained_story(asked, _corpus(shown, asked), shown.report)
    about = f"{len(story):,} steps on {story.byte_count:,} bytes"
    title = ALGORITHMS[asked.algorithm].title
    step, table = whole(shown.kept("step")), whole(shown.kept("table"))
    return [training_figure(story, shown.text.text, title, about, step, table, shown.report)]


def trained_story(asked: AskedTraining, corpus: str, report: StepReport = untold) -> TrainingStory:
    """Returns the story of a training, after it is done."""
    job, _ = begun_story(asked, corpus)
    while not (progress := job.step(200)).finished:
        report(progress)
    assert job.story is not None
    return job.story


def _corpus(shown: ShownScene, asked: AskedTraining) -> str:
    corpus = ""
    if asked.corpus == TEXT:
        corpus = shown.text.text
    elif asked.corpus == SELECTION:
        corpus = shown.text.slice(*(shown.selection or (0, 0)))
    elif asked.corpus == SAMPLES:
        from tokenarium.resources.samples_index import load_samples

        corpus = "\n".join(sample.text() for sample in load_samples())
    else:
        raise TokenariumError(
            "The training of the scene is from a file, and a page is made of the scene alone."
        )
    if not corpus:
        raise TokenariumError(NOTHING.format("text"))
    if len(corpus.encode("utf-8", "replace")) > LARGEST:
        raise TokenariumError(f"The text is too much to play back: the limit is {LARGEST:,} bytes.")
    return corpus


def whole(value: object, default: int = 0) -> int:
    """Returns a setting as a number of steps; ``default`` if it is not one."""
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default
    )


def _linked(figure: Figure) -> Figure:
    assert isinstance(figure.data, dict)
    return figure._replace(data={**figure.data, "group": LINKED})


def _special(shown: ShownScene) -> Literal["none", "all"]:
    return "all" if shown.scene.display.get("special") == "all" else "none"
