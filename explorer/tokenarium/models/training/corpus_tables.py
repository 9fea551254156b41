"""Reads a column of text of Parquet and Arrow files, row group by row group, without holding the file.

Arrow files are of either form of its IPC format, the file and the stream; the library datasets writes streams.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any, Final

from tokenarium.models.text.piece import counted
from tokenarium.models.training import corpus_unpacking
from tokenarium.models.training.corpus_files import CorpusFile
from tokenarium.models.training.corpus_reports import FileReport, opened, rest
from tokenarium.models.training.corpus_unpacking import MOST_PACKED, UnpackedTooMuchError
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import open_file

ROWS: Final = 256
"""Rows that are decoded at a time."""

BUFFER: Final = 1 << 20
"""Bytes that are read at a time of a column of a row group."""

MOST_COLUMNS: Final = 12
"""Columns that a sentence names."""

DEFAULT: Final = "text"
"""The column that is read where none is named."""

_MAGIC: Final = b"ARROW1"


def rows(report: FileReport, start: int = 0, stop: int | None = None) -> Iterator[str]:
    """Yields the texts of the row groups or record batches from ``start`` to before ``stop``, in their order.

    A row without text is left out and counted; so is a row group that cannot be read, and the next ones are read.
    Raises TokenariumError if the file is no table, or the column is not clear, and OSError.
    """
    with ExitStack() as closing:
        table = open_table(report.file, closing)
        faults: list[str] = []
        broken = 0
        for number in range(start, table.count if stop is None else min(stop, table.count)):
            seen = _GroupRows(number)
            taken, size = 0, table.size(number)
            most = max(corpus_unpacking.MOST_UNPACKED, MOST_PACKED * max(size, 1))
            try:
                for batch in table.batches(number):
                    for text in seen.texts(batch):
                        taken += len(text)
                        if taken > most:
                            raise UnpackedTooMuchError
                        report.documents += 1
                        yield text
            except UnpackedTooMuchError:
                broken += 1
                faults.append(
                    f"{table.unit} {number:,} unpacks to more than {MOST_PACKED} times its size"
                )
            except table.faults as error:
                broken += 1
                words = " ".join(str(error).split()).rstrip(".")[:160]
                faults.append(f"{table.unit} {number:,} cannot be read: {words}")
                if not table.goes_on:
                    break
            report.bad_lines += seen.bad
            faults += seen.faults
            report.read += size
        parts = []
        if broken:
            parts.append(counted(broken, table.unit))
        if report.bad_lines:
            parts.append(counted(report.bad_lines, "row"))
        if parts:
            left = f"{' and '.join(parts)} left out: {faults[0]}"
            report.note = rest(report, left) if not report.documents else f"{left}."
        if stop is None and start == 0:
            report.read = report.file.size


class _GroupRows:
    """The texts of a row group, and what was wrong with its rows."""

    def __init__(self, group: int) -> None:
        self._group = group
        self._row = 0
        self.bad = 0
        self.faults: list[str] = []

    def texts(self, column: Any) -> Iterator[str]:
        """Yields the texts of an array."""
        try:
            values = column.to_pylist()
        except UnicodeDecodeError:  # somewhere in it
            values = [_value(item) for item in column]
        for value in values:
            self._row += 1
            if isinstance(value, bytes):
                try:
                    value = value.decode()
                except UnicodeDecodeError as error:
                    value = error
            if isinstance(value, str):
                yield value
                continue
            self.bad += 1
            if not self.faults:
                why = "is not UTF-8" if isinstance(value, UnicodeDecodeError) else "has no text"
                self.faults.append(f"row {self._row:,} of group {self._group:,} {why}")


def _value(item: Any) -> Any:
    try:
        return item.as_py()
    except UnicodeDecodeError as error:
        return error


class _ParquetTable:
    """A column of a Parquet file."""

    unit = "row group"
    goes_on = True

    def __init__(self, file: CorpusFile, data: IO[bytes]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.faults = (pa.ArrowException, OSError, ValueError)
        self._table = _read_as(
            file, lambda: pq.ParquetFile(data, buffer_size=BUFFER, pre_buffer=False)
        )
        self._column = chosen_column(self._table.schema_arrow, file.source.field)
        self.count = int(self._table.num_row_groups)

    def size(self, number: int) -> int:
        """Returns the bytes of the column in a row group, as they are in the file."""
        group = self._table.metadata.row_group(number)
        found = [group.column(place) for place in range(group.num_columns)]
        inside = f"{self._column}."
        return sum(
            one.total_compressed_size
            for one in found
            if one.path_in_schema == self._column or one.path_in_schema.startswith(inside)
        )

    def batches(self, number: int) -> Iterator[Any]:
        """Yields the arrays of a row group, `ROWS` rows at a time."""
        batches = self._table.iter_batches(
            batch_size=ROWS, row_groups=[number], columns=[self._column], use_threads=False
        )
        for batch in batches:
            yield _inner(batch, self._column)


class _ArrowFile:
    """A column of an Arrow file with an index of its record batches."""

    unit = "record batch"
    goes_on = True

    def __init__(self, file: CorpusFile, data: Any) -> None:
        import pyarrow as pa

        self.faults = (pa.ArrowException, OSError, ValueError)
        whole = _read_as(file, lambda: pa.ipc.open_file(data))
        self._column = chosen_column(whole.schema, file.source.field)
        place = whole.schema.get_field_index(self._column.split(".")[0])
        options = pa.ipc.IpcReadOptions(included_fields=[place], use_threads=False)
        self._table = pa.ipc.open_file(data, options=options)
        self.count = int(self._table.num_record_batches)
        self._size = file.size

    def size(self, number: int) -> int:
        """Returns about how many bytes of the file a record batch takes."""
        return self._size * (number + 1) // self.count - self._size * number // self.count

    def batches(self, number: int) -> Iterator[Any]:
        """Yields the array of a record batch."""
        yield _inner(self._table.get_batch(number), self._column)


class _ArrowStream:
    """A column of an Arrow stream: its record batches have no index, and are found from front to back."""

    unit = "record batch"

    def __init__(self, file: CorpusFile, data: Any) -> None:
        import pyarrow as pa

        self.faults = (pa.ArrowException, OSError, ValueError)
        self._pa = pa
        self._data = data
        self._size = file.size
        self.goes_on = False
        self._reader = _read_as(file, lambda: pa.ipc.open_stream(data))
        schema = self._reader.schema
        self._column = chosen_column(schema, file.source.field)
        self._sizes: list[int] = []
        self._next = 0
        self.indexed = not any(pa.types.is_dictionary(one.type) for one in schema)
        self.count = self._counted()

    def _counted(self) -> int:
        """Finds the record batches: of a file in memory pages their content is not read."""
        pa, data = self._pa, self._data
        data.seek(0)
        try:
            messages = pa.ipc.MessageReader.open_stream(data)
            messages.read_next_message()  # the schema
            before = data.tell()
            while True:
                message = messages.read_next_message()
                here = data.tell()
                if message.type == "record batch":
                    self._sizes.append(here - before)
                before = here
        except StopIteration:
            pass
        except self.faults:
            self._sizes.append(max(self._size - data.tell(), 1))  # it fails again when it is read
        data.seek(0)
        self._reader = pa.ipc.open_stream(data)
        return len(self._sizes)

    def size(self, number: int) -> int:
        """Returns the bytes of a record batch."""
        return self._sizes[number]

    def batches(self, number: int) -> Iterator[Any]:
        """Yields the array of a record batch; those before it are passed over."""
        while self._next < number:
            self._reader.read_next_batch()
            self._next += 1
        self._next += 1
        yield _inner(self._reader.read_next_batch(), self._column)


def open_table(file: CorpusFile, closing: ExitStack) -> _ParquetTable | _ArrowFile | _ArrowStream:
    """Returns a column of a table; ``closing`` closes its file. Raises TokenariumError and OSError."""
    import pyarrow as pa

    data: Any = opened(file) if file.url else None
    if data is not None:
        closing.callback(data.close)
        if not file.seekable:
            data = closing.enter_context(_on_disk(data))
    if file.form == "parquet":
        return _ParquetTable(file, data or closing.enter_context(open_file(file.path)))
    data = data or closing.enter_context(pa.memory_map(str(file.path)))
    magic = data.read(len(_MAGIC))
    data.seek(0)
    if magic == _MAGIC:
        return _ArrowFile(file, data)
    if not isinstance(data, pa.MemoryMappedFile):
        data = closing.enter_context(pa.PythonFile(data, "r"))
    return _ArrowStream(file, data)


def _on_disk(stream: IO[bytes]) -> IO[bytes]:
    """Returns a temporary file with the content of a stream: tables are read from their end."""
    held = tempfile.TemporaryFile(prefix="tokenarium-")  # noqa: SIM115 - its caller closes it
    while piece := stream.read(BUFFER):
        held.write(piece)
    held.seek(0)
    return held


def _read_as(file: CorpusFile, read: Any) -> Any:
    """Returns what ``read`` returns; TokenariumError if the file is not of its form."""
    import pyarrow as pa

    try:
        return read()
    except TokenariumError:
        raise
    except (pa.ArrowException, ValueError) as error:
        name = "Parquet" if file.form == "parquet" else "Arrow"
        words = " ".join(str(error).split()).rstrip(".")[:160]
        raise TokenariumError(f"it is not a complete {name} file ({words})") from error


def text_columns(schema: Any) -> list[str]:
    """Returns the names of the columns that hold text, those inside others with dots."""
    return [name for name, type in _leaves(schema) if _holds_text(type)]


def _leaves(fields: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    import pyarrow as pa

    for field in fields:
        if pa.types.is_struct(field.type):
            yield from _leaves(field.type, f"{before}{field.name}.")
        else:
            yield before + field.name, field.type


def _holds_text(type: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(type):
        type = type.value_type
    one = pa.types
    return bool(one.is_string(type) or one.is_large_string(type) or one.is_string_view(type))


def chosen_column(schema: Any, field: str) -> str:
    """Returns the name of the column to read: ``field``, or if that is `DEFAULT` and not there, the only one of text.

    Raises TokenariumError, with the names of the columns, if it is not clear.
    """
    import pyarrow as pa

    found = dict(_leaves(schema))
    if field in found:
        type = found[field]
        if _holds_text(type) or pa.types.is_binary(type) or pa.types.is_large_binary(type):
            return field
        raise TokenariumError(
            f"its column “{field}” holds {type}, not text. {_names(text_columns(schema))}"
        )
    texts = text_columns(schema)
    if field == DEFAULT and len(texts) == 1:
        return texts[0]
    raise TokenariumError(f"it has no column “{field}”. {_names(texts)}")


def _names(columns: list[str]) -> str:
    if not columns:
        return "None of its columns holds text"
    shown = ", ".join(columns[:MOST_COLUMNS])
    more = f" and {len(columns) - MOST_COLUMNS:,} more" if len(columns) > MOST_COLUMNS else ""
    word = "column" if len(columns) == 1 else "columns"
    return f"Choose the field: the {word} of text: {shown}{more}"


def _inner(batch: Any, name: str) -> Any:
    """Returns the array of a column, which may be inside others."""
    import pyarrow.compute as pc

    first, *inside = name.split(".")
    if name in batch.schema.names:
        return batch.column(name)
    column = batch.column(first)
    return pc.struct_field(column, inside) if inside else column
