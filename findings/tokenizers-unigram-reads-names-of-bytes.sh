#!/usr/bin/env bash
# A Unigram model with byte fallback (sentencepiece 0.2.3), and the same pieces and scores in tokenizers (0.23.3).
# One would expect both to give the same ids for plain text. A text that spells the name of a byte, such as the six
# characters <0x0A> in a document about tokenizers, is six characters to sentencepiece, since byte pieces are not looked up
# in texts. tokenizers looks up all pieces: it takes the six characters for the byte, and they decode to a line break.
# BPE is not affected, as no merge creates such a piece.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check sentencepiece==0.2.3 tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
import io

import sentencepiece
import tokenizers
from tokenizers import Tokenizer, decoders, models

TEXT = "a<0x0A>b"
written = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["a b < 0 x A > ab <0xA> ba"] * 50),
    model_writer=written,
    vocab_size=300,
    hard_vocab_limit=False,
    byte_fallback=True,
    add_dummy_prefix=False,
    normalization_rule_name="identity",
    minloglevel=2,
)
theirs = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
pieces = [(theirs.id_to_piece(id), theirs.get_score(id)) for id in range(len(theirs))]
copied = Tokenizer(models.Unigram(pieces, unk_id=theirs.unk_id(), byte_fallback=True))
copied.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
encoding = copied.encode(TEXT)
print(f"sentencepiece {sentencepiece.__version__}, tokenizers {tokenizers.__version__}, text {TEXT!r}")
print(f"sentencepiece: {theirs.encode(TEXT, out_type=str)}, decoded {theirs.decode(theirs.encode(TEXT))!r}")
print(f"tokenizers: {encoding.tokens}, decoded {copied.decode(encoding.ids)!r}")
assert theirs.decode(theirs.encode(TEXT)) == TEXT, "the behaviour of sentencepiece has changed"
assert "<0x0A>" not in theirs.encode(TEXT, out_type=str), "the behaviour of sentencepiece has changed"
assert encoding.tokens == ["a", "<0x0A>", "b"], "the behaviour of tokenizers has changed"
assert copied.decode(encoding.ids) == "a\nb", "the behaviour of tokenizers has changed"
PYTHON
