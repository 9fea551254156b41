"""Downloads the tokenizer of a repository on Hugging Face, by huggingface_hub, into its cache."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path
from typing import Any

from tokenarium.models.installation import how_to_get
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium_core import NotAvailable
from tokenarium_core.formats.registry import FORMATS, file_patterns

WHOLE_MODELS = FORMATS["gguf"].patterns
"""The names of files that hold a tokenizer and the model with it."""

LARGEST = 256 << 20
"""Most bytes of a file: no tokenizer is larger, and a model's weights are not needed."""

NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
"""A repository's name: owner and name."""

_PAGE = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?!datasets/|spaces/|docs/)([^/?#]+/[^/?#]+)(?:[/?#].*)?"
)

_BESIDE = (
    "tokenizer_config.json",
    "config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.*",
)
"""What is downloaded in addition to the files of a tokenizer."""


def repository_of(text: str) -> str:
    """Returns the repository of a typed name, or of the address of any of its pages; empty for none.

    >>> repository_of("https://huggingface.co/openai-community/gpt2/tree/main")
    'openai-community/gpt2'
    """
    page = _PAGE.fullmatch(text.strip())
    name = page[1] if page is not None else text.strip()
    return name if NAME.fullmatch(name) else ""


def fetch(report: ReportProgress, repository: str) -> Path:
    """Returns the folder with the tokenizer's files of ``owner/name``; existing ones are not downloaded again.

    Requests carry the token that ``hf auth login`` or ``HF_TOKEN`` gave to huggingface_hub, if any.
    Raises NotAvailable, with what to do, on any failure.
    """
    if NAME.fullmatch(repository) is None:
        raise NotAvailable(
            f"{repository!r} does not name a repository: write its owner and its name, such as google-bert/bert-base-uncased."
        )
    try:
        import huggingface_hub
    except ImportError as error:
        raise NotAvailable(
            "Hugging Face repositories are downloaded with the package huggingface_hub, which is not installed. "
            + how_to_get("tokenarium[hub]")
        ) from error
    report(stage(f"Asking for {repository}"))
    try:
        return _fetch(huggingface_hub, report, repository)
    except Exception as error:
        raise NotAvailable(_sentence(error, repository)) from error


def _fetch(hub: Any, report: ReportProgress, repository: str) -> Path:
    about = hub.HfApi().model_info(repository, files_metadata=True)
    sizes = {file.rfilename: file.size for file in about.siblings or [] if file.size is not None}
    wanted_names = [pattern for pattern in file_patterns() if pattern not in WHOLE_MODELS]
    files = [
        name
        for name, size in sizes.items()
        if _is(name, [*wanted_names, *_BESIDE]) and size <= LARGEST
    ]
    if not any(_is(name, wanted_names) for name in files):
        raise NotAvailable(
            f"{repository} has no tokenizer: none of its {len(sizes):,} files is one."
        )
    total = sum(sizes[name] for name in files)
    come = 0
    folder = Path()
    for name in files:
        report(stage(f"Getting {name}, {come / 1e6:.1f} of {total / 1e6:.1f} MB"))
        path = hub.hf_hub_download(repository, name, revision=about.sha)
        folder = Path(path).parent
        come += sizes[name]
    return folder


def _is(name: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns) and "/" not in name


def _sentence(error: Exception, repository: str) -> str:
    """Returns what is wrong, and what to do; the library's errors are known by their names."""
    if isinstance(error, NotAvailable):
        return str(error)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    page = f"https://huggingface.co/{repository}"
    if "GatedRepoError" in kinds:
        return (
            f"{repository} is gated: its owner wants to know who uses it. Ask for access at {page}, then "
            "give your token to huggingface_hub, by “hf auth login” or HF_TOKEN."
        )
    if "RepositoryNotFoundError" in kinds:
        return (
            f"There is no repository {repository} on Hugging Face, or it is private. Check the name; for a "
            "private one, give your token to huggingface_hub, by “hf auth login” or HF_TOKEN."
        )
    if "OfflineModeIsEnabled" in kinds:
        return "huggingface_hub is set to stay offline. Unset HF_HUB_OFFLINE and try again."
    response = getattr(error, "response", None)
    if response is not None:
        return f"Hugging Face answered {response.status_code} for {repository}. Try again later."
    if isinstance(error, OSError) or kinds & {"TransportError", "RequestException", "HTTPError"}:
        return (
            f"You are offline, or Hugging Face cannot be reached: {repository} was not downloaded. Try again when the network"
            f" is back, or open a file; what was downloaded before is still on this computer. ({type(error).__name__})"
        )
    return f"{repository} could not be downloaded: {type(error).__name__}: {error}"
