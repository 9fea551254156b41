"""Opening a tokenizer by a name or a path, and finding those in a folder; `registry` recognizes the files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from tokenarium_core.details import Source
from tokenarium_core.errors import ArgumentError, FormatError, NotAvailable, TokenariumError
from tokenarium_core.formats.archives import (
    BUNDLED_METADATA,
    BUNDLED_MODEL,
    MOST_BYTES,
    archive_above,
    archive_kind,
    lists_tokenizer,
    unpack,
)
from tokenarium_core.formats.chat_part import SUFFIX, keep_chat
from tokenarium_core.formats.foreign import WHAT_TO_OPEN, Foreign, content_of, foreign_file
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    FileHead,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.hf import hf_format
from tokenarium_core.formats.hf.hf_slow_folder import (
    class_file,
    lacks_vocabulary,
    needs_no_file,
    not_applied,
    open_own_class,
    open_slow_folder,
    own_class,
    slow_digest,
    slow_form,
)
from tokenarium_core.formats.hub_cache import (
    cached_snapshot,
    hub_folder,
    is_repository,
    repository_of,
)
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.mediapipe_bundle import bundle_details
from tokenarium_core.formats.named import NAMED, cache_path
from tokenarium_core.formats.named_reading import read_named, read_plugin_encoding
from tokenarium_core.formats.ollama_store import is_manifest, model_name, model_of
from tokenarium_core.formats.places import MOST_FOLDERS, folders_of
from tokenarium_core.formats.registered import (
    REFERENCE,
    RegisteredFiles,
    registered,
    store_folder,
)
from tokenarium_core.formats.registry import (
    FORMATS,
    MODEL_FOLDER,
    USUAL_NAMES,
    file_patterns,
    format_of_file,
    in_folder,
    name_of,
    pair_of,
    recognized,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_listing_format import is_listed
from tokenarium_core.formats.settings_files import BESIDE, CONFIG
from tokenarium_core.formats.tiktoken_format import TIKTOKEN
from tokenarium_core.plain_files import file_sha256, read_file
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import (
    CacheWriter,
    cache_folder,
    is_worth_caching,
    load,
    store,
)

_UNPACK: Final = "Unpack it, and look for tokenizer.json, a .model file, or vocab.txt."

MOST_FILES: Final = 256
"""The most files of a folder that are examined: a folder with more holds data."""

_WHOLE: Final = "tokenizer.json"
_WORDS: Final = "vocab.txt"
_SETTINGS: Final = frozenset(BESIDE)

_TEXTS: Final = (_WORDS, "dict.txt")

_UNKNOWN: Final = Foreign(
    "named like a tokenizer's file, but its content is of no format that this program knows",
    WHAT_TO_OPEN,
    is_text=True,
)


def open_tokenizer(
    source: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: dict[str, int] | None = None,
    cache: Path | bool = True,
) -> Tokenizer:
    """Returns the tokenizer of a name ("cl100k_base") or of a file or folder of any known format.

    A name is that of an encoding of tiktoken, or that of a model ("org/name") which Hugging Face's library has
    downloaded to this computer: the snapshot of its main branch is opened. Nothing is downloaded. A file or a folder
    of that name comes first. ``name@version`` is a tokenizer that the app has registered; it is opened only while its
    files are the registered ones.

    The folder of a repository in a Hugging Face cache (``models--org--name``) is its snapshot. A folder whose
    tokenizer is in its subfolder ``tokenizer``, as Diffusers saves pipelines, is that subfolder. Of a ZIP or tar
    archive, the one folder with a tokenizer is unpacked and opened; of several, the one that follows the archive's
    name: ``models.zip/small``. A manifest of Ollama is the GGUF file of its model.

    ``pattern``: how a ``.tiktoken`` file cuts a text, a name of `PRE_TOKENIZERS` or a regular expression. It is needed
    only if the file is not known by its hash and has no pattern next to it. ``special_tokens`` are added to those of
    the source. ``cache``: whether what is worked out from a large file is stored, so that it opens faster the next time:
    by default in the user's folder for such files, or in the folder that is given (see `tokenizer_cache`).

    Raises NotAvailable if it is not on this computer, FormatError for a wrong file, PatternError for a pattern that
    does not compile.
    """
    folder = (cache_folder() if cache else None) if isinstance(cache, bool) else cache
    return _open(source, pattern, special_tokens, folder)


def _open(
    source: str | os.PathLike[str],
    pattern: str | None,
    special_tokens: dict[str, int] | None,
    cache: Path | None,
) -> Tokenizer:
    """Returns the tokenizer of a name or a path: see `open_tokenizer`; ``cache`` is the folder of the cache."""
    extra = special_tokens or {}
    if isinstance(source, str) and source in NAMED and not Path(source).exists():
        named = NAMED[source]
        tokenizer = read_named(named, extra, cache)
        tokenizer.source = Source(
            TIKTOKEN, source, [cache_path(file) for file in named.files], None, extra
        )
        return tokenizer
    path = Path(source)
    folder: Path | None = None
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):  # it may be a name
        archive = archive_above(path)
        if archive is not None:
            return _from_archive(archive, path.relative_to(archive), pattern, special_tokens)
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError:  # no file can have such a name
        pass
    if path.is_dir():
        inner = folders_of(path)
        if len(inner) > 1:
            names = ", ".join([one.name for one in inner])
            raise FormatError(f"{path} has several tokenizers: open one of its folders {names}.")
        folder = inner[0]
        if folder != path:
            tokenizer = _open(folder, pattern, special_tokens, cache)
            tokenizer.name = repository_of(path) or path.name
            tokenizer.source.path = str(path.absolute())
            return tokenizer
        inside = in_folder(folder)
        own = own_class(folder, inside) if pattern is None and not extra else None
        if own is not None:
            tokenizer, files = open_own_class(own, name_of(folder / _WHOLE))
            tokenizer.source = Source(MODEL_FOLDER, str(folder.absolute()), files)
            return tokenizer
        if inside is None:
            said = "" if is_tokenizer(folder) else refusal(folder)
            said = said or lacks_vocabulary(folder)
            if said:
                raise FormatError(said)
            raise FormatError(
                f"{folder} is a folder without a tokenizer, or with several. {WHAT_TO_OPEN}"
            )
        path = class_file(folder, inside) if pattern is None and not extra else inside
    if folder is not None and pattern is None and not extra and slow_form(folder, path):
        tokenizer, files = open_slow_folder(folder, path, name_of(path), cache)
        tokenizer.source = Source(MODEL_FOLDER, str(folder.absolute()), files)
        return tokenizer
    if not path.exists():
        if REFERENCE.fullmatch(str(source)):
            if pattern is not None or extra:
                raise ArgumentError(
                    f"{source} is registered with its pattern and special tokens: open it without giving others."
                )
            return _open_registered(registered(str(source), store_folder()), cache)
        plugin_encoding = read_plugin_encoding(str(source), extra)
        if plugin_encoding is not None:
            plugin_encoding.source = Source(TIKTOKEN, str(source), None, None, extra)
            return plugin_encoding
        snapshot = cached_snapshot(str(source))
        if snapshot is not None:
            tokenizer = _open(snapshot, pattern, special_tokens, cache)
            tokenizer.name = str(source)
            return tokenizer
        names = ", ".join(NAMED)
        is_model = "/" in str(source) and is_repository(str(source))
        model = f", and no model of it in {hub_folder()}" if is_model else ""
        raise NotAvailable(
            f"There is no file {path}{model}, and no encoding of that name: known are {names}."
        )
    kind = archive_kind(path)
    if kind and lists_tokenizer(path, kind, [*file_patterns(), CONFIG]):
        return _from_archive(path, Path(), pattern, special_tokens)
    if is_manifest(path):
        blob = model_of(path)
        tokenizer = _open(blob, pattern, special_tokens, cache)
        tokenizer.name = model_name(path)
        of_blob = tokenizer.source
        files = [path, blob]
        tokenizer.source = Source(of_blob.format, of_blob.path, files, pattern, special_tokens)
        return tokenizer
    file = TokenizerFile(path, b"", name_of(path), pattern, extra)
    tokenizer, format, files = _from_file(file, cache)
    tokenizer.source = Source(
        format, str((folder or path).absolute()), files, pattern, special_tokens
    )
    if folder is None or path.name == _WHOLE:
        tokenizer.details += not_applied(path)
    return tokenizer


def _from_file(file: TokenizerFile, cache: Path | None) -> tuple[Tokenizer, str, list[Path]]:
    """Returns the tokenizer of a file, its format and the files read; stores it in the folder ``cache``."""
    path = file.path
    whole = format_of_file(path)
    if whole is not None and whole.in_place:
        _check_takes_pattern(whole, file)
        return _from_parts(whole, file, cache), whole.name, file.files
    if whole is None or whole.load is None or not is_worth_caching(path):
        cache = None
    if cache is not None and whole is not None:
        _check_takes_pattern(whole, file)
        cached = _from_cache(whole, file, cache)
        if cached is not None:
            return cached, whole.name, file.files
    content = file.content = content_of(path, pair_of(path) is None, whole is not None)
    head = FileHead(content, path.name)
    format = recognized(head)
    if format is None:
        if head.is_object:
            whole_json(content, path.name)
            what = "JSON, but not of a tokenizer that this program knows"
        else:
            what = f"of no format that this program knows: it begins with {_beginning(content)}"
        raise FormatError(f"{path.name} is {what}. {WHAT_TO_OPEN}")
    _check_takes_pattern(format, file)
    if cache is not None:
        file.out = CacheWriter()
    tokenizer = format.read(file)
    if cache is not None and file.out is not None and file.out.complete:
        # What was read now: the file may have changed since its hash was looked up.
        store(hashlib.sha256(content).hexdigest(), format.name, cache, file.out)
    return tokenizer, format.name, file.files


def _from_parts(format: Format, file: TokenizerFile, cache: Path | None) -> Tokenizer:
    """Returns the tokenizer of a file of which only parts are read; stores it in the folder ``cache``."""
    path = file.path
    if cache is None or format.digest is None or not is_worth_caching(path):
        return format.read(file)
    cached = _from_cache(format, file, cache)
    if cached is not None:
        return cached
    out = file.out = CacheWriter()
    tokenizer = format.read(file)
    # What was read now: the file may have changed since its hash was looked up.
    if out.complete and file.digest and format.digest(path) == file.digest:
        store(file.digest, format.name, cache, out)
    return tokenizer


def _from_archive(
    path: Path, inner: Path, pattern: str | None, special_tokens: dict[str, int] | None
) -> Tokenizer:
    """Returns the tokenizer of the only folder of an archive, or of its folder ``inner``, that has one.

    It is named after the folder that was asked for, or the archive.
    """
    import tempfile  # with the libraries of archives, which the start does without

    whole = inner == Path()
    kind = archive_kind(path)
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as made:
        target = Path(made)
        unpack(path, kind, [*file_patterns(), *BESIDE, "*" + SUFFIX], target, inner)
        top = target / inner
        folders = _folders_with_tokenizers(top) if top.is_dir() else []
        if len(folders) > 1:
            names = [(path / one.relative_to(target)).as_posix() for one in folders[:MOST_FOLDERS]]
            names += ["…"] if len(folders) > MOST_FOLDERS else []
            raise FormatError(
                f"{path.name} is an archive with several tokenizers: open one of its folders {', '.join(names)}."
            )
        if not folders:
            where = "" if whole else f" in the folder {inner.as_posix()}"
            raise FormatError(
                f"{path.name} is a {kind} archive without a tokenizer that this program reads{where}. {_UNPACK}"
            )
        tokenizer = open_tokenizer(folders[0], pattern=pattern, special_tokens=special_tokens)
        described = folders[0] / BUNDLED_METADATA
        if (folders[0] / BUNDLED_MODEL).is_file() and described.is_file():
            about = read_file(described, MOST_BYTES)
            tokenizer.details = [*tokenizer.details, *bundle_details(about, path.name)]
        with suppress(TokenariumError):  # a wrong template is no reason to refuse the tokenizer
            keep_chat(tokenizer, tokenizer)  # whose files are gone in a moment
    source = tokenizer.source
    name = path.name.removesuffix(".gz").removesuffix(".tar").removesuffix(path.suffix)
    tokenizer.name = name if whole else inner.name
    tokenizer.source = Source(
        source.format, str((path / inner).absolute()), [path], pattern, special_tokens
    )
    return tokenizer


def _folders_with_tokenizers(top: Path) -> list[Path]:
    """Returns the folders of an unpacked archive that have tokenizers; not those below one that has."""
    result: list[Path] = []
    waiting = [top]
    for folder in waiting:  # which grows on the way
        names = sorted(os.listdir(folder))
        inner = [folder / name for name in names if (folder / name).is_dir()]
        files = [name for name in names if (folder / name).is_file()]
        if tokenizers_in(folder, files) or own_class(folder, in_folder(folder)) is not None:
            result.append(folder)
        else:
            waiting += inner
    return result


def _check_takes_pattern(format: Format, file: TokenizerFile) -> None:
    """Raises FormatError for a pattern or special tokens beside a file that has its own."""
    if not format.takes_pattern and (file.pattern is not None or file.special_tokens):
        raise FormatError(
            f"{file.path.name} has its own pattern and special tokens: open it without giving others."
        )


def _from_cache(format: Format, file: TokenizerFile, cache: Path) -> Tokenizer | None:
    """Returns the tokenizer of a file from the cache; None if the cache has nothing usable."""
    file.digest = _digest_of(format, file.path) or ""
    cached = load(file.digest, format.name, cache)
    if cached is None:
        return None
    try:
        assert format.load is not None
        return format.load(cached, file)
    except Exception:  # a cache only saves time: the file itself is still there
        file.files = [file.path]
        return None
    finally:
        cached.close()


def _digest_of(format: Format, path: Path) -> str | None:
    """Returns the name under which the cache has a file of this format; nothing for a file that cannot be read."""
    return file_sha256(path) if format.digest is None else format.digest(path)


def cached_digest(path: Path) -> str | None:
    """Returns the name under which the cache has a file or a folder once it was opened; None for what it never has.

    It reads all of the file. OSError or FormatError for one that cannot be opened.
    """
    file = in_folder(path) if path.is_dir() else path
    if file is None or not file.is_file() or not is_worth_caching(file):
        return None
    if path.is_dir() and slow_form(path, file):
        return slow_digest(path, file)
    format = format_of_file(file)
    return _digest_of(format, file) if format is not None and format.load is not None else None


def _beginning(content: bytes) -> str:
    """Returns how a file begins: the first characters of its first line if they are text, else bytes."""
    line = content[:64].splitlines()[0].decode("utf-8", "replace")[:16]
    if line.isprintable() and line.strip() and "\ufffd" not in line:
        return f"“{line}”"
    return f"the bytes {content[:8].hex(' ').upper()}"


def open_registered(files: RegisteredFiles) -> Tokenizer:
    """Returns a registered tokenizer, named by its reference; ChangedError if its files have changed."""
    return _open_registered(files, cache_folder())


def _open_registered(files: RegisteredFiles, cache: Path | None) -> Tokenizer:
    files.check()
    tokenizer = _open(files.source, files.pattern or None, None, cache)
    files.check_read([str(file) for file in tokenizer.source.files])
    tokenizer.name = files.reference
    return tokenizer


# The tokenizers of a folder.


@final
class FoundTokenizer:
    """A tokenizer in a folder: its main file, all its files, its format, and the path to open, perhaps the folder."""

    def __init__(self, path: Path, files: list[Path], format: Format, source: Path) -> None:
        self.path = path
        self.files = files
        self.format = format
        self.source = source


def tokenizers_in(folder: Path, names: Sequence[str]) -> list[FoundTokenizer]:
    """Returns the tokenizers among some files of a folder, by their beginnings: no file is read whole."""
    present = set(names)
    usual = [name for name in names if USUAL_NAMES.has(name)]
    suffixes = tuple([suffix for format in FORMATS.values() for suffix in format.suffixes])
    others = [
        name
        for name in names
        if name.endswith(suffixes) and not USUAL_NAMES.has(name) and not is_listed(name, present)
    ]
    # A vocabulary with settings next to it is opened with them: by its folder, whose first such file counts.
    first = in_folder(folder) if present & _SETTINGS else None
    slow = first is not None and slow_form(folder, first)
    tokenizers: list[FoundTokenizer] = []
    own = CONFIG in present and needs_no_file(folder, first)
    if own:  # whose class reads no other file
        config = folder / CONFIG
        tokenizers.append(FoundTokenizer(config, [config], hf_format.FORMAT, folder))
    whole = False  # whether there is a tokenizer.json: a vocabulary next to it only repeats it
    for name in sorted(usual, key=_rank) + others[:MOST_FILES]:
        path = folder / name
        pair = pair_of(path)
        repeats = pair is not None or name == _WORDS
        if name in _SETTINGS or (whole and repeats) or (own and name == _WHOLE):
            continue
        format = _format_of_pair(pair) if pair is not None else format_of_file(path)
        if format is None or (pair is not None and path != pair[0]):
            continue
        source = path
        if name == _WHOLE:
            whole = True
            if CONFIG in present:
                source = folder  # which is more than the file: it has the chat template
        elif (slow and path == first) or (pair is not None and in_folder(folder) == path):
            source = folder
        tokenizers.append(FoundTokenizer(path, list(pair or [path]), format, source))
    return tokenizers


def is_tokenizer(path: Path) -> bool:
    """Returns whether a file or a folder is certainly a tokenizer, by its beginning; false for what may be a text."""
    try:
        if path.is_dir():
            return any(tokenizers_in(one, sorted(os.listdir(one))) for one in folders_of(path))
        if not path.exists():
            return archive_above(path) is not None
        kind = archive_kind(path)
        if kind:
            return lists_tokenizer(path, kind, [*file_patterns(), CONFIG])
        if is_manifest(path):
            return True
        pair = pair_of(path)
        if pair is not None:
            return _format_of_pair(pair) is not None
        # A name such as vocab.txt says what is meant; under another one the content has to be unmistakable.
        return format_of_file(path, LIKELY if _is_usual(path.name) else CERTAIN) is not None
    except (OSError, ValueError):
        return False
    except FormatError:  # opening it says what is wrong
        return True


def foreign_kind(path: Path) -> Foreign | None:
    """Returns the kind of a file that is known and not read; None for a tokenizer, and for what may be a text."""
    return None if is_tokenizer(path) else kind_of_other(path)


def kind_of_other(path: Path) -> Foreign | None:
    """Returns the kind of a file for which `is_tokenizer` is false, as `foreign_kind`.

    A file of unknown content with a name such as merges.txt is not meant as a text either; vocab.txt may be.
    """
    kind = foreign_file(path, pair_of(path) is None)
    meant = _is_usual(path.name) and path.name not in _TEXTS and path.is_file()
    return _UNKNOWN if kind is None and meant else kind


def refusal(folder: Path) -> str:
    """Returns why a folder without a tokenizer is not opened, in sentences: its first file of a kind that is not read.

    Empty if there is none. See `tokenizers_in` and `is_tokenizer` for whether it has a tokenizer.
    """
    folder = folders_of(folder)[0]
    try:
        names = sorted(os.listdir(folder))[:MOST_FILES]
    except OSError:
        return ""
    for name in names:
        if _is_usual(name) and not os.path.exists(folder / name):
            return f"{folder} has no tokenizer: {name} is a link to a file that is not there. Download it again."
        kind = foreign_file(folder / name, name not in _SETTINGS)
        if kind is not None:
            return f"{folder} has no tokenizer that this program reads: {kind.sentence(name)}"
    return ""


def _is_usual(name: str) -> bool:
    """Returns whether a file has a name under which models are published, alone or as a part of a pair."""
    return any(
        name in format.folder_names or any(name in pair for pair in format.pairs)
        for format in FORMATS.values()
    )


def _format_of_pair(pair: tuple[Path, Path]) -> Format | None:
    """Returns the format of two files whose names belong together, if the first one looks so too."""
    format = format_of_file(pair[0], LIKELY)
    return format if format is not None and format.pairs else None


def _rank(name: str) -> int:
    """Returns a sort key: those that say most come first."""
    return (
        0 if name == _WHOLE else 2 if name.endswith((".txt", "vocab.json", "encoder.json")) else 1
    )
