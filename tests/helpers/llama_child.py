"""Runs one release of llama.cpp, whose libraries are in a folder: reads GGUF files and encodes texts, for `record_readers`.

It gets lines of JSON on its standard input and writes one for each, as `reader_child` does.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

ROOM = 4096
BOOLS = (b"\0\1", b"\0\0\1")
"""How the options that are yes or no begin, with ``vocab_only``: before or after ``use_mmap`` was one of them."""


class Options(ctypes.Structure):
    """The options of a model, of which only ``vocab_only`` is known: they are at the end, and differ from release to release."""

    _fields_ = [("bytes", ctypes.c_ubyte * 256)]


Log = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


class Llama:
    """A release of llama.cpp."""

    def __init__(self, folder: Path) -> None:
        for name in ("libggml-base", "libggml-cpu-x64", "libggml-cpu", "libggml"):
            for path in sorted(folder.glob(f"{name}.*so")):
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(next(iter(sorted(folder.glob("libllama.*so"))))))
        self.said: list[str] = []
        self._log = Log(self._take)
        self.library.llama_log_set(self._log, None)
        self.library.llama_backend_init()
        self.library.llama_model_default_params.restype = Options
        self.library.llama_tokenize.argtypes = [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_int32,
            ctypes.c_void_p,
            ctypes.c_int32,
            ctypes.c_bool,
            ctypes.c_bool,
        ]
        defaults = bytes(self.library.llama_model_default_params().bytes)
        self.vocab_only = next(
            at
            for at in range(56, 128, 8)
            if defaults[at - 8 : at] == bytes(8) and defaults[at:].startswith(BOOLS)
        )

    def _take(self, level: int, text: bytes | None, data: object) -> None:
        self.said.append((text or b"").decode("utf-8", "replace"))

    def vocabulary(self, path: str) -> int:
        """Returns the pointer to the vocabulary of a file; ValueError with what is said if it is refused."""
        options = self.library.llama_model_default_params()
        options.bytes[self.vocab_only] = 1
        newer = hasattr(self.library, "llama_model_load_from_file")
        name = "llama_model_load_from_file" if newer else "llama_load_model_from_file"
        load: Any = getattr(self.library, name)
        load.restype = ctypes.c_void_p
        load.argtypes = [ctypes.c_char_p, Options]
        self.said.clear()
        model = load(path.encode(), options)
        if not model:
            raise ValueError("".join(line for line in self.said if "error" in line).strip())
        if not hasattr(self.library, "llama_model_get_vocab"):
            return int(model)
        self.library.llama_model_get_vocab.restype = ctypes.c_void_p
        self.library.llama_model_get_vocab.argtypes = [ctypes.c_void_p]
        return int(self.library.llama_model_get_vocab(model))

    def ids(self, vocabulary: int, text: str) -> list[int]:
        """Returns the ids of a text with those around it."""
        out = (ctypes.c_int32 * ROOM)()
        data = text.encode()
        count = self.library.llama_tokenize(
            vocabulary, data, len(data), ctypes.byref(out), ROOM, True, True
        )
        return list(out[:count])


def main() -> None:
    llama = Llama(Path(sys.argv[1]))
    for line in sys.stdin:
        asked = json.loads(line)
        found: dict[str, Any] = {"version": sys.argv[2]}
        try:
            vocabulary = llama.vocabulary(asked["path"])
            found["ids"] = [llama.ids(vocabulary, text) for text in asked["texts"]]
        except ValueError as error:
            found["refusal"] = str(error)[-200:]
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
