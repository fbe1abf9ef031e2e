#!/usr/bin/env python3
"""Measures programs under Nsight Compute and writes them down as the sets here are: launches.json, launch by launch and line by line.

usage: measure.py KERNELS_FOLDER OUT.json [-- more arguments of nvcc]

Needs nvcc, ncu with its Python interface (extras/python of its folder), and a GPU whose counters may be read. Each .cu of the folder
is built with `nvcc -O3 -std=c++17 -arch=native -lineinfo` (or for the target that the arguments name: Hopper's wgmma is of `-arch=sm_90a`)
and run once under ncu with its caches flushed before each pass. All are built side by side before the first is run.
"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

TOTALS = {
    "time_ns": "gpu__time_duration.sum",
    "sm_cycles": "smsp__cycles_elapsed.max",
    "theoretical_occupancy_pct": "sm__maximum_warps_per_active_cycle_pct",
    "achieved_occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "l1_hit_pct": "l1tex__t_sector_hit_rate.pct",
    "l2_hit_pct": "lts__t_sector_hit_rate.pct",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "registers_per_thread": "launch__registers_per_thread",
    "static_shared_bytes": "launch__shared_mem_per_block_static",
    "dynamic_shared_bytes": "launch__shared_mem_per_block_dynamic",
    "tensor_pipe_pct": "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
}
STALLS = [
    "barrier", "branch_resolve", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle",
    "membar", "mio_throttle", "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait",
]
LINES = {
    "instructions": "inst_executed",
    "thread_instructions": "thread_inst_executed",
    "global_sectors": "memory_l2_theoretical_sectors_global",
    "global_sectors_ideal": "memory_l2_theoretical_sectors_global_ideal",
    "shared_wavefronts": "memory_l1_wavefronts_shared",
    "shared_wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
}


def main():
    arguments = sys.argv[1:]
    more = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    folder, out = arguments[:2]
    launches, device = [], {}
    with tempfile.TemporaryDirectory() as work:
        for source, program in built(sorted(glob.glob(os.path.join(folder, "*.cu"))), work, more):
            report = f"{program}-report"
            wanted = list(TOTALS.values()) + [f"smsp__average_warps_issue_stalled_{s}_per_issue_active.ratio" for s in STALLS]
            run = subprocess.run(
                ["ncu", "--clock-control", "none", "--section", "SourceCounters", "--metrics", ",".join(wanted), "-o", report, program],
                capture_output=True, text=True, timeout=500,
            )
            if not os.path.exists(report + ".ncu-rep"):
                print(f"{source}: {run.stdout[-2000:]}{run.stderr[-2000:]}", file=sys.stderr)
                continue
            found, device = read(report + ".ncu-rep", os.path.basename(source))
            for launch in [each for each in found if "time_ns" not in each]:
                print(f"{source}: {launch['kernel']} did not run to its end", file=sys.stderr)
                found.remove(launch)
            print(f"{os.path.basename(source)}: {len(found)} launches", file=sys.stderr)
            launches += found
            with open(out, "w") as file:
                json.dump({"device": device, "launches": launches}, file, indent=1)


def built(sources, work, more):
    """The sources that nvcc takes, each with its program in the folder `work`."""
    target = [] if any(one.startswith(("-arch", "-gencode")) for one in more) else ["-arch=native"]

    def build(source):
        program = os.path.join(work, os.path.splitext(os.path.basename(source))[0])
        refused = subprocess.run(["nvcc", "-O3", "-std=c++17", *target, "-lineinfo", *more, source, "-o", program, "-lcuda"]).returncode
        if refused:
            print(f"{source}: nvcc refuses it", file=sys.stderr)
        return None if refused else (source, program)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [each for each in pool.map(build, sources) if each]


def read(path, name):
    import ncu_report

    actions = [action for part in ncu_report.load_report(path) for action in part]
    device = {}
    launches = []
    for index, action in enumerate(actions):
        device = {
            "name": text(action, "device__attribute_display_name"),
            "sms": number(action, "device__attribute_multiprocessor_count"),
        }
        launch = {
            "file": name,
            "kernel": action.name(action.NameBase_DEMANGLED),
            "launch": index,
            "grid": [number(action, f"launch__grid_dim_{d}") for d in "xyz"],
            "block": [number(action, f"launch__block_dim_{d}") for d in "xyz"],
        }
        for key, metric in TOTALS.items():
            value = number(action, metric)
            if value is not None:
                launch[key] = value
        for stall in STALLS:
            value = number(action, f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio")
            if value:
                launch[f"stall_{stall}"] = value
        launch.update(by_line(action, name))
        launches.append(launch)
    return launches, device


def by_line(action, name):
    """Sums over the instructions of each line; lines of other files under their base names."""
    lines, others = {}, {}
    for key, metric in LINES.items():
        found = action.metric_by_name(metric)
        places = found.correlation_ids() if found is not None and found.num_instances() else None
        if places is None:
            continue
        for i in range(found.num_instances()):
            value = found.as_uint64(i)
            where = action.source_info(places.as_uint64(i))
            if not value or where is None:
                continue
            file = os.path.basename(where.file_name())
            of = lines if file == name else others.setdefault(file, {})
            line = of.setdefault(str(where.line()), {})
            line[key] = line.get(key, 0) + value
    ordered = lambda of: {line: of[line] for line in sorted(of, key=int)}
    result = {"lines": ordered(lines)}
    if others:
        result["files"] = {file: ordered(of) for file, of in sorted(others.items())}
    return result


def number(action, metric):
    found = action.metric_by_name(metric)
    if found is None:
        return None
    value = found.as_double()
    # A rate of nothing, such as hits where nothing was looked up.
    if value != value:
        return None
    return int(value) if value == int(value) else round(value, 3)


def text(action, metric):
    found = action.metric_by_name(metric)
    return found.as_string() if found is not None else None


main()
