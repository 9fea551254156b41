"""Opening a folder whose tokenizer is in slow form: the vocabulary with the settings next to it.

The result is the same as in transformers 5 (``AutoTokenizer.from_pretrained``). `hf_slow_classes` lists which
settings matter for which class. `Tokenizer.details` lists the settings of this folder that were applied, and those
that do not affect ids, in the group "model folder". Any other class is refused by name.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, NotAvailable, TokenariumError
from tokenarium_core.formats.foreign import content_of
from tokenarium_core.formats.format import LIKELY
from tokenarium_core.formats.hf.hf_ctc import checked_ids, ctc_fields, special_entries
from tokenarium_core.formats.hf.hf_format import (
    load_huggingface,
    read_huggingface,
    tokenizer_of_code_points,
)
from tokenarium_core.formats.hf.hf_named import NO_PREFIX, named_tokenizer
from tokenarium_core.formats.hf.hf_slow_basic import (
    BASIC_FILES,
    PROPHETNET,
    cuts_with_mecab,
    of_basic,
    with_mecab,
)
from tokenarium_core.formats.hf.hf_slow_builder import WORD_END, SlowBuilder, SlowPieces
from tokenarium_core.formats.hf.hf_slow_characters import CHARACTER_CLASSES, of_characters
from tokenarium_core.formats.hf.hf_slow_classes import (
    BYT5,
    BYTE_CLASSES,
    CODE_POINT_CLASS,
    PAIR_CLASSES,
    PYTHON_CLASSES,
    SENTENCEPIECE_FILES,
    WORDPIECE_CLASSES,
    is_clip,
    of_bytes,
    of_code_points,
    of_pair,
    of_pieces,
    of_wordpiece,
)
from tokenarium_core.formats.hf.hf_slow_languages import OTHER_PIECE_FILES, of_other_pieces
from tokenarium_core.formats.hf.hf_slow_media import MEDIA_PIECE_FILES, of_media_pieces
from tokenarium_core.formats.hf.hf_slow_named import (
    CODED,
    DICTIONARY,
    LISTED_IDS,
    MOST_SPACES,
    NAMED_FILES,
    OWN_IDS,
    check_siglip,
    of_names,
)
from tokenarium_core.formats.hf.hf_slow_pairs import OTHER_PAIR_CLASSES, of_other_pair
from tokenarium_core.formats.hf.hf_slow_parts import (
    PART_FILES,
    of_parts,
    read_entries,
    read_merges,
)
from tokenarium_core.formats.hf.hf_slow_settings import (
    GENERIC,
    OwnCode,
    SlowSettings,
    text_of,
)
from tokenarium_core.formats.hf.hf_slow_words import (
    ESMC,
    OTHER_WORD_CLASSES,
    of_esmc,
    of_other_words,
)
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.plain_lines import lines_of
from tokenarium_core.formats.registry import format_of_file, in_folder
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces
from tokenarium_core.formats.settings_files import BESIDE, CONFIG, SETTINGS_FILES
from tokenarium_core.formats.tiktoken_format import TIKTOKEN
from tokenarium_core.formats.vocab_txt_format import read_pieces
from tokenarium_core.plain_files import read_file
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheWriter, digest_of, is_worth_caching, load, store

GROUP: Final = "model folder"
"""The group of `Tokenizer.details` that says how the settings of the folder were used."""

NOT_APPLIED: Final = "not applied"
"""The detail of a vocabulary opened without its folder: what is lost."""

OWN_CLASSES: Final = (*BYTE_CLASSES, CODE_POINT_CLASS, ESMC)
"""The classes that need no file but their settings."""

_SILENT: Final = (
    "chat_template",
    "tokenizer_class",
    "auto_map",
    "name_or_path",
    "model_max_length",
    "processor_class",
)
"""Settings that nobody expects to affect ids."""

_CTC: Final = "Wav2Vec2CTCTokenizer"
_SIGLIP: Final = "SiglipTokenizer"
_PACKAGES: Final = {
    "sacremoses": "XLMTokenizer FlaubertTokenizer FSMTTokenizer BioGptTokenizer",
    "rjieba": "CpmTokenizer CpmAntTokenizer RoFormerTokenizer",
    "phonemizer or uroman": "VitsTokenizer",
    "phonemizer": "Wav2Vec2PhonemeCTCTokenizer",
    "g2p_en": "FastSpeech2ConformerTokenizer",
}
"""What classes in Python need of others: Moses's rules for words, Chinese words, and sounds."""

