#!/usr/bin/env bash
# Gates: as annotations where they do not hold, and in the report.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
read_paths

# Whether the nearest warplens.json has gates. One that is no file (a device, a pipe) is not read here: warplens says what it is.
has_gates() {
  local folder="$PWD"
  while [ ! -e "$folder/warplens.json" ]; do
    if [ "$folder" = / ]; then return 1; fi
    folder="$(dirname "$folder")"
  done
  [ ! -f "$folder/warplens.json" ] || grep -q '"gates"' "$folder/warplens.json"
}

if [ "$GATE" = auto ] && ! has_gates; then exit 0; fi
options=()
if have_base; then options=(--base "$BASE"); fi
warplens gate --format github ${options[@]+"${options[@]}"} -- "${paths[@]}"
warplens gate --format markdown ${options[@]+"${options[@]}"} -- "${paths[@]}" >"$kept/gates.md"
