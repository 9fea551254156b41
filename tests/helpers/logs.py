"""The log of a test, in the test's own folder."""

from __future__ import annotations

import logging

from tokenarium.models import program_log


def close_log() -> None:
    """Closes the log, so that the next line opens one where the program's folder is now."""
    program_log._logger.cache_clear()
    program_log._state["begun"] = False
    logger = logging.getLogger("tokenarium")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