_OWN_STAGES: Final = {
    "Siglip2Tokenizer": "first makes small letters of a text",
    "NougatTokenizer": "searches for the regular expressions of its pre-tokenizers as for plain strings",
}
"""Classes that take only the entries and merges of a tokenizer.json, and whose own stages differ from published files."""

_LANGUAGES: Final = {_CTC: "target_lang"}
_LARGEST: Final = 1 << 24  # bytes of settings
_SHOWN: Final = 8  # the most settings named in a sentence
_WORDS: Final = "vocab.txt"
_ENTRIES: Final = "vocab.json"
_MERGES: Final = "merges.txt"
_WHOLE: Final = "tokenizer.json"
_SLOW: Final = "folder"  # for the cache: no format has this name


def slow_form(folder: Path, file: Path) -> bool:
    """Returns whether a folder has settings for the vocabulary file ``file`` in it, and no `tokenizer.json`."""
    is_slow = file.suffix in (".model", ".spm") or file.name in (_WORDS, _ENTRIES)
    if not is_slow or not any((folder / name).is_file() for name in SETTINGS_FILES):
        return False
    format = format_of_file(file, LIKELY) if file.suffix == ".model" else None
    return format is None or format.name != TIKTOKEN  # which finds its settings by itself


def own_class(folder: Path, file: Path | None) -> SlowSettings | None:
    """Returns the settings of a folder whose class reads neither a vocabulary nor a tokenizer.json; None for others.

    ``file`` is the file of the folder that would make a tokenizer, if there is one.
    """
    if not os.path.isfile(folder / CONFIG):
        return None
    try:
        settings = SlowSettings(folder)
    except TokenariumError:
        return None  # a tokenizer.json is read without them
    made_here = settings.kind in NAMED_FILES or settings.kind in PART_FILES
    made_here = made_here or settings.kind in OTHER_WORD_CLASSES
    made_here = made_here or BASIC_FILES.get(settings.kind) == _WORDS
    in_python = settings.kind in PYTHON_CLASSES.split() and not made_here
    none_read = file is None and in_python
    return settings if none_read or settings.kind in OWN_CLASSES else None


def class_file(folder: Path, file: Path) -> Path:
    """Returns the file that the class of a folder reads, even beside a ``tokenizer.json``; ``file`` for other classes.

    This is so for `NAMED_FILES` and `BASIC_FILES`, which transformers runs in Python.
    """
    if file.name != _WHOLE or not (folder / CONFIG).is_file():
        return file
    if not any((folder / name).is_file() for name in (_WORDS, *NAMED_FILES.values())):
        return file
    try:
        kind = SlowSettings(folder).kind
        alone = kind in OWN_IDS or kind in BASIC_FILES or kind == LISTED_IDS
        if not alone and not (folder / _ENTRIES).is_file():
            return file
        named = folder / (NAMED_FILES.get(kind) or BASIC_FILES.get(kind) or _WHOLE)
    except TokenariumError:
        return file  # a tokenizer.json is read without them
    return named if named.is_file() else file


def needs_no_file(folder: Path, file: Path | None) -> bool:
    """Returns whether the settings of a folder tell what it is: that of a class that no other file could belong to.

    ``file`` as for `own_class`.
    """
    try:
        if file is not None:  # then the settings name the class; they may be large
            config = read_file(folder / CONFIG, _LARGEST)
            if not any(name.encode() in config for name in OWN_CLASSES):
                return False
        settings = own_class(folder, file)
        return settings is not None and (
            settings.kind in OWN_CLASSES or _own_file(settings) is not None
        )
    except (OSError, ValueError):
        return False


def _own_file(settings: SlowSettings) -> Path | None:
    """Returns the vocabulary that only the class of a folder reads; None if there is none."""
    name = _ENTRIES if settings.kind in CHARACTER_CLASSES else ""
    name = BASIC_FILES[PROPHETNET] if settings.kind == PROPHETNET else name
    path = settings.folder / name
    return path if name and path.is_file() else None


