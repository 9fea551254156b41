#!/usr/bin/env bash
# tokenizers (0.23.3), normalizer Precompiled with the table of a SentencePiece model (nmt_nfkc, sentencepiece 0.2.3), as
# in every tokenizer.json converted from a Unigram or BPE .model. One would expect it to do what sentencepiece does.
# Both compose a letter with one mark. With two marks (o, U+0306, U+0307) sentencepiece composes the first and keeps
# the second; tokenizers composes the first and drops the second, so that the text cannot be recovered. With three,
# and with kana followed by a separate sound mark (U+304B U+3099, as in macOS file names) or Hangul in single letters,
# sentencepiece composes and tokenizers leaves the text unchanged: it looks up a whole grapheme only if that has fewer
# than six bytes, applies the first match to all of it, and otherwise works character by character. The ids then differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check sentencepiece==0.2.3 tokenizers==0.23.3 protobuf==7.36.2
"$folder/env/bin/python" - <<'PYTHON'
import io

import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2
from tokenizers import normalizers

written = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["low lower lowest newer wider"] * 50),
    model_writer=written,
    vocab_size=30,
    hard_vocab_limit=False,
    add_dummy_prefix=False,
    minloglevel=2,
)
model = sentencepiece_model_pb2.ModelProto.FromString(written.getvalue())
theirs = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
copied = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
EXPECTED = {
    "o\u0306": ("\u014f", "\u014f"),
    "o\u0306\u0307": ("\u014f\u0307", "\u014f"),
    "o\u0306\u0307\u0308": ("\u014f\u0307\u0308", "o\u0306\u0307\u0308"),
    "\u304b\u3099": ("\u304c", "\u304b\u3099"),
    "\u1112\u1161\u11ab": ("\ud55c", "\u1112\u1161\u11ab"),
}
print(f"sentencepiece {sentencepiece.__version__}, tokenizers {tokenizers.__version__}")
for text, expected in EXPECTED.items():
    seen = theirs.normalize(text), copied.normalize_str(text)
    print(f"{ascii(text)}: sentencepiece {ascii(seen[0])}, tokenizers {ascii(seen[1])}")
    assert seen == expected, "the behaviour has changed"
PYTHON
