# SPDX-License-Identifier: GPL-2.0-only
"""What to boot for a run of the lab: an inventory of the cases, and boots that keep every CPU busy to the end.

A suite is one boot, unless it is long: then its SoCs are dealt to several. How long is known from the run
before (results/kunit/times-<variant>.json), else guessed from the number of results due; a wrong guess
costs time, never a result. The longest boot is made first.

A case that may bring the kernel down (`alone` in kunit/expected-red) is booted once per SoC, so that a
dead kernel costs no other result. So is every case of a SoC that only works as the first device of a
boot (`boot-alone`): the other boots leave it out.
"""

import contextlib
import dataclasses
import json

from poolstack import cli, ktap

PER_RESULT = 0.03                   # seconds, where no run before told
BOOT = 0.25                         # seconds that a boot costs by itself
SHORTEST = 2.0                      # a boot is not made shorter than that by dealing SoCs to several
SHARE = 8                           # boots per CPU that a run is dealt to, or their ends do not meet


@dataclasses.dataclass
class Job:
    """One boot to be made."""
    glob: str                       # kunit.filter_glob
    soc: str = ""                   # poolstack.soc: globs with commas between, empty for all
    alone: bool = False             # no result is a red case here, not a broken run
    cost: float = 0.0               # seconds it is expected to take
    log: object = None
    process: object = None
    begin: float = 0.0
    seconds: float = 0.0
    overrun: bool = False

    @property
    def name(self):
        """Of the log file."""
        name = self.glob.replace("*", "all").replace("?", "any") + (f"@{self.soc}" if self.soc else "")
        return name.replace("/", "_").replace("*", "all")[:200]


def inventory(text):
    """({suite.case: [target, ...]}, [skipped cases]) of the log of a boot with poolstack.list=1.

    There, each case is skipped on each of its targets. One that is not parameterised has the target "".
    One that has no target among the SoCs asked for is a skip.
    """
    found, skipped = {}, []
    for case in ktap.parse(text).cases:
        if case.case and case.status == "skip" and not case.param and not case.reason:
            skipped.append(case)
        elif case.case:
            found.setdefault(case.name, []).append(case.param)
    return found, skipped


def soc_of(target):
    """imx6q of imx6q/armv7-32."""
    return target.partition("/")[0]


def load_times(path):
    """{suite: {soc: seconds}} of the run before; nothing, if that is not to be had."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        data = json.loads(path.read_text())
        return {suite: {soc: float(value) for soc, value in socs.items()} for suite, socs in data.items()}
    return {}


def save_times(path, jobs, results):
    """Remember what a boot's SoCs took, by their share of its results; results is {job's log: [ktap.Case]}."""
    times = load_times(path)
    for job in jobs:
        cases = [case for case in results.get(job.log, []) if case.param]
        if "." in job.glob or not cases or job.overrun:
            continue
        for soc in {soc_of(case.param) for case in cases}:
            part = sum(soc_of(case.param) == soc for case in cases) / len(cases)
            times.setdefault(job.glob, {})[soc] = round(max(0.0, job.seconds - BOOT) * part, 3)
    cli.atomic_write(path, json.dumps(times, indent=1, sort_keys=True) + "\n")


def _deal(costs, most):
    """SoCs in the fewest groups that cost at most so much; longest first, each to the lightest."""
    number = min(len(costs), max(1, int(-(-sum(costs.values()) // most))))
    groups = [[0.0, []] for _ in range(number)]
    for soc in sorted(costs, key=costs.get, reverse=True):
        lightest = min(groups, key=lambda group: group[0])
        lightest[0] += costs[soc]
        lightest[1].append(soc)
    return groups


def _costs(members, times, unit):
    """{soc: seconds} for the cases of a suite."""
    due = {}
    for target in (target for targets in members.values() for target in targets):
        due[unit(target)] = due.get(unit(target), 0.0) + PER_RESULT
    return {soc: times.get(soc, cost) for soc, cost in due.items()}


def plan(cases, *, alone=(), lone_socs=(), whole=True, times=None, workers=1, unit=soc_of):
    """The boots for an inventory; see the head of this file.

    cases: {suite.case: [target, ...]}; alone: names; lone_socs: SoCs that want a boot per case; whole:
    False boots case by case; times: of load_times(); unit: what of a target goes to poolstack.soc.
    """
    jobs, suites = [], {}
    for name, targets in cases.items():
        own = list(dict.fromkeys(unit(target) for target in targets if target and
                                 (name in alone or soc_of(target) in lone_socs)))
        jobs += [Job(name, soc, alone=name in alone, cost=BOOT + PER_RESULT) for soc in own]
        rest = [target for target in targets if unit(target) not in own]
        if rest:
            suites.setdefault(name.partition(".")[0], {})[name] = rest
    by_case = {suite for suite in suites if not whole or any(name.startswith(f"{suite}.") for name in alone)}
    costs = {suite: _costs(members, (times or {}).get(suite, {}), unit) for suite, members in suites.items()}
    total = sum(sum(costs[suite].values()) for suite in suites)
    most = max(SHORTEST, total / (workers * SHARE))
    for suite, members in suites.items():
        if suite in by_case:
            jobs += [Job(name, ",".join(_costs({name: targets}, {}, unit)), cost=BOOT + PER_RESULT * len(targets))
                     for name, targets in members.items()]
        elif "" in costs[suite]:    # a case without parameter would run in each of the boots
            jobs.append(Job(suite, ",".join(filter(None, costs[suite])), cost=BOOT + sum(costs[suite].values())))
        else:
            jobs += [Job(suite, ",".join(sorted(socs)), cost=BOOT + seconds)
                     for seconds, socs in _deal(costs[suite], most)]
    return sorted(jobs, key=lambda job: job.cost, reverse=True)


def only(cases, results):
    """The results without greens that are not in the inventory.

    A case that picks one SoC per cache picks another one where a boot has only some of the SoCs.
    """
    due = {(name, target) for name, targets in cases.items() for target in targets}
    return [case for case in results if case.status == "fail" or (case.name, case.param) in due]


def missing(cases, results):
    """["suite.case target", ...] that are in the inventory and gave no result."""
    have = {(case.name, case.param) for case in results}
    return [f"{name} {target}".rstrip() for name, targets in cases.items() for target in targets
            if (name, target) not in have and (name, f"{soc_of(target)}/") not in have]
