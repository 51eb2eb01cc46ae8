"""PyPI jsonschema-rs, one question a line: whether canonicalize(b) covers canonicalize(a)."""

import json
import sys
import time

import jsonschema_rs

DRAFTS = {
    "draft-04": jsonschema_rs.Draft4,
    "draft-06": jsonschema_rs.Draft6,
    "draft-07": jsonschema_rs.Draft7,
    "2019-09": jsonschema_rs.Draft201909,
    "2020-12": jsonschema_rs.Draft202012,
}
VERDICTS = {"yes": "yes", "no": "no"}


def answer(question):
    options = {
        "draft": DRAFTS[question["dialect"]],
        "validate_formats": question["formats"],
        "offline": True,
    }
    a, b = question["a"], question["b"]
    start = time.perf_counter()
    try:
        left = jsonschema_rs.canonicalize(a, **options)
        right = jsonschema_rs.canonicalize(b, **options)
        verdict = {"verdict": VERDICTS.get(str(right.covers(left)).lower(), "undecided")}
    except Exception as error:  # whatever it cannot read, it does not decide
        verdict = {"verdict": "undecided", "reason": str(error)[:200]}
    return {**verdict, "micros": (time.perf_counter() - start) * 1e6}


sys.setrecursionlimit(100_000)
for line in sys.stdin:
    sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
    sys.stdout.flush()