def lacks_vocabulary(folder: Path) -> str:
    """Returns a message about a folder with tokenizer settings but no vocabulary or several; otherwise ""."""
    if not os.path.isfile(folder / CONFIG):
        return ""
    named = ""
    try:
        named = SlowSettings(folder).named
    except OwnCode as error:
        return f"{error} It has no such file, or several."
    except TokenariumError:
        pass  # what is wrong with them is said beside a vocabulary
    return (
        f"{folder} has {CONFIG}, the settings{f' of {named}' if named else ''}, but no vocabulary for them, or"
        " several. Get the other files of the model, such as tokenizer.json, tokenizer.model, vocab.json with"
        " merges.txt or vocab.txt, or open one of them by itself."
    )


def open_own_class(settings: SlowSettings, name: str) -> tuple[Tokenizer, list[Path]]:
    """Returns the tokenizer of a folder that `own_class` knows, and the files that it was read from.

    Raises FormatError for all classes but `OWN_CLASSES`, and as `read_slow_folder`.
    """
    folder = settings.folder
    if settings.kind == _CTC and (folder / _ENTRIES).is_file():
        return _ctc(settings, name)
    vocabulary = _own_file(settings)
    if vocabulary is not None:
        make = _basic if settings.kind == PROPHETNET else _characters
        return make(SlowBuilder(settings), settings.kind, vocabulary, name)
    if settings.kind not in OWN_CLASSES:
        raise FormatError(_in_python(settings))
    builder = SlowBuilder(settings)
    entries = "bytes"
    if settings.kind == CODE_POINT_CLASS:
        of_code_points(builder)
        entries = "code points"
    elif settings.kind == ESMC:
        of_esmc(builder)
        entries = "amino acids"
    else:
        of_bytes(builder)
    for id, token in settings.added.items():
        if builder.id_of(token) != id:
            raise FormatError(
                f"{CONFIG} of {folder} gives the token {token.content!r} the id {id}, for which {settings.kind} has another"
                " entry. Correct it."
            )
    if builder.code_points:
        tokenizer = tokenizer_of_code_points(builder.fields(), name, folder)
    else:
        content = json.dumps(builder.fields(), ensure_ascii=False)
        tokenizer = read_huggingface(content.encode("utf-8", "surrogatepass"), name, folder)
    if tokenizer.template is not None:
        tokenizer.template.once = settings.kind == BYT5
    rows = _details(settings, builder, f"none: the entries are {entries}", settings.kind)
    tokenizer.details = rows + tokenizer.details
    return tokenizer, settings.files


def _ctc(settings: SlowSettings, name: str) -> tuple[Tokenizer, list[Path]]:
    """Returns the tokenizer of a speech model: characters, whose special tokens the settings name."""
    builder = SlowBuilder(settings)
    vocabulary = settings.folder / _ENTRIES
    stored = whole_json(content_of(vocabulary), _ENTRIES)
    language = builder.take("target_lang", None)
    if language is not None:
        if not isinstance(stored, dict) or not isinstance(language, str) or language not in stored:
            raise settings.error("target_lang", f"a language of {_ENTRIES}", language)
        stored = stored[language]
        builder.language = language
    entries = checked_ids(stored, _ENTRIES)
    if builder.flag("do_lower_case", False):
        raise settings.not_run("do_lower_case", "makes capitals of small letters")
    delimiter = builder.take("word_delimiter_token", "|")
    between = builder.take("replace_word_delimiter_char", " ")
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise settings.error("word_delimiter_token", "one character", delimiter)
    if not isinstance(between, str):
        raise settings.error("replace_word_delimiter_char", "a text", between)
    builder.tokens(bos_token="<s>", eos_token="</s>")
    unknown = builder.token("unk_token", "<unk>")
    padding = builder.token("pad_token", "<pad>")
    if text_of(unknown) not in entries:
        raise FormatError(
            f"{_ENTRIES} has no entry {text_of(unknown)!r}, the unknown token of {_CTC}."
        )
    builder.vocabulary = entries
    builder.finish()
    added = special_entries(entries)
    known = {token["content"] for token in added}
    for token in builder.fields()["added_tokens"]:
        if token["content"] not in known:
            added.append({**token, "normalized": False})
    named = [text_of(token) for token in [*builder.special.values(), *builder.extra]]
    for token in added:
        token["special"] = token["content"] in named
    fields = ctc_fields(entries, text_of(unknown), text_of(padding), delimiter, between, added)
    content = json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")
    tokenizer = read_huggingface(content, name, settings.folder)
    tokenizer.details = _details(settings, builder, _ENTRIES, _CTC) + tokenizer.details
    return tokenizer, [vocabulary, *settings.files]


