"""Judge one mutant: the claims that reach it, then the tests that reach it, each in a child that imports the mutant."""

import gc
import resource
import time

from tools import ROOT
from tools.mutants.entering import Functions, enter, modules, run_at_import
from tools.mutants.forks import Child, allow, warm
from tools.mutants.reach import kept, library, stored
from tools.mutants.tracing import OPTIONS, Traced, chosen

FACTOR, EXTRA = 5.0, 5.0  # a claim or test may use 5 times its own CPU time and 5 s more
CRASHES = 6  # claims that may crash before a mutant is settled as a crash: a verdict may still come
CLAIM_BUDGET = 3.0  # CPU seconds that the claims asked of one mutant cost unmutated, for each unit of patience
TEST_BUDGET, MOST_TESTS = 6.0, 40  # CPU seconds of the tests with the mutant, and how many are asked, for each unit
OVERRUN = 25.0  # CPU seconds that importing the library anew and one test may take beyond them
WALL = 900.0  # seconds without a word: the limits are those of CPU time, and others may use the processor too


class Reach:
    """What is known of the claims: their cost and their lines; ``apart`` are those that differ from their record."""

    def __init__(self, differing):
        self.now, self.apart = library(), sorted(differing)
        self.claims = [(row["cpu"], id, {f: set(n) for f, n in row["lines"].items()}, row["library"])
                       for id, row in kept().items() if id not in differing]  # fmt: skip

    def of(self, mutant, budget):
        """Return the claims that run the changed line, as far as the budget goes: (id, cost).

        Those come first that cost little for the lines of the changed file that they run.
        A change outside all functions is reached by whatever runs a function of its module; so is one in a file that
        has changed since it was measured.
        """
        chosen, (low, high) = [], mutant.lines
        for seconds, id, lines, digests in self.claims:
            ran, same = lines.get(mutant.file), digests.get(mutant.file) == self.now.get(mutant.file)
            if ran and (not same or not mutant.function or any(low <= line <= high for line in ran)):
                chosen.append((seconds / len(ran), seconds, id))
        found, spent = [], 0.0
        for _, seconds, id in sorted(chosen):
            spent += seconds
            if found and spent > budget:
                break
            found.append((id, seconds))
        return found


# -- claims ------------------------------------------------------------------------------------------------------------
def asking(mutant, way, claims, record, entries):
    """The work of a child: judge claims one after another, and say what came of each."""

    def work(say):
        allow(EXTRA * 4)
        enter(mutant, *way)
        try:
            from theorytools.claims.judging import run as runner

            found = entries if way[1] is not None else entries_now()
        except Exception as error:
            say({"id": "", "kind": "crash", "what": f"{type(error).__name__}: {error}"[:300]})
            return
        runner.searched = lambda claim, verdict, *_, **__: verdict
        for id, seconds in claims:
            say({"begun": id})
            allow(FACTOR * seconds + EXTRA)
            kind, what = _asked(runner, found, id, record[id])
            say({"id": id, "kind": kind, "what": what[:300]})
            if kind in ("outcome", "number"):
                return

    return work


def _asked(runner, entries, id, known):
    """What ``verify`` says of one claim: as before, another outcome, another number, or no verdict at all."""
    try:
        from theorytools.claims.judging.committed_record import compact, expanded
        from theorytools.cli.diff import differences

        (result,) = runner.run([(entries[id], {})], tier="seconds", processes=1)
        if result.verdict is None:
            return "crash", result.error
        now = expanded(compact(result.verdict), {})
        changes = list(differences({id: known}, {id: now}))
    except BaseException as error:
        return "crash", f"{type(error).__name__}: {error}"
    outcome = [c for c in changes if c["what"] in ("outcome", "as_expected")]
    if outcome or not now["as_expected"]:
        return "outcome", f"{now['outcome']}, expected {now['expect']}: {now['reason']}"
    if changes:
        c = changes[0]
        return "number", f"{c['what']} {c['where']}: {c['a']} -> {c['b']}"
    return "", ""


def entries_now():
    """The claims by id, as this process reads them."""
    from theorytools.claims.papers.catalogue import Catalogue

    return {entry.id: entry for entry in Catalogue(ROOT / "checks").entries}


def by_claims(mutant, way, claims, record, entries):
    """Return (kind, claim, what, asked): the first kill by a verdict, else the first crash or time-out, or nothing."""
    left, asked, settled, bad = list(claims), 0, ("", "", ""), 0
    while left and bad < CRASHES:
        child, begun = Child(asking(mutant, way, left, record, entries)), None
        for said in child.said(WALL):
            if "begun" in said:
                begun = said["begun"]
                continue
            if "broken" in said:
                said = {"id": begun or "", "kind": "crash", "what": said["broken"][-300:]}
            if said["kind"] in ("outcome", "number"):
                return said["kind"], said["id"], said["what"], asked + 1
            if said["id"] == "" and said["kind"]:  # the library is not imported: so for every claim
                return "crash", claims[0][0], said["what"], asked + 1
            asked, begun = asked + 1, None
            left = left[[id for id, _ in left].index(said["id"]) + 1 :]
            if said["kind"]:
                bad += 1
                settled = settled if settled[0] else (said["kind"], said["id"], said["what"])
                if bad >= CRASHES:
                    break
        child.close()
        if bad >= CRASHES or not left:
            break
        asked, bad = asked + 1, bad + 2  # the claim ended the process
        kind = "timeout" if child.ended == "timeout" else "crash"
        at = begun or left[0][0]
        settled = settled if settled[0] else (kind, at, f"the process ended by {child.ended}")
        left = left[[id for id, _ in left].index(at) + 1 :]
    return (*settled, asked)


