# SPDX-License-Identifier: GPL-2.0-only
"""A stand-in for the lab's kernel: a program that takes UML's command line and prints what UML would."""

import json
import sys

PROGRAM = '''#!@PYTHON@ -IS
import fnmatch, json, os, signal, sys, time
from pathlib import Path
plan = json.loads(Path(__file__).with_suffix(".json").read_text())
args = dict(word.partition("=")[::2] for word in sys.argv[1:])
glob, soc = args["kunit.filter_glob"], args.get("poolstack.soc", "*")
wanted = lambda target: any(fnmatch.fnmatchcase(name, one) for one in soc.split(",")
                            for name in (target, target.split("/")[0]))
with open(Path(__file__).with_suffix(".boots"), "a") as boots:
    boots.write(f"{glob} {soc}\\n")
suite_glob, _, case_glob = glob.partition(".")
picked = {}
for name, params in plan["cases"].items():
    suite, case = name.split(".")
    if fnmatch.fnmatchcase(suite, suite_glob) and fnmatch.fnmatchcase(case, case_glob or "*"):
        picked.setdefault(suite, {})[case] = params
out = lambda text: print(text, flush=True)
out("Linux version 7.3.4")
if plan.get("no_ktap"):
    sys.exit(0)
out("KTAP version 1")
out(f"1..{len(picked)}")
taken = 0
for number, (suite, cases) in enumerate(picked.items(), 1):
    out(f"    KTAP version 1\\n    # Subtest: {suite}\\n    1..{len(cases)}")
    for count, (case, params) in enumerate(cases.items(), 1):
        here = {name: state for name, state in params.items() if wanted(name)}
        if args.get("poolstack.list") == "1":
            here = dict.fromkeys(here, "listed")
        here = {name: state for name, state in here.items() if state != "lost"}
        if not here:
            out(f"    ok {count} {case} # SKIP ")
            continue
        out(f"        KTAP version 1\\n        # Subtest: {case}")
        for index, (name, state) in enumerate(here.items(), 1):
            if state == "panic":
                out("Kernel panic - not syncing: Fatal exception")
                os.kill(os.getpid(), signal.SIGABRT)
            if state == "hang":
                time.sleep(600)
            if name.split("/")[0] == plan.get("first_only") and taken:
                state = "red"
            taken += 1
            for line in plan.get("say", {}).get(f"{suite}.{case}", []):
                out(line.replace("@SOC@", name.split("/")[0]).replace("@CLASS@", name.split("/")[1]))
            if state == "splat":
                out("WARNING: net/core/page_pool.c:1 at page_pool_put")
            skip = " # SKIP listed" if state == "listed" else ""
            out(f"        {'not ok' if state == 'red' else 'ok'} {index} {name}{skip}")
        bad = any(state == "red" for state in here.values())
        out(f"    {'not ok' if bad else 'ok'} {count} {case}")
    out(f"ok {number} {suite}")
out("reboot: System halted")
'''


def make(folder, cases, **more):
    """Put the program into folder; cases is {suite.case: {soc/class: ok|red|splat|panic|hang|lost}}.

    first_only=SOC: red there, unless it is the first device of the boot.
    """
    program = folder / "linux"
    program.unlink(missing_ok=True)     # one that is being started cannot be written to
    program.write_text(PROGRAM.replace("@PYTHON@", sys.executable))
    program.chmod(0o755)
    (folder / "linux.json").write_text(json.dumps({"cases": cases, **more}))
    (folder / "linux.boots").write_text("")
    return program


def boots(program):
    """The boots that were made: ["glob soc", ...]."""
    return program.with_suffix(".boots").read_text().splitlines()