def not_applied(path: Path) -> list[Detail]:
    """Returns what is lost if a vocabulary file is opened without the settings next to it.

    For a `tokenizer.json` this applies only if the class of its folder is code that does not read it.
    """
    folder = path.parent
    whole = path.name == _WHOLE and (folder / CONFIG).is_file()
    if not whole and (not slow_form(folder, path) or in_folder(folder) != path):
        return []
    try:
        settings = SlowSettings(folder)
    except OwnCode:
        return [
            Detail(
                GROUP,
                NOT_APPLIED,
                f"{CONFIG} beside {path.name} says that the tokenizer is made by its own code (auto_map), which this"
                f" program does not run: the ids are those of {path.name} alone, and those of the model may differ.",
            )
        ]
    except TokenariumError as error:
        if whole:
            return []  # it is read without them
        return [Detail(GROUP, NOT_APPLIED, str(error))]
    if not whole:
        try:
            _kind(settings, path)
        except FormatError:  # the folder is refused, and its sentence leads here
            cls = settings.named or settings.kind
            ids = f"the ids are those of {path.name} alone, and those of the model may differ."
            value = f"The settings beside {path.name} are for {cls}, which this program does not run on it: {ids}"
            return [Detail(GROUP, NOT_APPLIED, value)]
    if whole:
        if settings.kind in _OWN_STAGES:
            return [Detail(GROUP, NOT_APPLIED, _own_stages(settings, path))]
        if settings.kind not in PYTHON_CLASSES.split():
            return []
        ids = f"the ids are those of {path.name}, and those of the class may differ."
        return [
            Detail(
                GROUP, NOT_APPLIED, f"{_in_python(settings)} It also reads no tokenizer.json: {ids}"
            )
        ]
    names = [name for name in settings.origins if name not in _SILENT]
    names += [f"{len(settings.added):,} added tokens"] if settings.added else []
    files = " and ".join([file.name for file in settings.files if file.name in SETTINGS_FILES])
    what = f" set {', '.join(names[:_SHOWN])}" if names else " name the class"
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return [
        Detail(
            GROUP,
            NOT_APPLIED,
            f"{files} beside {path.name}{what}{more}, for {settings.kind} of transformers: open the folder to apply"
            " this.",
        )
    ]


def open_slow_folder(
    folder: Path, file: Path, name: str, cache: Path | None
) -> tuple[Tokenizer, list[Path]]:
    """Returns the result of `read_slow_folder`; stores the parsed form of a large file in the folder ``cache``."""
    if cache is None or not is_worth_caching(file):
        return read_slow_folder(folder, file, name)
    before = slow_digest(folder, file)
    cached = load(before, _SLOW, cache)
    if cached is not None:
        try:
            rows = [Detail(GROUP, cached.text(), cached.text()) for _ in range(cached.number())]
            tokenizer = load_huggingface(cached, name, folder)
            tokenizer.details = rows + tokenizer.details
            return tokenizer, _slow_files(folder, file)
        except Exception:  # a cache only saves time: the files themselves are still there
            pass
        finally:
            cached.close()
    out = CacheWriter()
    tokenizer, files = read_slow_folder(folder, file, name, out)
    if out.complete and slow_digest(folder, file) == before:  # the files are those that were read
        store(before, _SLOW, cache, out)
    return tokenizer, files


def slow_digest(folder: Path, file: Path) -> str:
    """Returns the SHA-256, in hexadecimal, by which the cache knows a folder with this vocabulary."""
    return digest_of([(part.name, content_of(part)) for part in _slow_files(folder, file)])


def _slow_files(folder: Path, file: Path) -> list[Path]:
    return [file, *[folder / name for name in BESIDE if (folder / name).is_file()]]


