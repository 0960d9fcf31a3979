"""Without any extra every claim loads, or names the extra that it lacks; so does its judging, and no grid is blamed."""

import json
import subprocess
import sys

import pytest
from source_tree import ROOT

HIDDEN = """
import importlib.metadata, json, re, signal, sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from theorytools.optional import EXTRAS
GONE = {*EXTRAS, "scikit_learn"}
class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
known = importlib.metadata.distribution
def distribution(name):
    if name.replace("-", "_").lower() in GONE:
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)
sys.meta_path.insert(0, Absent())
importlib.metadata.distribution = distribution

from theorytools.claims.judging.run import judge_entry
from theorytools.optional import naming_extras
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.loading import load
class Enough(BaseException): pass
def enough(number, frame):
    while frame is not None:  # half of a module that is being imported would stay behind
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return signal.setitimer(signal.ITIMER_PROF, 0.02)
        frame = frame.f_back
    raise Enough
signal.signal(signal.SIGPROF, enough)
"""
LOADED = """
told = []
for entry in Catalogue(Path("checks")).entries:
    try: load(entry)
    except Exception as error: told.append([entry.id, str(error)])
    else: told.append([entry.id, ""])
print(json.dumps(told))
"""
# the packages that a check names, or what draws, trains or runs with one of them
JUDGED = """
words, seconds = re.compile(sys.argv[1]), float(sys.argv[2])
told = []
for entry in Catalogue(Path("checks")).entries:
    texts = [path.read_text() for path in (entry.path, *entry.path.parent.glob("_*.py"))]
    if not any(map(words.search, texts)): continue
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with naming_extras(): judge_entry(entry)
    except Enough: told.append([entry.id, ""])
    except Exception as error: told.append([entry.id, str(error)])
    else: told.append([entry.id, ""])
    finally: signal.setitimer(signal.ITIMER_PROF, 0)
print(json.dumps(told))
"""
NAMED = r"import (torch|cvxpy|highspy|sklearn)|\"(torch|cvxpy|highspy|scikit-learn)\""


def told(program, *words):
    done = subprocess.run([sys.executable, "-c", HIDDEN + program, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def examined(answers):
    """The claims that lack an extra; each says which, and none of the others was refused."""
    lacking = {id: text for id, text in answers if text}
    for id, text in lacking.items():
        assert "pip install 'theorytools[" in text, (id, text)
        assert "grid" not in text, (id, text)
        assert "metadata" not in text, (id, text)
    return lacking


@pytest.mark.slow
def test_every_claim_loads_without_extras_or_names_the_one_that_it_lacks():
    answers = told(LOADED)
    assert len(answers) > 500
    assert 0 < len(examined(answers)) < 20


def test_claims_whose_checks_name_a_package_of_an_extra_name_the_extra_when_judged():
    answers = told(JUDGED, NAMED, "0.3")
    assert len(examined(answers)) > 5
