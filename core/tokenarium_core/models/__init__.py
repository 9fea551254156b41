"""The models: BPE, Unigram, WordPiece, WordLevel, longest matches and lowest costs.

Public: the names below, which identify a tokenizer's ``model`` and what it supports.
"""

from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import HfSymbols
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.longest_match import LongestMatch
from tokenarium_core.models.lookup_models import WordLevel
from tokenarium_core.models.lowest_cost import LowestCost
from tokenarium_core.models.model import Model
from tokenarium_core.models.named_pieces import NamedPieces
from tokenarium_core.models.nested_cuts import ALWAYS, NOTHING
from tokenarium_core.models.unigram.lattice import Lattice, LatticeEdge, Path
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece

__all__ = [
    "ALWAYS",
    "NOTHING",
    "BoundlessBpe",
    "BytePairEncoder",
    "CharacterBpe",
    "HfSymbols",
    "Lattice",
    "LatticeEdge",
    "LongestMatch",
    "LowestCost",
    "Model",
    "NamedPieces",
    "Path",
    "PickyBpe",
    "SentencePieceSymbols",
    "Unigram",
    "WordLevel",
    "WordPiece",
]