def read_slow_folder(
    folder: Path,
    file: Path,
    name: str,
    out: CacheWriter | None = None,
) -> tuple[Tokenizer, list[Path]]:
    """Returns the tokenizer of a folder, and the files that it was read from.

    ``file`` is its vocabulary. How the settings were used, and the parsed form of the vocabulary, is written
    to ``out``.

    Raises FormatError, with the class, the setting and the file, for anything that cannot run exactly as in
    transformers.
    """
    settings = SlowSettings(folder)
    kind = _kind(settings, file)
    settings.kind = kind
    builder = SlowBuilder(settings)
    for setting in ("vocab", "merges"):
        if setting in settings.values:
            raise settings.error(setting, "left to the vocabulary file", "set")
    scores: list[float] = []
    files = [file]
    if kind in NAMED_FILES:
        return _named(builder, kind, file, name)
    if kind in PART_FILES:
        return _parts(builder, kind, file, name)
    if kind in BASIC_FILES:
        return _basic(builder, kind, file, name)
    if kind in WORDPIECE_CLASSES:
        of_wordpiece(builder, _words(content_of(file), file.name))
    elif kind in OTHER_WORD_CLASSES:
        of_other_words(builder, kind, _words(content_of(file), file.name))
    elif kind in PAIR_CLASSES or kind in OTHER_PAIR_CLASSES:
        files.append(file.with_name(_MERGES))
        entries = _entries(content_of(file), file.name)
        make = of_pair if kind in PAIR_CLASSES else of_other_pair
        make(builder, kind, entries, _merges(content_of(files[-1]), _MERGES))
    else:
        pieces = _pieces(content_of(file), file.name)
        make_pieces = of_other_pieces if kind in OTHER_PIECE_FILES else of_pieces
        if kind in MEDIA_PIECE_FILES:
            make_pieces = of_media_pieces
        scores = make_pieces(builder, kind, pieces)
    content = json.dumps(builder.fields(), ensure_ascii=False).encode("utf-8", "surrogatepass")
    rows = _details(settings, builder, file.name, kind)
    if out is not None:
        out.number(len(rows))
        for row in rows:
            out.text(row.name)
            out.text(row.value)
    try:
        tokenizer = read_huggingface(content, name, folder, out, scores)
    except FormatError as error:
        raise FormatError(
            f"{file.name} cannot be run as {kind}, the class for this folder ({_source(settings)}). In the"
            f" tokenizer.json that the class makes: {error} Open {file.name} by itself."
        ) from error
    tokenizer.details = rows + tokenizer.details
    return tokenizer, files + settings.files


def _named(builder: SlowBuilder, kind: str, file: Path, name: str) -> tuple[Tokenizer, list[Path]]:
    """Returns the tokenizer of a class whose model cuts, and whose vocab.json gives the ids."""
    pieces = content_of(file)
    listed, trainer, rules = raw_pieces(pieces, file.name)
    leading = MOST_SPACES if rules.remove_extra_whitespaces else int(rules.add_dummy_prefix)
    files = [file]
    if kind in OWN_IDS:
        entries = {piece: id for id, (piece, _, _) in enumerate(listed)}
    elif kind == LISTED_IDS:
        files.append(file.with_name(DICTIONARY))
        entries = _dictionary(files[-1], kind)
    else:
        files.append(file.with_name(_ENTRIES))
        entries = _entries(content_of(files[-1]), _ENTRIES)
    if kind == _SIGLIP:
        check_siglip([piece for piece, _, _ in listed], rules.remove_extra_whitespaces)
        pieces += NO_PREFIX
    fields = of_names(builder, kind, entries, trainer.byte_fallback, leading)
    stages = json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")
    tokenizer = named_tokenizer(stages, pieces, kind in CODED, name, file.name)
    settings = builder.settings
    ids = file.name if kind in OWN_IDS else f"{files[1].name}, for the pieces of {file.name}"
    tokenizer.details = _details(settings, builder, ids, kind) + tokenizer.details
    return tokenizer, [*files, *settings.files]


def _dictionary(path: Path, kind: str) -> dict[str, int]:
    """Returns the entries of a list with the numbers of their lines; each line may have a count after its entry."""
    if not path.is_file():
        raise NotAvailable(f"{kind} needs {path.name} in its folder, but {path} does not exist.")
    entries: dict[str, int] = {}
    for number, line in lines_of(content_of(path), path.name):
        words = line.split()
        if not words:
            raise FormatError(f"Line {number} of {path.name} is empty.")
        if words[0] in entries:
            raise FormatError(f"Line {number} of {path.name} repeats the entry {words[0]!r:.60}.")
        entries[words[0]] = len(entries)
    return entries


