#!/usr/bin/env bash
# Findings as annotations; of a pull request those that it adds. With SARIF all of them into that file.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
read_paths
rm -f "$kept/codes" "$kept/diff.md" "$kept/gates.md"
options=(--format github --fail-on "$FAIL_ON")
if [ "$ONLY_NEW" = true ] && have_base; then options+=(--base "$BASE"); fi
warplens check "${options[@]}" -- "${paths[@]}"
if [ -n "$SARIF" ]; then warplens check --format sarif --fail-on never -- "${paths[@]}" >"$SARIF"; fi
