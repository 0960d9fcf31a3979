"""Progress of long work: quiet when it is short, a bar in a notebook and on a terminal, a line a minute elsewhere."""

import builtins
import io
import sys
import threading
import time
import types

import nbclient
import nbformat
import pytest

from theorytools import progress
from theorytools.progress import watched


def wait_for(condition):
    """Wait until something is so; a minute at most."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def hurried(monkeypatch, made):
    """Put a stream in the place of standard error, with a word after hundredths of a second."""
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(progress, "EACH", {"notebook": 0.01, "terminal": 0.01, "elsewhere": 0.01})
    monkeypatch.setattr(progress, "QUIET", 0.01)
    return made


def test_elsewhere_a_line_says_how_far_it_is_now_and_then(monkeypatch):
    stream = hurried(monkeypatch, io.StringIO())
    with watched("a claim", "points") as step:
        step(3, 12)
        wait_for(lambda: stream.getvalue().count("\n") >= 2)
    assert set(stream.getvalue().splitlines()) <= {"a claim, 3 of 12 points, 0 s", "a claim, 3 of 12 points, 1 s"}


def test_a_search_says_how_much_of_its_time_is_over(monkeypatch):
    stream = hurried(monkeypatch, io.StringIO())
    with watched("a search", limit=600):
        wait_for(lambda: "a search, 0 of 600 s\n" in stream.getvalue())


def test_short_work_is_quiet_and_leaves_no_thread(capfd):
    before = threading.active_count()
    with watched("a claim") as step:
        step(1, 2)
    assert threading.active_count() == before
    assert capfd.readouterr() == ("", "")


def test_a_minute_passes_before_a_stream_that_nobody_sees_has_a_line():
    assert progress.EACH["elsewhere"] == 60
    assert progress.QUIET >= 1


def test_an_error_ends_the_telling(monkeypatch):
    hurried(monkeypatch, io.StringIO())
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), watched("a claim"):
        1 / 0  # noqa: B018
    assert threading.active_count() == before


def test_a_stream_that_is_closed_does_not_end_the_work(monkeypatch):
    stream = hurried(monkeypatch, io.StringIO())
    with watched("a claim"):
        stream.close()
        time.sleep(0.05)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_a_bar_that_is_taken_away(monkeypatch):
    terminal = hurried(monkeypatch, Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with watched("a claim", "points") as step:
        step(3, 12)
        wait_for(lambda: "a claim, 3 of 12 points" in terminal.getvalue())
    assert terminal.getvalue().rstrip().endswith("\x1b[2K")  # the line is erased


def test_a_notebook_has_a_bar_below_the_cell_that_is_taken_away(monkeypatch):
    stream, shown = hurried(monkeypatch, io.StringIO()), []
    publisher = types.SimpleNamespace(publish=lambda data, **more: shown.append(data["text/html"]))
    shell = types.SimpleNamespace(kernel=object(), display_pub=publisher)
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    with watched("<b>", "points") as step:
        step(3, 12)
        wait_for(lambda: any('<progress value="0.250"></progress> &lt;b&gt;, 3 of 12 points, 0 s' in x for x in shown))
    assert shown[-1] == ""
    assert stream.getvalue() == ""


@pytest.mark.slow
def test_a_kernel_shows_the_bar_while_a_cell_runs_and_an_empty_output_after_it(tmp_path):
    """The messages of a real kernel: the bar is one display, updated under its own id."""
    cell = nbformat.v4.new_code_cell(
        "import time\nfrom theorytools import progress\nprogress.QUIET = 0.2\n"
        "with progress.watched('a claim', 'points') as step:\n    step(3, 12)\n    time.sleep(2)\n'done'"
    )
    book = nbformat.v4.new_notebook(cells=[cell])
    client, seen = nbclient.NotebookClient(book, timeout=60, resources={"metadata": {"path": str(tmp_path)}}), []
    told = client.process_message
    client.process_message = lambda msg, *rest: seen.append(msg) or told(msg, *rest)
    client.execute()
    bars = [m["content"]["data"]["text/html"] for m in seen if m["msg_type"] in ("display_data", "update_display_data")]
    assert any('value="0.250"' in bar for bar in bars)
    assert bars[-1] == ""
    assert [out.output_type for out in book.cells[0].outputs] == ["display_data", "execute_result"]
    assert book.cells[0].outputs[0].data["text/html"] == ""