def _basic(builder: SlowBuilder, kind: str, file: Path, name: str) -> tuple[Tokenizer, list[Path]]:
    """Returns the tokenizer of a class with BERT's rules in Python."""
    lines = lines_of(content_of(file, certain=True), file.name)
    fields = of_basic(builder, kind, {line: number - 1 for number, line in lines})
    content = json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")
    settings = builder.settings
    tokenizer = read_huggingface(content, name, settings.folder)
    if cuts_with_mecab(builder, kind):
        tokenizer = with_mecab(builder, tokenizer)
    tokenizer.details = _details(settings, builder, file.name, kind) + tokenizer.details
    return tokenizer, [file, *settings.files]


def _characters(
    builder: SlowBuilder, kind: str, file: Path, name: str
) -> tuple[Tokenizer, list[Path]]:
    """Returns the tokenizer of a class whose tokens are characters."""
    entries = checked_ids(whole_json(content_of(file), file.name), file.name)
    fields = of_characters(builder, kind, entries)
    content = json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")
    settings = builder.settings
    tokenizer = read_huggingface(content, name, settings.folder)
    tokenizer.details = _details(settings, builder, file.name, kind) + tokenizer.details
    return tokenizer, [file, *settings.files]


def _parts(builder: SlowBuilder, kind: str, file: Path, name: str) -> tuple[Tokenizer, list[Path]]:
    """Returns the tokenizer of a class that cuts words into parts with ``@@``."""
    codes = file.with_name(PART_FILES[kind][1])
    if not codes.is_file():
        raise NotAvailable(
            f"{kind} needs {codes.name} beside {file.name}, but {codes} does not exist."
        )
    if file.name == _WORDS:
        entries = read_entries(builder, content_of(file), _WORDS)
    else:
        entries = _entries(content_of(file), _ENTRIES)
    stages, cutter = of_parts(
        builder, kind, entries, read_merges(kind, content_of(codes), codes.name)
    )
    contents = [
        json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")
        for fields in (stages, cutter)
    ]
    tokenizer = named_tokenizer(contents[0], contents[1], False, name, codes.name)
    settings = builder.settings
    rows = _details(settings, builder, f"{file.name}, for the parts of words by {codes.name}", kind)
    tokenizer.details = rows + tokenizer.details
    return tokenizer, [file, codes, *settings.files]


def _kind(settings: SlowSettings, file: Path) -> str:
    """Returns the class that reads a file; FormatError if the class of the folder does not."""
    kind = settings.kind
    if kind == GENERIC and not settings.named and not settings.model_type:
        # transformers does not open such folders; these files nearly always have the same class.
        if file.name == _WORDS:
            return "BertTokenizer"
        if file.name == _ENTRIES:
            entries = _entries(content_of(file), _ENTRIES)
            return "CLIPTokenizer" if is_clip(entries) else "GPT2Tokenizer"
    expected = SENTENCEPIECE_FILES.get(kind, "") or OTHER_PIECE_FILES.get(kind, "")
    expected = expected or MEDIA_PIECE_FILES.get(kind, "") or BASIC_FILES.get(kind, "")
    expected = expected or NAMED_FILES.get(kind, "") or PART_FILES.get(kind, ("",))[0]
    if kind in WORDPIECE_CLASSES or kind in OTHER_WORD_CLASSES:
        expected = _WORDS
    elif kind in PAIR_CLASSES or kind in OTHER_PAIR_CLASSES:
        expected = _ENTRIES
    if not expected and kind in PYTHON_CLASSES.split():
        raise FormatError(
            f"{_in_python(settings)} {file.name} by itself gives ids that are not those of the model."
        )
    if not expected:
        raise FormatError(
            f"{settings.named or kind}, the tokenizer class for {settings.folder} ({_source(settings)}), is not one"
            " that this program runs: the ids might differ. Open the tokenizer.json that save_pretrained of"
            f" transformers writes{_by_itself(file, ', or')}."
        )
    if file.name not in (expected, "tokenizer.model") or (
        file.name == "tokenizer.model" and (expected in (_WORDS, _ENTRIES) or kind in NAMED_FILES)
    ):
        named = f" ({settings.named} in the files)" if settings.named not in ("", kind) else ""
        raise FormatError(
            f"{kind}{named}, the tokenizer class for {settings.folder} ({_source(settings)}), reads {expected}, and the"
            f" folder has {file.name}: transformers would make an empty tokenizer from it. Correct"
            f" {CONFIG}{_by_itself(file, ', or open')}."
        )
    return kind


