"""Odd values for every argument of every public callable, each call in a child that is ended when it takes too long.

``python tests/support/odd_calls.py theory --share 1/10`` tries a tenth of them, drawn by a keyed hash, in one room, and
prints what is wrong: another error than this project's (``foreign``), a NaN (``nan``), a value that hides something
and was computed (``silent``), more than three seconds (``slow``), a process that ended (``died``).
"""

import argparse
import hashlib
import json
import os
import resource
import select
import signal
import sys
import time
from collections import Counter
from fractions import Fraction

import fuzzing
import good_values
import numpy as np
import odd_values

from theorytools.errors import TheoryError

SECONDS = 3.0  # of one call
RESTARTS = 20  # of one callable


def chosen(share, *words):
    """Whether a call is among the share that is made: the same ones in every run."""
    digest = hashlib.sha256(" ".join(words).encode()).digest()
    return int.from_bytes(digest[:6], "big") < share * 2**48


def values(call, key, share):
    """The odd values of one callable: parameter, name, maker, and whether it must be refused."""
    given = call.bound()
    given.apply_defaults()
    kinds = call.function.plan().by_name if hasattr(call.function, "plan") else {}
    for p in call.signature.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        good, refused = given.arguments[p.name], odd_values.is_numbers(kinds.get(p.name))
        families = ((odd_values.hiding(good), refused), (odd_values.plain(good), False), (odd_values.frames(), refused))
        for family, must in families:
            for name, make in family.items():
                if chosen(share, key, p.name, name):
                    yield p.name, name, make, must


def outcome(call, parameter, make, must):
    """What is wrong with one call, in a word and a text; an empty word where nothing is."""
    value, begun = make(), time.monotonic()
    try:
        with np.errstate(all="ignore"):
            result = call.run(**{parameter: value})
        silent = "silent" if must and not fuzzing.says_nothing(result) else ""
        word, text = ("nan" if fuzzing.has_nan(result) else silent), fuzzing.shown(result)
    except TheoryError as error:
        word, text = ("" if error.given and error.required and str(error) else "foreign"), "a part is missing"
    except Exception as error:
        word, text = "foreign", f"{type(error).__name__}: {str(error)[:150]}"
    took = time.monotonic() - begun
    return ("slow", f"{took:.1f} s") if took > SECONDS else (word, text)


def child(line, key, expression, names, share, first):
    """Make the calls from the ``first`` on and write what came of each, one line of JSON before and after it."""

    def say(*words):
        os.write(line, (json.dumps(words) + "\n").encode())

    call = fuzzing.GoodCall(expression, names)
    for number, (parameter, name, make, must) in enumerate(values(call, key, share)):
        if number >= first:
            say(number, parameter, name, None, "")
            say(number, parameter, name, *outcome(call, parameter, make, must))


def forked(*words):
    """Run :func:`child` in a child; yield its lines, and end it when one call takes too long."""
    here, there = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        try:
            child(there, *words)
        finally:
            os._exit(0)
    os.close(there)
    text = b""
    while select.select([here], [], [], SECONDS + 2)[0]:
        piece = os.read(here, 1 << 16)
        *lines, text = (text + piece).split(b"\n")
        yield from map(json.loads, lines)
        if not piece:
            break
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(here)


def tried(key, expression, names, share):
    """How many calls of one callable were made, and what was wrong with them."""
    faults, made, first = [], 0, 0
    for _ in range(RESTARTS):
        open_call = None
        for number, parameter, name, word, text in forked(key, expression, names, share, first):
            made += word is None
            open_call = (number, parameter, name) if word is None else None
            if word:
                faults.append((key, parameter, name, word, text))
        if open_call is None:
            break
        faults.append((key, *open_call[1:], "died", ""))
        first = open_call[0] + 1
    return made, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room", nargs="*", help="rooms or keys; all by default")
    parser.add_argument("--share", type=Fraction, default=Fraction(1), help="of the calls that are made")
    parser.add_argument("--json", action="store_true", help="what is wrong as JSON")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (fuzzing.MEMORY, fuzzing.MEMORY))
    names, calls, known = fuzzing.namespace(), fuzzing.table(), fuzzing.public()
    os.chdir(good_values.home())
    wanted = [k for k in known if not given.room or any(fuzzing.belongs(k, known[k], r) for r in given.room)]
    made, faults = 0, []
    for key in filter(calls.__contains__, wanted):
        count, found = tried(key, calls[key], names, given.share)
        made, faults = made + count, faults + found
    if given.json:
        print("\n" + json.dumps({"calls": made, "faults": faults}))
        return 0
    for each in faults:
        print("  ".join(each))
    print(f"{made} calls, {dict(Counter(each[3] for each in faults))}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
