"""The version of Tokenarium and of the core, in this one place."""

from typing import Final

__version__: Final = "0.1.0"
