"""The command line of the core: ``tokenarium-core encode cl100k_base "a text"``.

It is for servers and scripts: it needs no window, and every command writes JSON with ``--json``. The command
``tokenarium``, which comes with the window, does more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium_core.command_values import (
    LISTS,
    byte_values,
    check_algorithm,
    check_destination,
    content_of,
    decoded_text,
    encoding_values,
    entry_of,
    ids_in,
    name_of_text,
    one_destination,
    option_values,
    save_listing,
    save_trained,
    standard_input,
    utf8_fault,
)
from tokenarium_core.formats.registry import (
    EXPORT_FORMATS,
    FORMATS,
    obstacle_to,
)
from tokenarium_core.trace import KINDS as EVENT_KINDS
from tokenarium_core.trace import Trace
from tokenarium_core.training.algorithms import ALGORITHMS, make_trainer

FAILED: Final = 1
"""The exit code if something could not be done; 2 is argparse's own for wrong arguments."""

INTERRUPTED: Final = 130
"""The exit code after Ctrl+C, as in shells."""

STEP_MS: Final = 200

SHOWN: Final = 20
"""The most special tokens that `info` lists in its text output."""

_TOKENIZER: Final = "a file or folder, or the name of an encoding (cl100k_base …)"
_PATTERN: Final = (
    "how a .tiktoken file without a pattern splits a text: a name, or a regular expression"
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; it ends with 0, `FAILED`, `INTERRUPTED`, or 2 for wrong arguments."""
    for output in (sys.stdout, sys.stderr):
        # A terminal or a file that is not in UTF-8 does not have every character, and names may hold stray bytes.
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="backslashreplace")
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.run is None:
        parser.print_help()
        return
    try:
        chosen.run(chosen)
        sys.stdout.flush()
    except tc.TokenariumError as error:
        _end(str(error))
    except BrokenPipeError:
        # The reader has seen enough. What is still in the buffer must not be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except OSError as error:
        _end(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}.")
    except MemoryError:
        _end("There is not enough memory for this.")
    except KeyboardInterrupt:
        _end("Interrupted.", INTERRUPTED)


def _end(sentence: str, code: int = FAILED) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(code)


# The arguments.


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tokenarium-core",
        description="Opens, runs, explains, trains and converts tokenizers. Every command writes JSON with --json.",
        formatter_class=_help_of,
    )
    parser.set_defaults(run=None)
    compiled = "compiled" if tc.COMPILED else "interpreted"
    parser.add_argument(
        "--version", action="version", version=f"tokenarium-core {tc.__version__}, {compiled}"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    encode = _command(commands, "encode", _encode, "write the ids of a text")
    _add_tokenizer(encode)
    _add_text(encode)
    _add_switch(encode, "--show", "a row for each token: its id, its bytes, its position, its text")
    _add_ends(encode)

    decode = _command(commands, "decode", _decode, "write the text of ids, byte for byte")
    _add_tokenizer(decode)
    decode.add_argument("ids", nargs="*", help="without them, the standard input is read")

    count = _command(
        commands, "count", _count, "write how many tokens a text has with one tokenizer or several"
    )
    count.add_argument("tokenizers", nargs="+", metavar="TOKENIZER", help=_TOKENIZER)
    count.add_argument("--pattern", default="", help=_PATTERN)
    count.add_argument("-t", "--text", help="the text; without it, the standard input is read")
    count.add_argument(
        "-f", "--file", action="append", type=Path, help="a UTF-8 file; may be repeated"
    )
    _add_ends(count)

    info = _command(
        commands, "info", _info, "write what a tokenizer is made of, or what its entries are"
    )
    _add_tokenizer(info)
    info.add_argument("entries", nargs="*", help="entries to look up, by id, text or spelling")
    _add_switch(info, "--digests", "with the SHA-256 of its files")

    trace = _command(
        commands, "trace", _trace, "write how a text becomes ids, stage by stage and merge by merge"
    )
    _add_tokenizer(trace)
    _add_text(trace)
    _add_ends(trace)

    train = _command(commands, "train", _train, "train a tokenizer on texts")
    train.add_argument(
        "corpus", nargs="*", type=Path, help="UTF-8 text files, and folders of .txt and .md files"
    )
    train.add_argument(
        "-a", "--algorithm", default="bpe", help=f"{', '.join(ALGORITHMS)}; the default is bpe"
    )
    train.add_argument(
        "-n", "--vocab-size", type=int, default=8192, help="how many entries; the default is 8,192"
    )
    train.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"see --options. {LISTS}",
    )
    _add_switch(train, "--options", "list the options of the algorithm")
    train.add_argument("--out", type=Path, help="the file to write, in the format of its name")
    train.add_argument("--format", default="", help=f"{', '.join(EXPORT_FORMATS)}")
    _add_allowing(train)
    train.add_argument("--name", default="", help="the name of the tokenizer")

    convert = _command(
        commands, "convert", _convert, "write a tokenizer in another format", aliases=["export"]
    )
    _add_tokenizer(convert)
    convert.add_argument("to", type=Path, nargs="?", help=argparse.SUPPRESS)
    convert.add_argument(
        "--out", type=Path, help="the file; without it, what can be written is listed"
    )
    convert.add_argument(
        "--format",
        default="",
        help=f"{', '.join(EXPORT_FORMATS)}; the default follows from the name of the file",
    )
    _add_allowing(convert)

    _command(commands, "formats", _formats, "list the formats that are read and written")
    return parser


def _help_of(prog: str) -> argparse.HelpFormatter:
    """Returns the layout of the help; argparse itself would import an archive module to find the width."""
    try:
        width = os.get_terminal_size(1).columns
    except (OSError, ValueError):  # no terminal
        width = 80
    return argparse.HelpFormatter(prog, width=max(width - 2, 40))


def _command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    about: str,
    aliases: Sequence[str] = (),
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        aliases=list(aliases),
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        formatter_class=_help_of,
    )
    parser.set_defaults(run=run)
    _add_switch(parser, "--json", "write JSON, for other programs")
    return parser


def _add_switch(parser: argparse.ArgumentParser, name: str, about: str) -> None:
    parser.add_argument(name, action="store_true", help=about)


def _add_tokenizer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tokenizer", help=_TOKENIZER)
    parser.add_argument("--pattern", default="", help=_PATTERN)


def _add_text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", help="the text; without it, the standard input is read")
    parser.add_argument("-f", "--file", type=Path, help="read the text from a UTF-8 file")


def _add_ends(parser: argparse.ArgumentParser) -> None:
    _add_switch(parser, "--special", "encode each special token in the text as its id")
    _add_switch(parser, "--template", "with the ids around a text, such as <bos>")
    _add_switch(parser, "--bos", "with the id of the beginning in front, such as <s>")
    _add_switch(parser, "--eos", "with the id of the end after the text, such as </s>")


# The commands.


def _encode(chosen: argparse.Namespace) -> None:
    opened = _opened(chosen.tokenizer, chosen.pattern)
    text = _text(chosen.text, chosen.file)
    encoding = _encoding(opened, text, chosen, None)
    if chosen.json:
        _write_json(encoding_values(opened, encoding))
    elif chosen.show:
        rows = [
            [str(one["id"]), str(one["bytes"]), "-".join(map(str, one["span"])), _quoted(one)]
            for one in encoding_values(opened, encoding)["tokens"]
        ]
        _write_rows(["id", "bytes", "span", "token"], rows)
    else:
        print(" ".join(map(str, encoding.ids)))


def _decode(chosen: argparse.Namespace) -> None:
    opened = _opened(chosen.tokenizer, chosen.pattern)
    words = " ".join(chosen.ids) if chosen.ids else standard_input().decode("utf-8", "replace")
    content = _decoded(opened, ids_in(words).checked())
    fault = utf8_fault(content)
    if chosen.json:
        text = content.decode("utf-8", "replace")
        _write_json(
            {
                "tokenizer": opened.name,
                "text": text,
                "bytes": content.hex(),
                "valid_utf8": not fault,
            }
        )
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    if fault:
        what = (
            "The text has U+FFFD in their place" if chosen.json else "They are written as they are"
        )
        print(f"{fault} {what}.", file=sys.stderr)


def _decoded(opened: tc.Tokenizer, ids: list[int]) -> bytes:
    try:
        return opened.decode_bytes(ids)
    except IndexError as error:
        raise tc.TokenariumError(str(error)) from error


def _count(chosen: argparse.Namespace) -> None:
    if chosen.text is not None and chosen.file:
        raise tc.TokenariumError("Give a text or files, not both.")
    if chosen.file:
        texts = [(str(file), _text(None, file)) for file in chosen.file]
    else:
        texts = [("text", _text(chosen.text, None))]
    counts: list[dict[str, Any]] = []
    for name in chosen.tokenizers:
        opened = _opened(name, chosen.pattern)
        for source, text in texts:
            tokens = len(_encoding(opened, text, chosen, None))
            size = len(text.encode("utf-8", "surrogatepass"))
            counts.append(
                {
                    "tokenizer": opened.name,
                    "source": source,
                    "tokens": tokens,
                    "bytes": size,
                    "characters": len(text),
                    "bytes_per_token": round(size / tokens, 4) if tokens else None,
                }
            )
    if chosen.json:
        _write_json(counts)
        return
    rows = [
        [
            f"{one['tokens']:,}",
            f"{one['bytes']:,}",
            "" if one["bytes_per_token"] is None else f"{one['bytes_per_token']:.2f}",
            one["tokenizer"],
            one["source"],
        ]
        for one in counts
    ]
    _write_rows(["tokens", "bytes", "bytes/token", "tokenizer", "source"], rows)


def _info(chosen: argparse.Namespace) -> None:
    opened = _opened(chosen.tokenizer, chosen.pattern)
    if chosen.entries:
        _write_entries(opened, chosen.entries, chosen.json)
        return
    values = _about(opened, chosen.digests)
    if chosen.json:
        _write_json(values)
        return
    stored: dict[str, str] = values.pop("settings")
    special: dict[str, int] = values.pop("special_tokens")
    digests: dict[str, str] = values.pop("sha256", {})
    rows = [[key.replace("_", " "), str(value)] for key, value in values.items() if value != ""]
    rows += [[f"SHA-256 of {name}", digest] for name, digest in digests.items()]
    listed = sorted(special.items(), key=lambda pair: pair[1])
    rows += [[f"special token {token}", text] for text, token in listed[:SHOWN]]
    if len(listed) > SHOWN:
        rows.append(["", f"… and {len(listed) - SHOWN:,} more, which --json lists"])
    rows += [[name, _one_line(value)] for name, value in stored.items()]
    _write_rows([], rows)


def _about(opened: tc.Tokenizer, digests: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": opened.name,
        "format": opened.source.format,
        "path": opened.source.path,
        "entries": len(opened.vocabulary),
        "model": type(opened.model).__name__,
        "normalizer": opened.normalizer.name if opened.normalizer is not None else "",
        "splitter": opened.splitter.name if opened.splitter is not None else "",
        "pre_tokenizer": opened.pre_tokenizer.name,
        "pattern": opened.pre_tokenizer.pattern,
        "decoder": opened.decoder.name,
        "template": opened.template.name if opened.template is not None else "",
        "special_tokens": opened.special_tokens,
        "settings": {f"{detail.group}.{detail.name}": detail.value for detail in opened.details},
    }
    if digests:
        values["sha256"] = dict(opened.source.digests())
    return values


def _write_entries(opened: tc.Tokenizer, wanted: Sequence[str], as_json: bool) -> None:
    vocabulary = opened.vocabulary
    entries: list[dict[str, Any]] = []
    missing: list[str] = []
    for word in wanted:
        try:
            token = entry_of(opened, word)
        except tc.TokenariumError as error:
            missing.append(str(error))
        else:
            entries.append(
                {
                    "id": token,
                    "piece": vocabulary.surface(token),
                    "bytes": byte_values(vocabulary.piece(token)),
                    "kind": vocabulary.kind(token),
                }
            )
    if as_json:
        _write_json(entries)
    elif entries:
        rows = [
            [str(entry["id"]), entry["kind"], entry["bytes"], _quoted(entry)] for entry in entries
        ]
        _write_rows(["id", "kind", "bytes", "entry"], rows)
    if missing:
        raise tc.TokenariumError("\n".join(missing))


def _trace(chosen: argparse.Namespace) -> None:
    opened = _opened(chosen.tokenizer, chosen.pattern)
    text = _text(chosen.text, chosen.file)
    trace = Trace()
    encoding = _encoding(opened, text, chosen, trace)
    normalized = encoding.text.data[: encoding.text.size]
    if chosen.json:
        _write_json(
            {
                "tokenizer": opened.name,
                "normalized": normalized.decode("utf-8", "replace"),
                "pre_tokens": _cuts(encoding, normalized),
                "events": _events(trace),
                "ids": list(encoding.ids),
            }
        )
        return
    print(f"normalized {_shown(normalized)}")
    for cut in _cuts(encoding, normalized):
        print(f"pre-token  {cut['text']!r} ({cut['rule']})")
    vocabulary = opened.vocabulary
    for event in _events(trace):
        kind = event["kind"]
        result: int = event["result"]
        if kind == "pre-token":
            print(f"at byte {event['position']}")
        elif kind in ("merge", "unmerge"):
            left, right = _entry(vocabulary, event["left"]), _entry(vocabulary, event["right"])
            print(f"  {kind:13} {left} + {right} = {_entry(vocabulary, result)} ({result})")
        elif result >= 0:
            print(f"  {kind:13} {_entry(vocabulary, result)} ({result})")
    print(f"ids        {' '.join(map(str, encoding.ids))}")


def _cuts(encoding: tc.Encoding, normalized: bytes) -> list[dict[str, Any]]:
    """Returns the pre-tokens: their text after the normalizer, their positions in the original text, and their rules."""
    pre_tokens = encoding.pre_tokens
    spans = encoding.pre_token_spans
    cuts: list[dict[str, Any]] = []
    start = 0
    for index in range(len(pre_tokens)):
        stop = int(pre_tokens.ends[index])
        rule = pre_tokens.names[pre_tokens.rules[index]] if index < len(pre_tokens.rules) else ""
        cuts.append(
            {
                "text": normalized[start:stop].decode("utf-8", "replace"),
                "span": [int(spans[2 * index]), int(spans[2 * index + 1])],
                "rule": rule,
            }
        )
        start = stop
    return cuts


def _events(trace: Trace) -> list[dict[str, Any]]:
    """Returns the events of a trace, as in the columns of `Trace`."""
    return [
        {
            "kind": EVENT_KINDS[trace.kinds[row]],
            "position": int(trace.positions[row]),
            "left": int(trace.lefts[row]),
            "right": int(trace.rights[row]),
            "result": int(trace.results[row]),
            "rank": int(trace.ranks[row]),
            "score": trace.scores[row],
        }
        for row in range(len(trace))
    ]


def _train(chosen: argparse.Namespace) -> None:
    check_algorithm(chosen.algorithm)
    if chosen.options:
        _write_options(chosen.algorithm, chosen.json)
        return
    if ALGORITHMS[chosen.algorithm].by_language:
        raise tc.TokenariumError(
            f"{chosen.algorithm} needs a corpus for each language, which this command does not support: train it in"
            " Python, or with the command tokenarium of the app."
        )
    if not chosen.corpus:
        raise tc.TokenariumError("There is nothing to train on: name files or folders.")
    if chosen.out is None:
        raise tc.TokenariumError(
            "The tokenizer would not be saved: name the file to write with --out."
        )
    check_destination(chosen.out, chosen.format)
    options: dict[str, Any] = dict(option_values(chosen.algorithm, chosen.option))
    files = [file for source in chosen.corpus for file in _corpus_files(source)]
    started = time.perf_counter()
    trainer = make_trainer(chosen.algorithm, files=files, vocab_size=chosen.vocab_size, **options)
    phase = ""
    while True:
        progress = trainer.step(STEP_MS)
        if progress.finished:
            break
        if progress.phase != phase and sys.stderr.isatty():
            phase = progress.phase
            print(f"{phase} …", file=sys.stderr)
    name = chosen.name.encode("utf-8", "backslashreplace").decode()
    tokenizer = trainer.tokenizer(name or chosen.out.stem)
    written = save_trained(tokenizer, chosen.out, chosen.format, chosen.allow_differences)
    values = {
        "name": tokenizer.name,
        "algorithm": chosen.algorithm,
        "entries": len(tokenizer.vocabulary),
        "bytes": int(trainer.byte_count),
        "seconds": round(time.perf_counter() - started, 3),
        "files": [str(path) for path in written],
        "report": trainer.report,
    }
    if chosen.json:
        _write_json(values)
    else:
        print(
            f"{values['entries']:,} entries from {values['bytes']:,} bytes in {values['seconds']:.1f} s:"
            f" {', '.join(values['files'])}"
        )
        if trainer.report:
            print(trainer.report)


def _corpus_files(source: Path) -> list[Path]:
    """Returns a file, or the texts in a folder; TokenariumError if there is none."""
    if not source.exists():
        raise tc.TokenariumError(f"{source} does not exist: name files or folders of text.")
    if not source.is_dir():
        return [source]
    files = [
        path for path in source.rglob("*") if path.suffix in (".txt", ".md") and path.is_file()
    ]
    if not files:
        raise tc.TokenariumError(f"{source} has no .txt or .md files: name the files.")
    return sorted(files)


def _write_options(algorithm: str, as_json: bool) -> None:
    options = ALGORITHMS[algorithm].options
    if as_json:
        _write_json({option.name: option.default for option in options})
        return
    for option in options:
        choices = f" One of {', '.join(option.choices)}." if option.choices else ""
        print(f"{option.name} = {option.default!r}\n    {option.about}{choices}")


def _convert(chosen: argparse.Namespace) -> None:
    to = one_destination(chosen.to, chosen.out)
    opened = _opened(chosen.tokenizer, chosen.pattern)
    if to is None:
        obstacles = {name: obstacle_to(opened, name) for name in EXPORT_FORMATS}
        if chosen.json:
            _write_json(obstacles)
        else:
            _write_rows(
                ["format", "suffix", "can be written"],
                [
                    [name, EXPORT_FORMATS[name].suffix, obstacle or "yes"]
                    for name, obstacle in obstacles.items()
                ],
            )
        return
    written = save_listing(opened, to, chosen.format, chosen.allow_differences)
    paths = [str(path) for path in written]
    if chosen.json:
        _write_json({"files": paths})
    else:
        print("\n".join(paths))


def _add_allowing(parser: argparse.ArgumentParser) -> None:
    _add_switch(
        parser,
        "--allow-differences",
        "write a copy that treats some texts differently, and list them",
    )


def _formats(chosen: argparse.Namespace) -> None:
    values = [
        {
            "name": name,
            "title": kind.title,
            "suffixes": list(kind.suffixes),
            "written": kind.is_written,
        }
        for name, kind in FORMATS.items()
    ]
    if chosen.json:
        _write_json(values)
        return
    rows = [
        [name, "read, written" if kind.is_written else "read", " ".join(kind.suffixes), kind.title]
        for name, kind in FORMATS.items()
    ]
    _write_rows(["format", "", "suffixes", "what it is"], rows)


# What they share.


def _opened(name: str, pattern: str) -> tc.Tokenizer:
    return tc.open(name, pattern=pattern or None)


def _encoding(
    opened: tc.Tokenizer, text: str, chosen: argparse.Namespace, trace: Trace | None
) -> tc.Encoding:
    for wanted, ids, name in (
        (chosen.bos, opened.ends.bos, "beginning"),
        (chosen.eos, opened.ends.eos, "end"),
    ):
        if wanted and not ids:
            print(f"{opened.name} has no token for the {name} of a text.", file=sys.stderr)
    return opened.encode(
        text,
        special="all" if chosen.special else "none",
        trace=trace,
        template=chosen.template,
        add_bos=chosen.bos,
        add_eos=chosen.eos,
    )


def _text(text: str | None, file: Path | None) -> str:
    """Returns the text of an argument, a file, or the standard input, with its line endings unchanged."""
    if text is not None and file is not None:
        raise tc.TokenariumError("Give a text or a file, not both.")
    if file is not None:
        return decoded_text(content_of(file), name_of_text(file))
    if text is not None:
        return text
    return decoded_text(standard_input(), name_of_text(None))


def _write_json(value: Any) -> None:
    """Writes a value as a line of JSON, with escapes if the output is not UTF-8."""
    coded = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, ensure_ascii=not coded))


def _write_rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Writes rows in aligned columns; the last column is not padded."""
    lines = [heads, *rows] if heads else list(rows)
    if not lines:
        return
    widths = [max([len(line[index]) for line in lines]) for index in range(len(lines[0]) - 1)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print("  ".join([*cells, line[-1]]).rstrip())


def _quoted(values: dict[str, Any]) -> str:
    return _shown(bytes.fromhex(values["bytes"]))


def _entry(vocabulary: tc.Vocabulary, token: int) -> str:
    return _shown(vocabulary.piece(token)) if token >= 0 else "?"


def _shown(data: bytes) -> str:
    """Returns bytes in quotes; bytes that are not text are written as \\xe2."""
    return repr(data.decode("utf-8", "backslashreplace")).replace("\\\\x", "\\x")


def _one_line(value: str) -> str:
    lines = value.splitlines()
    return value if len(lines) < 2 else f"{lines[0]} … ({len(lines):,} lines)"
