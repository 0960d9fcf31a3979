"""The command ``sweep`` in this process, for whoever tests it."""

from typer.testing import CliRunner

from theorytools.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)], catch_exceptions=False)
