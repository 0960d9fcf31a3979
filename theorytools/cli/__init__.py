"""The command line: ``theorytools list | show | verify | falsify | necessity | report | sweep | new | doctor``."""

from theorytools.interrupts import EXIT_CODE, LINE, begin, came, tell, watch

watch()  # this module imports nothing else at its top: an interrupt that is met by an import is a traceback


def main() -> None:
    """Run the command line; a user's mistake is a message, never a traceback, and an interrupt is one line."""
    begin()
    try:
        from theorytools.cli.command import run

        run()
    except BaseException as error:
        ended = isinstance(error, SystemExit) and error.code == EXIT_CODE
        if not (ended or isinstance(error, KeyboardInterrupt) or came()):
            raise
        tell(LINE)
        raise SystemExit(EXIT_CODE) from None