def _by_itself(file: Path, or_open: str) -> str:
    """Returns the other way to open a vocabulary; empty for a pair that is also refused on its own."""
    if file.name == _ENTRIES and WORD_END.encode() in content_of(file):
        return ""
    return f"{or_open} {file.name} by itself to use it without the settings of the folder"


def _in_python(settings: SlowSettings) -> str:
    return (
        f"{settings.named or settings.kind}, the tokenizer class for {settings.folder} ({_source(settings)}), is code in"
        f" Python of transformers{_needed(settings.kind)}, which this program does not run, and which writes no tokenizer.json."
    )


def _needed(kind: str) -> str:
    """Returns the package that a class in Python cuts words with, in words; empty if it needs none."""
    for package, kinds in _PACKAGES.items():
        if kind in kinds.split():
            return f" with the package {package}"
    return ""


def _source(settings: SlowSettings) -> str:
    """Returns in words how the class was file."""
    if settings.named:
        return f"tokenizer_class {settings.named}" + (
            f", model_type {settings.model_type}" if settings.model_type else ""
        )
    return f"model_type {settings.model_type}" if settings.model_type else f"{CONFIG} names none"


def _details(
    settings: SlowSettings, builder: SlowBuilder, vocabulary: str, kind: str
) -> list[Detail]:
    """Returns how the settings of the folder were used."""
    details = [
        Detail(GROUP, "class", f"{kind} of transformers 5 ({_source(settings)})"),
        Detail(GROUP, "vocabulary", vocabulary),
    ]
    if builder.language:
        details.append(
            Detail(
                GROUP,
                "language of a text",
                f"{builder.language} ({_LANGUAGES.get(kind, 'src_lang')})",
            )
        )
    used = builder.used
    if kind not in ("LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer", GENERIC):
        if kind not in ("AlbertTokenizer", "GPT2Tokenizer", "Qwen2Tokenizer"):
            used = [name for name in used if name not in ("add_bos_token", "add_eos_token")]
    if settings.added:
        used = [
            *used,
            f"{len(settings.added):,} tokens of added_tokens_decoder or added_tokens.json",
        ]
    rest = [name for name in settings.origins if name not in used and name not in _SILENT]
    if settings.added or "added_tokens_decoder" in rest:
        rest = [name for name in rest if name != "added_tokens_decoder"]
    if "extra_special_tokens" in used:
        rest = [name for name in rest if name != "additional_special_tokens"]
    if used:
        details.append(Detail(GROUP, "applied", ", ".join(used)))
    if rest:
        details.append(Detail(GROUP, "changes no id in this class", ", ".join(rest)))
    return details


def _own_stages(settings: SlowSettings, path: Path) -> str:
    kind = settings.kind
    return (
        f"{kind} of transformers ({_source(settings)}) takes the entries and merges of {path.name}, and {_OWN_STAGES[kind]}:"
        f" the ids are those of {path.name} itself, as tokenizers gives them, and those of the class may differ."
    )


# The vocabularies.


def _pieces(content: bytes, name: str) -> SlowPieces:
    pieces, trainer, rules = raw_pieces(content, name)
    return SlowPieces(pieces, trainer, rules.precompiled_charsmap)


def _words(content: bytes, name: str) -> dict[str, int]:
    return {piece: id for id, piece in enumerate(read_pieces(content, name))}


def _entries(content: bytes, name: str) -> dict[str, int]:
    entries = whole_json(content, name)
    if not isinstance(entries, dict) or not all(type(id) is int for id in entries.values()):
        raise FormatError(f"{name} is not an object of entries and their ids.")
    return entries


def _merges(content: bytes, name: str) -> list[tuple[str, str]]:
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{name} is not UTF-8 (byte {error.start}).") from error
    if not lines[-1]:
        lines.pop()
    merges: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if line.startswith("#version"):
            continue
        parts = line.split(" ")
        if len(parts) != 2:
            raise FormatError(f"Line {number} of {name} is not two entries: {line[:60]!r}.")
        merges.append((parts[0], parts[1]))
    return merges
