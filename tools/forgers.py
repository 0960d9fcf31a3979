"""The kinds of forgeries of a verdict, each as one makes it who knows the checker: one change, and all that follows.

``completed`` writes what follows: truths, slacks, powers, the states of controls, outcome, evidence, error probability,
and the reason.  A forger may do everything but write the file of statements.
"""

import contextlib
import copy
import math
import re
import sys
from fractions import Fraction

from theorytools import recheck

WORDS = ["FITTED", "OBSERVED", "SAMPLED", "ENCLOSED", "EXACT"]
OUTCOMES = ["HOLDS", "REFUTED", "UNDECIDED", "POWERLESS", "INAPPLICABLE"]


class Unchanged(Exception):
    """Raised where a verdict has nothing of the kind that is forged."""


def pick(rng, some):
    some = list(some)
    if not some:
        raise Unchanged
    return rng.choice(some)


def other(rng, value, choices):
    return rng.choice([x for x in choices if x != value])


def text_of_end(value):
    return {"q": [hex(value.numerator), hex(value.denominator)]}


def show(estimate):
    """Write the nearest double on the outer side of each end, and none beyond the doubles."""
    for k, (name, away) in enumerate((("low", -1), ("high", 1))):
        end = recheck._stored(estimate[name])
        if isinstance(end, float) or abs(end) > sys.float_info.max:
            continue
        near = float(end)
        if (Fraction(near) - end) * away < 0:
            near = math.nextafter(near, away * float("inf"))
        estimate["show"][k] = near


def slacken(row):
    if row["slack"] is not None:
        m, b = row["measured"], row["bound"]
        small, large = (m, b[-1]) if row["relation"] == "<=" else (b[0], m)
        ends = (large["low"], small["high"]) if row["truth"] else (large["high"], small["low"])
        above, below = map(recheck._stored, ends)
        row["slack"] = float(above / below) if below else None


# -- what follows ------------------------------------------------------------------------------------------------------
def completed(v):
    """Write all that follows from the statement and the ends of a verdict, as far as its checker can tell."""
    judge = recheck._Judge(v)
    for row in v["rows"]:
        row["must_break"] = row["assertion"] in judge.breaks[row["control"]]
        if "premise" not in row:
            _row(judge, row)
    own, tries = {}, {name: {} for name in judge.breaks if name}
    for row in v["rows"]:
        (tries[row["control"]] if row["control"] else own).setdefault(recheck._key(row), []).append(row)
    states = [_control(judge, c, tries[c["name"]], own) for c in v["controls"]]
    _outcome(judge, v, [row for rows in own.values() for row in rows], states)
    return v


def _row(judge, row):
    said = judge.stated[row["control"]][row["assertion"]]
    measured, stored = recheck._interval(row["measured"], WORDS[:3]), [recheck._interval(b) for b in row["bound"]]
    truth = recheck._related(row["relation"], measured, stored)
    if not (row["tied"] and truth is None):
        row["truth"], row["tied"] = truth, False
    row["evidence"] = min((e["evidence"] for e in (row["measured"], *row["bound"])), key=WORDS.index)
    small, large = (measured, stored[-1]) if row["relation"][0] == "<" else (stored[0], measured)
    above, under = (large.low, small.high) if row["truth"] else (large.high, small.low)
    finite = row["truth"] is not None and row["relation"][0] in "<>" and above > 0 and under > 0
    far = not finite or max(above, under) == math.inf or above / under > 1 << 1023
    slack = None if far else float(above / under)
    if None in (slack, row["slack"]) or not math.isclose(slack, row["slack"], rel_tol=1e-9):
        row["slack"] = slack
    if not row["control"]:
        with contextlib.suppress(NotImplementedError):
            row["power"] = judge.power(row, said, measured, judge.place(row, 384))


def _control(judge, said, tries, own):
    """Write what became of a control, and return what the outcome reads of it."""
    found, broken = [], []
    for point, rows in tries.items():
        truths = set()
        for row in rows:
            there = [r for r in own.get(point, []) if r["assertion"] == row["assertion"]]
            there = there or [r for r in own.get(point, []) if r["quantity"] == row["quantity"]]
            least = min((WORDS.index(r["evidence"]) for r in there), default=0)
            weak = row["must_break"] and row["truth"] is False and WORDS.index(row["evidence"]) < least
            truths.add(None if weak or row["truth"] is None else row["truth"] is not row["must_break"])
            broken += [row["assertion"]] if row["must_break"] else []
        found.append("fails" if False in truths else "open" if None in truths else "breaks")
    repair = not judge.breaks[said["name"]]
    worst = next((s for s in ("fails", "open") if s in found), "holds" if repair else "breaks")
    worst = "never applies" if not found or (repair and len(found) < len(own)) else worst
    said |= {"breaks": list(dict.fromkeys(broken)), "repair": repair, "applied": len(found)}
    said |= {"broken": found.count("breaks"), "outcome": worst}
    return "open" if "rival" in said and worst != "breaks" else worst


