"""Small Unigram and WordPiece tokenizers, trained on a text, for pictures without large ones."""

from __future__ import annotations

import io
from pathlib import Path

PIECES = 1200
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
SPACE = "▁"


def write_unigram(text: str, path: Path) -> Path:
    """Writes a ``.model`` that sentencepiece trains on the lines of a text; returns its path."""
    import sentencepiece

    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.splitlines()),
        model_writer=writer,
        model_type="unigram",
        vocab_size=PIECES,
        hard_vocab_limit=False,
        byte_fallback=True,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=2,
    )
    path.write_bytes(writer.getvalue())
    return path


def write_wordpiece(unigram: Path, path: Path) -> Path:
    """Writes a ``vocab.txt`` with the pieces of such a model, lowercased; returns its path.

    Pieces at the start of a word stay so; the others get the prefix of continuing pieces.
    """
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=str(unigram))
    pieces: dict[str, None] = dict.fromkeys(SPECIAL)
    for number in range(model.get_piece_size()):
        if not (model.is_byte(number) or model.is_control(number) or model.is_unknown(number)):
            piece = model.id_to_piece(number).lower()
            begins = piece.startswith(SPACE)
            letters = piece.strip(SPACE)
            if letters and SPACE not in letters:
                pieces[letters if begins else f"##{letters}"] = None
                if len(letters) == 1:
                    pieces[letters] = None
    path.write_text("\n".join(pieces), encoding="utf-8")
    return path
