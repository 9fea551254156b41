"""The version of Tokenarium and of the core: the one place where it stands."""

from typing import Final

__version__: Final = "0.1.0"
