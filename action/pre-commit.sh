#!/usr/bin/env bash
# The entry of the hooks in .pre-commit-hooks.yaml: builds WarpLens in the hook's own clone when it is used first.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
bash "$here/install.sh" >&2
# Names of files come behind the options, with nothing between: one that begins like an option is a file all the same. An option could
# name a program to run.
arguments=()
for argument in "$@"; do
  if [[ "$argument" == -* && ( -e "./$argument" || -L "./$argument" ) ]]; then argument="./$argument"; fi
  arguments+=("$argument")
done
exec node "$here/../server/bin/warplens.mjs" "${arguments[@]}"