# -- tests -------------------------------------------------------------------------------------------------------------
class Telling:
    """A plugin of pytest that says which test failed, and how."""

    def __init__(self, say, budget=float("inf")):
        self.say, self.budget, self.ends, self.session = say, budget, float("inf"), None

    def pytest_sessionstart(self, session):
        self.session = session

    def pytest_collection_finish(self):
        """The time counts from here: a library that is imported anew has taken seconds of its own."""
        self.ends = time.process_time() + self.budget

    def pytest_runtest_logfinish(self, nodeid):
        if time.process_time() > self.ends and not self.session.shouldstop:
            self.session.shouldstop = "the time is used up"

    def pytest_runtest_logstart(self, nodeid):
        self.say({"begun": nodeid})

    def pytest_runtest_logreport(self, report):
        if report.failed:
            text = str(getattr(report.longrepr, "reprcrash", None) or report.longrepr)
            self.say({"failed": report.nodeid, "what": text.splitlines()[0][-300:] if text else ""})

    def pytest_collectreport(self, report):
        if report.failed:
            self.say({"failed": report.nodeid or "collection", "what": str(report.longrepr)[-300:]})


def asking_tests(tests, budget, mutant=None, way=None):
    """The work of a child: run tests up to the first that fails, with the mutant or without one."""

    def work(say):
        import pytest

        told = Telling(say, budget)
        if mutant is not None:
            enter(mutant, *way)
        allow(budget + OVERRUN)
        passed = int(pytest.main([*OPTIONS, "-x", *tests], plugins=[told]))
        say({"passed": 0 if getattr(told.session, "shouldstop", "") == "the time is used up" else passed})

    return work


def run_tests(tests, budget, mutant=None, way=None):
    """Return (kind, test, what): the first test that fails or is cut off, or nothing."""
    child, begun, passed = Child(asking_tests(tests, budget, mutant, way)), "", None
    for said in child.said(WALL):
        begun, passed = said.get("begun", begun), said.get("passed", passed)
        if "failed" in said or "broken" in said:
            child.close()
            return "test", said.get("failed", begun), said.get("what", said.get("broken", ""))[-300:]
    child.close()
    if passed in (0, 5):  # 5: nothing was collected
        return "", "", ""
    return ("timeout" if child.ended == "timeout" else "test"), begun, f"pytest ended by {child.ended}, {passed}"


def by_tests(mutant, way, tests, budget):
    """Return (kind, test, what): a test that fails, or that does not end; nothing where all pass or time is used up.

    An end by the clock counts where the same test takes less than a fifth of that time unmutated.
    """
    kind, test, what = run_tests(tests, budget, mutant, way) if tests else ("", "", "")
    if kind == "timeout":
        begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        cut = not test or run_tests([test], budget)[0]
        if cut or resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun > budget / FACTOR:
            return "", "", ""
    return kind, test or tests[0] if kind else "", what


def failing(tests):
    """Return those tests (node ids without parameters) that fail unmutated: they kill nothing."""

    def work(say):
        import pytest

        pytest.main([*OPTIONS, *sorted(tests)], plugins=[Telling(say)])

    return {bare(said["failed"]) for said in Child(work).said(WALL) if "failed" in said}


def bare(test):
    """The node id of a test without its parameters."""
    return test.partition("[")[0]


class Bench:
    """What judges mutants: a process with the library imported, what claims and tests reach, the committed record."""

    def __init__(self):
        warm()
        self.record, differing = committed_record()
        self.reach, self.traced = Reach(differing), Traced()
        (imported,) = Child(run_at_import).said(WALL)
        modules()
        self.entries, self.functions = entries_now(), Functions(imported)
        gc.collect()
        gc.freeze()  # a child that collects would copy every page of its parent

    def judged(self, mutant, patience):
        """Return the row of one mutant."""
        clock, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        code = mutant.code()
        way = (code, self.functions.exchange(mutant, code))
        claims, killed = self.reach.of(mutant, CLAIM_BUDGET * patience), ("", "", "", 0)
        if claims:
            killed = by_claims(mutant, way, claims, self.record, self.entries)
        row = {
            "mutant": mutant.name, "package": mutant.package, "operator": mutant.operator,
            "function": mutant.function, "patience": patience, "anew": way[1] is None,
            "claims": len(claims), "asked": killed[3],
            "claim": list(killed[:3]), "tests": 0, "test": ["", "", ""],
        }  # fmt: skip
        if not killed[0]:
            tests = chosen(mutant, self.traced, MOST_TESTS * patience)
            row |= {"tests": len(tests), "test": list(by_tests(mutant, way, tests, TEST_BUDGET * patience))}
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return row | {"cpu": round(cpu, 2), "wall": round(time.monotonic() - clock, 2)}


def committed_record():
    """Return the committed verdicts, as ``verify`` compares them, and which of those stored in ``site`` differ.

    A process of its own reads them, from unmutated code.
    """

    def work(say):
        from theorytools.claims.judging.committed_record import compact, expanded
        from theorytools.claims.papers.catalogue import Catalogue
        from theorytools.cli.diff import differences
        from theorytools.cli.stored import committed

        catalogue, now = Catalogue(ROOT / "checks"), stored()
        record = committed(catalogue, {entry.paper for entry in catalogue.entries})
        after = {id: expanded(compact(now[id]), {}) for id in now.keys() & record.keys()}
        differing = {change["id"] for change in differences({id: record[id] for id in after}, after)}
        say([record, sorted(differing | (record.keys() ^ now.keys()))])

    (found,) = Child(work).said(WALL)
    return found
