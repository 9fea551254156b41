"""The stage that makes ids of pre-tokens: a folder or a file for each kind of model, and the words that all remember.

Public: the names below, by which a tokenizer's ``model`` is recognised, and what can be asked of one.
"""

from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_symbols import HfSymbols
from tokenarium_core.models.bpe.sentencepiece_symbols import SentencePieceSymbols
from tokenarium_core.models.model import Model
from tokenarium_core.models.nested_cuts import ALWAYS, NOTHING
from tokenarium_core.models.unigram.lattice import Edge, Lattice, Path
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordlevel import WordLevel
from tokenarium_core.models.wordpiece import WordPiece

__all__ = [
    "ALWAYS",
    "NOTHING",
    "BytePairEncoder",
    "CharacterBpe",
    "Edge",
    "HfSymbols",
    "Lattice",
    "Model",
    "Path",
    "SentencePieceSymbols",
    "Unigram",
    "WordLevel",
    "WordPiece",
]
