"""The version of Tokenarium and of the core, defined only here."""

from typing import Final

__version__: Final = "0.1.0"
