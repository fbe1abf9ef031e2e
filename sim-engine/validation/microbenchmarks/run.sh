#!/usr/bin/env bash
# Runs the microbenchmarks on the GPU of this machine: results.txt, and profile.csv where Nsight Compute can read counters.
set -u
out=${1:-.}
cd "$(dirname "$0")"
nvcc -O3 -arch=native bench.cu -o /tmp/bench || nvcc -O3 -arch=sm_90 bench.cu -o /tmp/bench || exit 1
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv > "$out/device.txt"
timeout 200 /tmp/bench > "$out/results.txt" 2>&1
metrics=gpu__time_duration.sum,smsp__cycles_elapsed.max,launch__shared_mem_config_size,dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_sector_hit_rate.pct,sm__warps_active.avg.pct_of_peak_sustained_active
timeout 150 ncu --clock-control none --csv --metrics "$metrics" /tmp/bench profile > "$out/profile.csv" 2> "$out/profile.err"
tail -n 5 "$out/results.txt"
tail -n 3 "$out/profile.csv"
