#!/usr/bin/env bash
# What changed per kernel since the base, for the report.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
read_paths
if have_base; then warplens diff --format markdown "$BASE" -- "${paths[@]}" >"$kept/diff.md"; fi
