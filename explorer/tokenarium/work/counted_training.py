"""A training whose corpus is counted first, where workers count it, for a process of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tokenarium.models.progress_reporter import ProgressReporter, StoppedWork
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.store import Store
from tokenarium.models.training.training_progress import TrainingProgress
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.models.training.training_run import TrainingResult, TrainingRun, train
from tokenarium.work.cluster import Cluster
from tokenarium.work.corpus_counting import CorpusCounting, News, WorkNews, reported_news
from tokenarium_core import TokenariumError


def train_anywhere(report: ProgressReporter, request: TrainingRequest) -> TrainingResult:
    """Trains as `train` does; where the request names another place, its corpus is counted there first.

    The tokenizer is the same bit for bit. Asked to stop while it counts, it raises TokenariumError: what is counted is
    kept for the next time.
    """
    if request.place.here:
        return train(report, request)
    Store(request.store).check_writable()
    started = time.monotonic()
    news = reported_news(report, lambda news: _progress(request, news, time.monotonic() - started))
    corpus = request.corpus()
    news(WorkNews("starting the workers", 0, 0))
    try:
        with run_of_counted(request, corpus, news) as run:
            return train(report, request, run)
    except StoppedWork:
        raise TokenariumError(
            "The training was stopped while its corpus was counted. The counts are kept for a few days; train again"
            " to continue."
        ) from None


@contextmanager
def run_of_counted(request: TrainingRequest, corpus: Corpus, news: News) -> Iterator[TrainingRun]:
    """Counts a corpus where the request says, and yields the training, which can run until the end of the context."""
    cluster = Cluster(request.place.workers, request.place.address)
    counting = CorpusCounting(
        corpus, request.algorithm, request.options, request.hold_out, cluster, news
    )
    with counting.counts() as counts:
        yield TrainingRun(request, corpus, counting.held, counts)


def _progress(request: TrainingRequest, news: WorkNews, seconds: float) -> TrainingProgress:
    """Returns the progress of a training that is at its counting."""
    return replace(
        TrainingProgress(news.phase, 0.0, 0.0, "bytes", seconds, 0.0, 0, request.vocab_size, 0),
        fraction=min(news.done / news.total, 1.0) if news.total else 0.0,
        rate=news.rate,
        seconds_left=news.seconds_left,
        byte_count=news.done,
        workers=news.workers,
        dashboard=news.dashboard,
    )