def _outcome(judge, v, rows, states):
    fitted = {a["name"] for a in v["assertions"] if a.get("growth") == "fitted"}
    wrong = {row["assertion"] for row in rows if row["truth"] is False} - fitted
    false = recheck.FALSE["exhibited" in v["scope"].values()] if wrong else "UNDECIDED"
    before = v["outcome"]
    v["outcome"] = recheck._outcome_of(rows, states, any(s["open"] for s in v["skipped"]), false)
    grades = [WORDS.index(r["evidence"]) for r in rows if v["outcome"] not in recheck.FALSE or r["truth"] is False]
    v["evidence"] = WORDS[max(grades) if v["outcome"] in recheck.FALSE else min(grades)]
    strong = v["role"] not in ("prediction", "found") or WORDS.index(v["evidence"]) >= 3
    strong = strong and set(states) <= {"breaks", "holds"}
    v["as_expected"] = v["outcome"] == v["expect"] and (strong or v["outcome"] not in recheck.FALSE)
    v["powers"] = {
        name: min((r["power"] for r in rows if r["assertion"] == name and r["power"]), default=None)
        for name in judge.stated[""]
    }
    v["power"] = None if None in v["powers"].values() else max(v["powers"].values())
    for a in v["assertions"]:
        a["power"] = v["powers"][a["name"]]
    said = sum(map(int, re.findall(r"(\d+) rows? ", v["reason"].partition(";")[0])))
    if v["outcome"] != before or said not in (0, len(rows)):
        v["reason"] = f"{len(rows)} rows proved; {len(states)} of {len(states)} controls rejected"


def spent(v):
    """What the rows of a verdict drew, a look of its search may draw, and how many looks there were."""
    judge, alpha = recheck._Judge(v), v["plain"]["alpha"]
    points = {recheck._key(r) for r in v["rows"] if not r["control"]} | {recheck._key(s) for s in v["skipped"]}
    sizes = [len({q for a in some.values() for q in recheck._parts(a)}) for some in judge.stated.values()]
    unit = alpha / (len(points) * len(judge.stated) * max(sizes))
    share = alpha / ((v["searched"].get("most", 1) if v["searched"] else 1) * sizes[0])
    drawn = {
        (recheck._key(r), r["control"], r["quantity"]) for r in v["rows"] if r["measured"]["evidence"] == "SAMPLED"
    }
    own = 0 if "record" in v else len(drawn) * unit
    return own, share, round((v["alpha"]["spent"] - own) / share)


def pay(v, looks):
    own, share, _ = spent(v)
    for name, due in (("claim", v["plain"]["alpha"] * (1 + (looks > 0))), ("spent", own + looks * share)):
        v["alpha"][name] = v["alpha"][name] if math.isclose(v["alpha"][name], due, rel_tol=1e-9) else due


def consistently(change):
    """The forger that makes a change and writes all that follows from it, the error probability too."""

    def forge(rng, v):
        looks = spent(v)[2]
        change(rng, v)
        completed(v)
        pay(v, looks)

    return forge


