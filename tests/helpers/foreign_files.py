"""A small file of each recognized kind that is not read: its name, its content, and words of its error."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
from typing import Final


def _zip(name: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, "content")
    return made.getvalue()


_KERAS: Final = {"class_name": "Tokenizer", "config": {"word_counts": "{}", "num_words": None}}

FOREIGN_FILES: Final = (
    ("tokenizer.model", b"version https://git-lfs.github.com/spec/v1\noid sha256:9e\nsize 499723\n", "pointer of Git LFS"),
    ("ranks.tiktoken", b"version https://git-lfs.github.com/spec/v1\noid sha256:9e\nsize 499723\n", "pointer of Git LFS"),
    ("tokenizer.json", b"\n<!DOCTYPE html><html><body>404</body></html>", "a web page"),
    ("tokenizer.json.gz", gzip.compress(b"{}", mtime=0), "gzip"),
    ("vocab.txt.bz2", b"BZh91AY&SY\0\0", "bzip2"),
    ("vocab.xz", b"\xfd7zXZ\0\0\4", "xz"),
    ("vocab.zst", b"\x28\xb5\x2f\xfd\0", "zstd"),
    ("model.7z", b"7z\xbc\xaf\x27\x1c\0", "an archive"),
    ("model.keras", _zip("config.json"), "a model of Keras"),
    ("pytorch_model.bin", _zip("archive/data.pkl"), "PyTorch"),
    ("tokenizer.zip", _zip("photo.bin"), "a ZIP archive"),
    ("empty.zip", b"PK\5\6" + b"\0" * 18, "a ZIP archive"),
    ("model.safetensors", (64).to_bytes(8, "little") + b'{"a":{"dtype":"F32"', "safetensors"),
    ("vocab.pkl", b"\x80\x04\x95\0\0", "a pickle"),
    ("model.onnx", b"\x08\x07\x12\x07pytorch", "ONNX"),
    ("model.tflite", b"\x1c\0\0\0TFL3\0\0", "TensorFlow Lite"),
    ("model.h5", b"\x89HDF\r\n\x1a\n\0", "HDF5"),
    ("ggml-model.bin", b"lmgg\0\0\0\0", "GGML"),
    ("small.spm.fb", b"\x28\0\0\0\0\0\x22\0", "FlatBuffer"),
    ("gpt2.bin", b"".join(n.to_bytes(4, "little") for n in (3, 16, 96, 310107, 35, 1)), "BlingFire"),
    ("tokenizer.json", b'{"config": {"pitch_range": [21, 109]}, "tokenization": "REMI"}', "MidiTok"),
    ("tokenizer.json", b'{"config": {"a": {}}, "has_bpe": false, "miditok_version": "3.0.1"}', "MidiTok"),
    ("paper.pdf", b"%PDF-1.7\n", "PDF"),
    ("picture.model", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a picture"),
    ("data.parquet", b"PAR1\0\0", "a file of data"),
    ("chat.jinja", b"{{bos_token}}{% for m in messages %}[{{m.role}}]{{m.content}}{% endfor %}\n", "a template of Jinja"),
    ("chat_template.json", b"{%- if tools %}{{- tools }}{%- endif %}", "a template of Jinja"),
    ("tokenizer.json", json.dumps(_KERAS).encode(), "Keras's Tokenizer"),
    ("words.json", json.dumps(json.dumps(_KERAS)).encode(), "Keras's Tokenizer"),
    ("t5_tokenizer_config.json", b'{"tokenizer_class": "LlamaTokenizer"}', "the settings of a model"),
    ("generation_config.json", b'{"eos_token_id": 2, "vocab_size": 9}', "the settings of a model"),
    ("id2label.json", b'{"0": "cat", "1": "dog"}', "id2label"),
    ("ids.json", json.dumps({f"word{id}": id for id in range(20)}).encode(), "a map of entries to ids"),
    ("dict.fr.txt", b"13 850314647\n262 800385005\n11 800251374\n", "fairseq"),
    ("dict.phn.txt", b"".join(b"%d 1\n" % id for id in range(20)), "fairseq"),
    ("dict.ltr.txt", b"../../phone_unit/bin-idx/dict.ltr.txt", "a symbolic link"),
    ("chars.txt", "".join(f"{sign} 1\n" for sign in "\u2581enirtsa").encode(), "fairseq"),
    ("tokens.txt", "<blk> 0\n<sos/eos> 1\n<unk> 2\nS 3\n\u2581THE 4\n".encode(), "tokens.txt of icefall"),
    ("words.txt", b"<eps>\t0\nSIL\t1\nSPN\t2\n", "a table of symbols"),
    ("units.txt", b"aa 1\nbbb 2\ncc 3\n", "a table of symbols"),
    ("dict.km.txt", b"".join(b"%d %d\n" % (id, id) for id in range(20)), "a table of symbols"),
    ("bpe.model.32k", b"v3;false;true;false;<w>;</w>\nt h\nth e\ne </w>\n", "OpenNMT's Tokenizer"),
    ("gpt2_tokenizer.bin", struct.pack("<4i", 20240328, 2, 50257, 50256) + bytes(1008) + b"\1!\1a", "llm.c's"),
    ("tokenizer.bin", b"".join(struct.pack("<I", 1) + bytes([33 + id]) for id in range(20)), "for one program in C"),
    ("tokenizer.bin", b"\7\0\0\0" + b"".join(struct.pack("<fI", id, 1) + bytes([33 + id]) for id in range(20)), "for one program in C"),
    ("cl100k_base.js", b"//#region src/bpeRanks/cl100k_base.js\nconst c0 = [\n\t\"!\",\n", "gpt-tokenizer"),
    ("small.vocab", b"[a] 97\n[\\u000a] 10\n[a][b] -> [ab] 256\n[ab][[] -> [ab[] 257\n", "minbpe's"),
    ("vocab.ende.subwords", b"'<pad>_'\n'<EOS>_'\n', '\n'the_'\n", "tensor2tensor"),
    ("words.txt", "the 900\nof 800\nété 7\n".encode(), "fairseq"),
    ("m.vocab", b"<unk>\t0\nthe\t900\nof\t800\n", ".vocab"),
    ("vocab.txt", "<pad>\n<unk>\n \nthe\n\u0120of\n漢\n\u2581a\nb\nc\nd\n".encode(), "a list of entries, which"),
    ("zh-vocab.txt", "的\r\n是\r\n不\r\n".encode(), "a list of entries, which"),
    ("dict_large.txt", b"aa\nbb\ncc\n", "a list of entries, which"),
    ("opus.vocab", b"</s>\n<unk>\nthe\n", "a list of entries, which"),
    ("tokens.json", b'["<pad>", "a", "\\u00e9"]', "a list of entries, which"),
    ("m.vocab", "the\t-1.5\nof\t-2.5\nété\t-7\n".encode(), ".vocab"),
)  # fmt: skip
