#!/usr/bin/env bash
# sentencepiece (0.2.3) with a file of custom rules (normalization_rule_tsv). A rule consists of the code points of a
# text, a tab, and those of its replacement. One would expect a line without a tab, as in a truncated or space-separated
# list, to be refused. It is silently taken for a rule that deletes the text: with the line "41", no text has an A any
# more, and the trained model contains this rule. A rule name given along with the file (normalization_rule_name,
# whose default is nmt_nfkc) is silently ignored, too: full-width letters are not normalized.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check sentencepiece==0.2.3
printf '41\n' > "$folder/rules.tsv"
"$folder/env/bin/python" - "$folder/rules.tsv" <<'PYTHON'
import io
import sys

import sentencepiece

written = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["A low lower lowest newer wider"] * 50),
    model_writer=written,
    vocab_size=30,
    hard_vocab_limit=False,
    normalization_rule_name="nmt_nfkc",
    normalization_rule_tsv=sys.argv[1],
    minloglevel=2,
)
model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
seen = [model.normalize(text) for text in ("A lAw", "\uff42")]
print(f"sentencepiece {sentencepiece.__version__}: 'A lAw' becomes {seen[0]!r}, U+FF42 becomes {ascii(seen[1])}")
assert seen == ["\u2581lw", "\u2581\uff42"], "the behaviour has changed"
PYTHON
