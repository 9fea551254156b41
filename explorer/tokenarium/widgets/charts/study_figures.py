"""The figures of a study as files: bars or dots with intervals, one picture for each measure, as the window draws them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tokenarium.models.charts.chart import Axis
from tokenarium.models.charts.figure import PRESETS, FigureLook, FigureSource
from tokenarium.models.compare.dot_plot import DotPlot, DotRow, DotSeries
from tokenarium.models.compare.intervals import MeasureIntervals, confidence
from tokenarium.models.compare.language_premiums import PremiumEstimate
from tokenarium.models.studies.study import StudyPart, StudyResult
from tokenarium.style.theme import PRINT
from tokenarium.widgets.charts.dot_chart import DotChart
from tokenarium.widgets.charts.figure_sheet import figure_sheet

PRESET: Final = PRESETS[2]
"""Two columns of a page, so that the names of texts have room."""

LOST: Final = "lost text makes it look better"


def save_study_figures(result: StudyResult, folder: Path, suffix: str) -> list[str]:
    """Writes a figure of each measure to a folder, as .pdf, .svg or .png; returns the names of the files.

    Needs a QApplication. Measures that no text has a value of have no figure. Raises ExportError for a file that cannot
    be written.
    """
    written = []
    for place, name in enumerate(result.study.measures):
        plot = measure_plot(result, place)
        if plot.empty:
            continue
        file = f"figure-{name.replace('_', '-')}{suffix}"
        _save(result, place, plot, folder / file)
        written.append(file)
    return written


def measure_plot(result: StudyResult, place: int) -> DotPlot:
    """Returns a measure of all texts: a bar for each tokenizer if there is one text, else a row of dots for each text."""
    names = [one.name for one in result.study.tokenizers]
    series = [DotSeries(name, number) for number, name in enumerate(names)]
    found = result.parts[0].measures[place]
    unit = found.metric.unit
    axis = Axis(found.metric.title, "" if unit in found.metric.title.lower() else unit)
    rows = [
        DotRow(part.name, _estimates(part, part.measures[place], len(names)))
        for part in result.parts
    ]
    if len(rows) > 1:
        return DotPlot(axis, series, rows)
    values = rows[0].values
    bars = [
        DotRow(name, [values[at] if at == number else None for at in range(len(names))])
        for number, name in enumerate(names)
    ]
    return DotPlot(axis, series, bars, one_each=True)


def _estimates(
    part: StudyPart, found: MeasureIntervals, tokenizers: int
) -> list[PremiumEstimate | None]:
    return [
        None
        if (one := found.intervals[number]).value is None
        else PremiumEstimate(
            one.value, one.low, one.high, LOST if part.is_doubtful(found.metric, number) else ""
        )
        for number in range(tokenizers)
    ]


def _save(result: StudyResult, place: int, plot: DotPlot, path: Path) -> None:
    study = result.study
    chart = DotChart(result.parts[0].measures[place].metric.title)
    chart.show_plot(plot)
    chart.drawing.resize(chart.drawing.sizeHint())
    corpus = study.title or ", ".join(one.name for one in study.texts)
    intervals = (
        f"The lines are {confidence(study.alpha)} bootstrap intervals over {study.unit}s (Efron 1979,"
        f" {study.resamples:,} samples, seed {study.seed})"
    )
    names = ", ".join(one.name for one in study.tokenizers)
    unit = f" ({axis.unit})" if (axis := plot.axis).unit else ""
    caption = FigureSource(corpus, intervals).caption(f"{axis.title}{unit}", names, study.version)
    look = FigureLook(PRESET, PRESET.points, colours="print", caption=caption)
    with figure_sheet(chart, look, PRINT) as sheet:
        sheet.save(path)
    chart.deleteLater()
