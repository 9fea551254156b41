"""Writing BERT's ``vocab.txt``, which holds the pieces and nothing else; see `vocab_txt_format`."""

from __future__ import annotations

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.vocab_txt_format import AFFIX, read_vocab_txt
from tokenarium_core.models.wordpiece import MAX_INPUT_CHARS, WordPiece
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import UNUSED


def obstacle(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer cannot be written so; empty where it can."""
    model = tokenizer.model
    if not isinstance(model, WordPiece):
        return "The file holds the entries of WordPiece, and this is a model of another kind."
    normalizer = tokenizer.normalizer
    if (
        not isinstance(normalizer, BertNormalizer)
        or not isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        or tokenizer.splitter is not None
    ):
        return (
            "Who reads the file prepares a text as BERT does, and this tokenizer does it otherwise."
        )
    if (
        not normalizer.clean_text
        or not normalizer.handle_chinese_chars
        or normalizer.strip_accents not in (None, normalizer.lowercase)
    ):
        return "Who reads the file normalises a text with BERT's settings, and this tokenizer has others."
    if model.max_input_chars != MAX_INPUT_CHARS or model.vocabulary.affix != AFFIX:
        return f"Who reads the file takes words of up to {MAX_INPUT_CHARS} characters and the prefix {AFFIX}."
    for token in range(len(model.vocabulary)):
        kind: i64 = i64(model.vocabulary.kinds[token])
        if kind == UNUSED:
            return f"Each line is an id, and the id {token} has no entry."
    try:
        again = read_vocab_txt(_content(tokenizer), "vocab.txt")
    except FormatError as error:
        return f"Its entries are no vocab.txt: {error}"
    guessed = again.normalizer
    if isinstance(guessed, BertNormalizer) and guessed.lowercase != normalizer.lowercase:
        return "Whether a text is lower-cased is told from the entries, and for these it would be told wrongly."
    if again.special_tokens != tokenizer.special_tokens:
        return "Special tokens are known by BERT's names, and this tokenizer has others."
    return ""


def write(tokenizer: Tokenizer, stem: str) -> dict[str, bytes]:
    """Returns the one file."""
    return {f"{stem}.txt": _content(tokenizer)}


def _content(tokenizer: Tokenizer) -> bytes:
    vocabulary = tokenizer.vocabulary
    return "".join([f"{vocabulary.surface(token)}\n" for token in range(len(vocabulary))]).encode()