# -- numbers and words, each alone: the rest of the file says otherwise ------------------------------------------------
def moved(rng, end):
    """Another end: an exact one moved by a unit or more, another by a thousandth or more, which is shown."""
    if "inf" in end:
        return {"inf": -end["inf"]}
    key = "q" if "q" in end else "d"
    value = int(end[key][0], 16)
    step = rng.choice([1, -1] if key == "q" else [max(1, abs(value) // 1000), -max(1, abs(value) // 3)])
    return {key: [hex(value + step), end[key][1]]}


def estimate_of(rng, row):
    return row["measured"] if rng.random() < 0.5 else rng.choice(row["bound"])


def forge_number(rng, v):
    estimate, name = estimate_of(rng, rng.choice(v["rows"])), rng.choice(["low", "high"])
    estimate[name] = moved(rng, estimate[name])


def scaled(rng, estimate):
    """Move both ends of an interval alike, with what is shown of them."""
    factor = rng.choice([Fraction(101, 100), Fraction(99, 100), Fraction(2), Fraction(1, 2)])
    ends = [recheck._stored(estimate[name]) for name in ("low", "high")]
    if any(isinstance(end, float) or abs(end) > sys.float_info.max / 4 for end in ends):
        raise Unchanged
    estimate |= {name: text_of_end(end * factor) for name, end in zip(("low", "high"), ends, strict=True)}
    show(estimate)


def forge_bound(rng, v):
    row = rng.choice(v["rows"])
    scaled(rng, rng.choice(row["bound"]))
    slacken(row)


def forge_relation(rng, v):
    part = rng.choice([*v["rows"], *v["plain"]["assertions"]])
    part["relation"] = other(rng, part["relation"], ["<=", ">=", "=="])


def forge_truth(rng, v):
    row = rng.choice(v["rows"])
    name = rng.choice(["truth", "truth", "must_break", "tied"])
    row[name] = other(rng, row[name], [True, False, None] if name == "truth" else [True, False])


def forge_control(rng, v):
    control = pick(rng, v["controls"])
    name = rng.choice(["outcome", "applied", "broken", "repair"])
    words = ["breaks", "holds", "fails", "open", "never applies"]
    control[name] = (
        other(rng, control[name], words) if name == "outcome"
        else not control[name] if name == "repair" else control[name] + rng.choice([1, -1])
    )  # fmt: skip


def forge_digest(rng, v):
    k = rng.randrange(64)
    v["digest"] = v["digest"][:k] + other(rng, v["digest"][k], "0123456789abcdef") + v["digest"][k + 1 :]


def forge_outcome(rng, v):
    name = rng.choice(["outcome", "expect", "as_expected"])
    v[name] = not v[name] if name == "as_expected" else other(rng, v[name], OUTCOMES[: 3 if name == "expect" else 5])


def forge_evidence(rng, v):
    row = rng.choice(v["rows"])
    part = rng.choice([v, row, row["measured"], rng.choice(row["bound"])])
    part["evidence"] = other(rng, part["evidence"], WORDS)


def forge_alpha(rng, v):
    part, name = rng.choice([(v["alpha"], "claim"), (v["alpha"], "spent"), (v["plain"], "alpha")])
    part[name] = part[name] * rng.choice([0.5, 2, 10]) or 1e-7


def forge_power(rng, v):
    row = rng.choice([row for row in v["rows"] if not row["control"]])
    part, name = rng.choice([(v, "power"), (row, "power"), (v["powers"], rng.choice(list(v["powers"])))])
    part[name] = other(rng, part[name], [1.01, 1.05, 1.25, 2.0, 10.0, 100.0, None])


def forge_formula(rng, v):
    """One integer of a right side, moved by one."""
    part = rng.choice(v["plain"]["assertions"])
    found = pick(rng, re.finditer(r"(?<!\w)\d+", part["bound"]))
    number = str(int(found[0]) + rng.choice([1, 2]))
    part["bound"] = part["bound"][: found.start()] + number + part["bound"][found.end() :]


def drop_row(rng, v):
    v["rows"].pop(rng.randrange(len(v["rows"])))


def forge_derived(rng, v):
    values = pick(rng, (d["values"] for d in v.get("derived", ()) if d["values"]))
    name = rng.choice(list(values))
    if rng.random() < 0.3:
        del values[name]
    elif isinstance(values[name], str):
        values[name] = f"2*({values[name]})"
    else:
        ends = [recheck._stored(end) for end in values[name]]
        if any(isinstance(end, float) for end in ends) or ends == [0, 0]:
            raise Unchanged
        values[name] = [text_of_end(end * Fraction(101, 100)) for end in ends]


# -- what a verdict says of its claim, with all that follows -----------------------------------------------------------
def without(v, names):
    v["plain"]["controls"] = {name: c for name, c in v["plain"]["controls"].items() if name not in names}
    v["controls"] = [c for c in v["controls"] if c["name"] not in names]
    v["rows"] = [row for row in v["rows"] if row["control"] not in names]


@consistently
def drop_control(rng, v):
    without(v, {pick(rng, v["controls"])["name"]})


@consistently
def drop_controls(rng, v):
    pick(rng, v["controls"])
    without(v, {c["name"] for c in v["controls"]})


@consistently
def rename_control(rng, v):
    old = pick(rng, v["plain"]["controls"])
    new = f"{old}, and every other one"
    v["plain"]["controls"] = {new if name == old else name: c for name, c in v["plain"]["controls"].items()}
    for part in [c for c in v["controls"] if c["name"] == old]:
        part["name"] = new
    for row in [row for row in v["rows"] if row["control"] == old]:
        row["control"] = new


@consistently
def spare_control(rng, v):
    """What a control must break becomes what it must keep, with measured sides that keep it."""
    name = pick(rng, (name for name, c in v["plain"]["controls"].items() if c["breaks"]))
    v["plain"]["controls"][name]["breaks"] = []
    for row in [row for row in v["rows"] if row["control"] == name]:
        keep(row, True)


def keep(row, truth):
    """Give a row a measured side that makes it true, or false where its right side is a rational number."""
    sides = [recheck._stored(side) for bound in row["bound"] for side in (bound["low"], bound["high"])]
    if any(isinstance(end, float) for end in sides) or "premise" in row or row["relation"] in ("!=", "<", ">"):
        raise Unchanged
    low, high = min(sides), max(sides)
    far = abs(low) + abs(high) + 1
    true, false = (high, low - far) if row["relation"] == ">=" else (low, high + far)
    end = true if truth else false
    row["measured"] |= {"low": text_of_end(end), "high": text_of_end(end), "show": [0.0, 0.0]}
    if row["measured"]["evidence"] == "ENCLOSED":
        row["measured"]["evidence"] = "EXACT"
    show(row["measured"])


@consistently
def raise_grade(rng, v):
    """Every interval is called proved, and nothing was drawn for it."""
    if v["evidence"] == "EXACT":
        raise Unchanged
    for row in v["rows"]:
        for part in (row, row.get("premise")):
            for estimate in [part["measured"], *part["bound"]] if part else []:
                exact = recheck._stored(estimate["low"]) == recheck._stored(estimate["high"])
                estimate |= {"evidence": "EXACT" if exact else "ENCLOSED", "alpha": 0.0}
        if "premise" in row:
            sides = [row["measured"], *row["bound"], row["premise"]["measured"], *row["premise"]["bound"]]
            row["evidence"] = min((e["evidence"] for e in sides), key=WORDS.index)


@consistently
def raise_row(rng, v):
    """One row of many is called proved; the evidence of the whole may stay."""
    row = pick(rng, (r for r in v["rows"] if r["measured"]["evidence"] in WORDS[:3] and "premise" not in r))
    exact = recheck._stored(row["measured"]["low"]) == recheck._stored(row["measured"]["high"])
    row["measured"] |= {"evidence": "EXACT" if exact else "ENCLOSED", "alpha": 0.0}


def more_drawn(rng, v):
    work = pick(
        rng, (w for r in v["rows"] for n in ("samples", "runs", "repeats") if n in (w := r["measured"]["work"]))
    )
    for name in {"samples", "runs", "repeats"} & work.keys():
        work[name] *= 100


def empty_hypotheses(rng, v):
    v["hypotheses"], v["plain"]["hypotheses"] = [], []


def drop_hypothesis(rng, v):
    pick(rng, v["plain"]["hypotheses"])
    v["plain"]["hypotheses"].pop(rng.randrange(len(v["plain"]["hypotheses"])))
    if len(v["hypotheses"]) > 1:
        v["hypotheses"].pop(rng.randrange(len(v["hypotheses"])))


def weaken_hypothesis(rng, v):
    k = pick(rng, (k for k, text in enumerate(v["plain"]["hypotheses"]) if re.search(r"[<>]=?", text)))
    text = v["plain"]["hypotheses"][k]
    v["plain"]["hypotheses"][k] = re.sub(r"([<>])=?", lambda m: m[1] if m[0].endswith("=") else m[1] + "=", text)


def another_id(rng, v):
    v["id"] = other(rng, v["id"], ["qstr.lemma_11", "sep.bool_lb", "stsq.spe_floor_zero"])
    v["command"] = f"theorytools verify {v['id']}"


def no_id(rng, v):
    v["id"] = f"{v['id']}_{rng.choice(['general', 'all', 'strong'])}"


def dropping(v, key):
    v["rows"] = [row for row in v["rows"] if recheck._key(row) != key]
    v["skipped"] = [one for one in v["skipped"] if recheck._key(one) != key]
    if "derived" in v:
        v["derived"] = [one for one in v["derived"] if recheck._key(one) != key]
    v["cpu"]["points"] = v["cpu"]["points"][1:]


@consistently
def drop_point(rng, v):
    keys = {recheck._key(row) for row in v["rows"] if not row["control"]}
    if len(keys) < 2:
        raise Unchanged
    dropping(v, rng.choice(sorted(keys)))


@consistently
def half_of_the_points(rng, v):
    keys = sorted({recheck._key(row) for row in v["rows"] if not row["control"]})
    if len(keys) < 3:
        raise Unchanged
    for key in rng.sample(keys, len(keys) // 2):
        dropping(v, key)


@consistently
def invent_point(rng, v):
    """The rows of a point again, at another size."""
    key = rng.choice(sorted({recheck._key(row) for row in v["rows"] if not row["control"]}))
    name, value = pick(rng, ((n, x) for n, x in key if x.isdigit()))
    there = {**dict(key), name: str(int(value) * 1000 + 1)}
    for part in ("rows", "derived"):
        same = [copy.deepcopy(one) for one in v.get(part, ()) if recheck._key(one) == key]
        v[part] = [*v.get(part, ()), *({**one, "point": there} for one in same)] if same else v.get(part, [])
    if not v["derived"]:
        del v["derived"]


def repeat_point(rng, v):
    key = recheck._key(rng.choice(v["rows"]))
    v["rows"] += [copy.deepcopy(row) for row in v["rows"] if recheck._key(row) == key]
    completed(v)


def delete_plain(rng, v):
    del v["plain"]


def delete_rows(rng, v):
    v["rows"], v["outcome"], v["evidence"], v["reason"] = [], "UNDECIDED", None, "within the budget"


def widen_scope(rng, v):
    name = pick(rng, v["scope"])
    word = other(rng, v["scope"][name], ["proof", "closed form", "enumerated"])
    new = name if rng.random() < 0.5 else f"every {name}"
    v["scope"] = {new if n == name else n: word if n == name else x for n, x in v["scope"].items()}


def widen_range(rng, v):
    axis = pick(rng, v["tested"].values())
    axis |= {"high": f"{axis.get('high', '1')}000", "values": axis.get("values", 1) + 40}
    v["limit"] = "at 44 points to N = 1000000"


def change_letters(rng, v):
    part = pick(rng, v["letters"])
    part[rng.choice(["meaning", "latex", "name"])] += " of any network"


def change_sentence(rng, v):
    name = rng.choice(["label", "title", "note", "summary", "sections", "statement", "where"])
    if name == "sections":
        pick(rng, v["text"]["sections"])[1] += " And for every network."
    else:
        part = v["text"] if name == "summary" else v["source"] if name in ("statement", "where") else v
        part[name] += " in full"


@consistently
def flip_expect(rng, v):
    v["expect"] = other(rng, v["expect"], OUTCOMES[:3])


@consistently
def lower_alpha(rng, v):
    v["plain"]["alpha"] /= 1000
    for row in v["rows"]:
        row["measured"]["alpha"] /= 1000


def lower_row_alpha(rng, v):
    pick(rng, (row["measured"] for row in v["rows"] if row["measured"]["alpha"]))["alpha"] /= 1000


@consistently
def rename_quantity(rng, v):
    old = rng.choice(v["plain"]["assertions"])["quantity"]
    lists = [v["plain"]["assertions"], *(c.get("assertions", ()) for c in v["plain"]["controls"].values())]
    for part in [*(a for some in lists for a in some), *v["assertions"], *v["rows"]]:
        for one in (part, part.get("premise")):
            if one and one.get("quantity") == old:
                one["quantity"] = f"least {old}"
            if one and old in one.get("parts", ()):
                one["parts"] = [f"least {x}" if x == old else x for x in one["parts"]]


@consistently
def drop_assertion(rng, v):
    if len(v["plain"]["assertions"]) < 2:
        raise Unchanged
    name = rng.choice(v["plain"]["assertions"])["name"]
    for part in (v["plain"], v, *v["plain"]["controls"].values()):
        if "assertions" in part:
            part["assertions"] = [a for a in part["assertions"] if a["name"] != name]
    for control in v["plain"]["controls"].values():
        control["breaks"] = [b for b in control["breaks"] if b != name]
    v["rows"] = [row for row in v["rows"] if row["assertion"] != name]


def claim_role(rng, v):
    v["role"] = other(rng, v["role"], ["statement", "variant", "pitfall"])


def claim_record(rng, v):
    if "record" in v:
        del v["record"]
    else:
        v["record"], v["alpha"]["spent"] = {"commit": "0" * 40, "changed_since": False}, 0.0


def claim_user(rng, v):
    v["user_points"] = not v["user_points"]


@consistently
def turn_outcome(rng, v):
    """Measured sides that refute what holds, or save what is refuted, and in half of all a fitting expectation."""
    own = [row for row in v["rows"] if not row["control"] and row["truth"] is not None]
    wrong = [row for row in own if row["truth"] is False]
    for row in wrong or [pick(rng, own)]:
        keep(row, bool(wrong))
    if rng.random() < 0.5:
        v["expect"] = "HOLDS" if wrong else "REFUTED"


@consistently
def forge_measured(rng, v):
    row = pick(rng, (row for row in v["rows"] if "premise" not in row))
    scaled(rng, row["measured"])


KINDS = {
    "number": forge_number, "right side": forge_bound, "relation": forge_relation, "truth": forge_truth,
    "state of a control": forge_control, "digest": forge_digest, "outcome": forge_outcome, "evidence": forge_evidence,
    "error probability": forge_alpha, "power": forge_power, "formula": forge_formula, "dropped row": drop_row,
    "letter of the construction": forge_derived,
    "control dropped": drop_control, "all controls dropped": drop_controls, "control renamed": rename_control,
    "control that need not break": spare_control, "grade raised": raise_grade, "grade of a row raised": raise_row,
    "more samples claimed": more_drawn, "hypotheses emptied": empty_hypotheses, "hypothesis dropped": drop_hypothesis,
    "hypothesis weakened": weaken_hypothesis, "id of another claim": another_id, "id of no claim": no_id,
    "point dropped": drop_point, "half of the points dropped": half_of_the_points, "point invented": invent_point,
    "point twice": repeat_point, "plain text deleted": delete_plain, "rows deleted": delete_rows,
    "scope widened": widen_scope, "range widened": widen_range, "letters changed": change_letters,
    "sentence changed": change_sentence, "expectation flipped": flip_expect, "error probability lowered": lower_alpha,
    "error probability of a row lowered": lower_row_alpha, "quantity renamed": rename_quantity,
    "assertion dropped": drop_assertion, "role changed": claim_role, "record claimed or denied": claim_record,
    "points of a user claimed": claim_user, "outcome turned": turn_outcome,
    "measured side, consistently": forge_measured,
}  # fmt: skip
APART = "measured side, consistently"


# -- what is counted apart ---------------------------------------------------------------------------------------------
FOLLOWS = ("slack", "truth", "tied", "power")


def blank(v):
    """The verdict without measured ends and without what follows from them but the outcome."""
    rows = [
        {**{k: x for k, x in row.items() if k not in FOLLOWS},
         "measured": {**row["measured"], "low": 0, "high": 0, "show": 0}}
        for row in v["rows"]
    ]  # fmt: skip
    states = [{**c, "broken": 0} for c in v["controls"]]
    assertions = [{**a, "power": None} for a in v["assertions"]]
    return {**v, "digest": "", "rows": rows, "controls": states, "assertions": assertions, "power": 0, "powers": 0}


def follows(honest, forged):
    """Whether only measured ends differ, with all that follows from them: what is shown, slacks, truths and powers."""
    if blank(honest) != blank(forged) or honest["rows"] == forged["rows"]:
        return False
    for old, new in zip(honest["rows"], forged["rows"], strict=True):
        ends = [old["measured"][name] != new["measured"][name] for name in ("low", "high")]
        if old != new and not any(ends):
            return False
    again = copy.deepcopy(forged)
    try:
        for row in again["rows"]:
            low, high = (recheck._stored(row["measured"][name]) for name in ("low", "high"))
            if low > high or (row not in honest["rows"] and None in row["measured"]["show"]):
                return False
            show(row["measured"])
        completed(again)
    except (AssertionError, ArithmeticError, LookupError, NotImplementedError):  # as an end that is not in lowest terms
        return False
    return near(again, forged)


def near(a, b):
    """Whether two verdicts agree, slacks and powers up to rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b and type(a) is type(b)
