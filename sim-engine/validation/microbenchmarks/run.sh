#!/usr/bin/env bash
# Runs the microbenchmarks on the GPU of this machine: a text file each, and what Nsight Compute counts of their profiled launches.
set -u
out=${1:-.}
cd "$(dirname "$0")"
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv > "$out/device.txt"
metrics=gpu__time_duration.sum,smsp__cycles_elapsed.max,launch__shared_mem_config_size,dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_requests.sum,lts__t_sector_hit_rate.pct
metrics+=,l1tex__t_sector_hit_rate.pct,sm__warps_active.avg.pct_of_peak_sustained_active
for name in bench latency bandwidth mixed; do
  nvcc -O3 -std=c++17 -arch=native $name.cu -o /tmp/$name || nvcc -O3 -std=c++17 -arch=sm_90 $name.cu -o /tmp/$name || exit 1
  timeout 200 /tmp/$name > "$out/$name.txt" 2>&1
  timeout 150 ncu --clock-control none --csv --metrics "$metrics" /tmp/$name profile > "$out/$name-profile.csv" 2> "$out/$name-profile.err"
  tail -n 1 "$out/$name.txt"
done
nvcc -O3 -arch=native rows.cu -o /tmp/rows && timeout 200 /tmp/rows > "$out/rows.txt"
nvcc -O3 -arch=native streams.cu -o /tmp/streams && timeout 200 /tmp/streams > "$out/streams.txt"
nvcc -O3 -arch=native turns.cu -o /tmp/turns && timeout 200 /tmp/turns > "$out/turns.txt"
timeout 150 ncu --clock-control none --csv --metrics "$metrics,lts__d_sectors_fill_device.sum" /tmp/turns profile > "$out/turns-profile.csv"
for name in shared-sums record-stores small-launches; do
  nvcc -O3 -arch=native $name.cu -o /tmp/$name && timeout 200 /tmp/$name > "$out/$name.txt"
  timeout 250 ncu --csv --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,gpu__time_duration.sum,lts__t_sectors_op_write.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum \
    /tmp/$name > "$out/$name.csv"
done
for name in async-copies memory-queue atomics drift under-way constants host-code tensor-clock rows-cold strides pipes grid-barriers float-sums sums-in-step conflicts own-rows cas-loops atomic-latency wide-sums code constants-cold slices beside row-loads atomic-requests atomics-under-way fixed-constants pending naive-parts barriers predicates warp-slots second-pass copies-under-way one-wave row-pages pipe-pairs pipe-latency warp-constants; do
  nvcc -O3 -std=c++17 -arch=native $name.cu -o /tmp/$name && timeout 200 /tmp/$name > "$out/$name.txt"
done
nvcc -O3 -arch=native slices-of-sums.cu -o /tmp/slices-of-sums && timeout 200 /tmp/slices-of-sums 2097152 > "$out/slices-of-sums.txt"
copies=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__m_xbar2l1tex_read_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum
copies+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum,smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum
timeout 150 ncu --clock-control none --csv --metrics "$copies" /tmp/async-copies profile > "$out/async-copies-profile.csv"
parts=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_write.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
nvcc -O3 -std=c++17 -arch=native parts.cu -o /tmp/parts && timeout 150 ncu --clock-control none --csv --metrics "$parts" /tmp/parts > "$out/parts.csv"
sums=sm__cycles_elapsed.max,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum
for kind in ld st; do sums+=,l1tex__t_sectors_pipe_lsu_mem_global_op_$kind.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_${kind}_lookup_hit.sum; done
nvcc -O3 -std=c++17 -arch=native row-sums.cu -o /tmp/row-sums && timeout 150 ncu --clock-control none --csv --metrics "$sums" /tmp/row-sums > "$out/row-sums.csv"
nvcc -O3 -std=c++17 -arch=native halves.cu -o /tmp/halves && timeout 150 ncu --cache-control none --clock-control none --csv --metrics \
  "$parts,lts__t_sectors_op_read.sum,lts__t_sectors_srcunit_ltcfabric.sum" -k "regex:Row|Side|Once" /tmp/halves > "$out/halves.csv"
nvcc -O3 -std=c++17 -arch=native reread.cu -o /tmp/reread && timeout 150 ncu --clock-control none --csv --metrics "$metrics" /tmp/reread > "$out/reread.csv"
nvcc -O3 -std=c++17 -arch=native rows-again.cu -o /tmp/rows-again && timeout 150 ncu --clock-control none --csv --metrics \
  "$metrics,l1tex__m_xbar2l1tex_read_sectors.sum" /tmp/rows-again > "$out/rows-again.csv"
timeout 150 ncu --clock-control none --csv --metrics "$metrics,lts__d_sectors_fill_device.sum" /tmp/drift profile > "$out/drift-profile.csv"
calls=gpu__time_duration.sum,sm__cycles_elapsed.max,smsp__inst_executed.sum,smsp__inst_executed_op_generic_st.sum,smsp__inst_executed_op_local_ld.sum
nvcc -O3 -arch=native device-calls.cu -o /tmp/device-calls &&
  timeout 250 ncu --clock-control none --csv --metrics "$calls,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum" /tmp/device-calls > "$out/device-calls.csv"
