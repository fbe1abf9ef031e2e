#!/usr/bin/env python3
"""Samples programs under Nsight Compute and writes down at which lines their warps were found, and what they waited for: samples.json.

usage: samples.py KERNELS_FOLDER OUT.json [-- more arguments of nvcc]

Needs what measure.py needs.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

PREFIX = "smsp__pcsamp_warps_issue_stalled_"
# Of a launch: fewer tell nothing, and what is less than this share of them is left out.
LEAST = 500
SHARE = 0.002


def main():
    arguments = sys.argv[1:]
    more = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    folder, out = arguments[:2]
    launches, device = [], ""
    for source in sorted(glob.glob(os.path.join(folder, "*.cu"))):
        with tempfile.TemporaryDirectory() as work:
            program, report = os.path.join(work, "program"), os.path.join(work, "report")
            target = [] if any(one.startswith(("-arch", "-gencode")) for one in more) else ["-arch=native"]
            if subprocess.run(["nvcc", "-O3", "-std=c++17", *target, "-lineinfo", *more, source, "-o", program, "-lcuda"]).returncode:
                print(f"{source}: nvcc refuses it", file=sys.stderr)
                continue
            run = subprocess.run(
                ["ncu", "--clock-control", "none", "--warp-sampling-interval", "0", "--section", "SourceCounters",
                 "--metrics", "group:smsp__pcsamp_warp_stall_reasons", "-o", report, program],
                capture_output=True, text=True, timeout=500,
            )
            if not os.path.exists(report + ".ncu-rep"):
                print(f"{source}: {run.stdout[-2000:]}{run.stderr[-2000:]}", file=sys.stderr)
                continue
            found, device = read(report + ".ncu-rep", os.path.basename(source))
            launches += found
    rows = ",\n".join("  " + json.dumps(launch, separators=(",", ":")) for launch in launches)
    with open(out, "w") as file:
        file.write(f'{{ "device": {json.dumps(device)}, "launches": [\n{rows}\n] }}\n')


def read(path, name):
    import ncu_report

    launches, device = [], ""
    for action in (action for part in ncu_report.load_report(path) for action in part):
        device = action.metric_by_name("device__attribute_display_name").as_string()
        lines = by_line(action, name)
        samples = sum(sum(reasons.values()) for reasons in lines.values())
        if samples < LEAST:
            continue
        kept = {line: {r: n for r, n in reasons.items() if n >= SHARE * samples} for line, reasons in lines.items()}
        dimension = lambda what: [int(action.metric_by_name(f"launch__{what}_dim_{d}").as_double()) for d in "xyz"]
        launches.append({
            "file": name,
            "kernel": action.name(action.NameBase_DEMANGLED),
            "grid": dimension("grid"),
            "block": dimension("block"),
            "samples": samples,
            "lines": {line: reasons for line, reasons in kept.items() if reasons},
        })
    return launches, device


def by_line(action, name):
    lines = {}
    for metric in action.metric_names():
        if not metric.startswith(PREFIX) or metric.endswith("not_issued"):
            continue
        found = action.metric_by_name(metric)
        places = found.correlation_ids() if found.num_instances() else None
        for i in range(found.num_instances()):
            count = found.as_uint64(i)
            where = action.source_info(places.as_uint64(i))
            if not count:
                continue
            line = str(where.line()) if where is not None and os.path.basename(where.file_name()) == name else "elsewhere"
            of = lines.setdefault(line, {})
            of[metric[len(PREFIX) :]] = of.get(metric[len(PREFIX) :], 0) + count
    return lines


main()
