# What the action's steps share. To be sourced.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
kept="${RUNNER_TEMP:-/tmp}/warplens"
mkdir -p "$kept"

# Runs WarpLens on the wanted GPU with what was found before; what follows `--` are the paths.
# Notes an exit code that is not 0, and goes on: the last step fails the job.
warplens() {
  local command="$1" code=0
  shift
  local options=(--cache "$kept/cache")
  if [ -n "${GPU:-}" ]; then options+=(--gpu "$GPU"); fi
  node "$here/../server/bin/warplens.mjs" "$command" "${options[@]}" "$@" || code=$?
  if [ "$code" -ne 0 ]; then echo "$code" >>"$kept/codes"; fi
}

# The paths, one a line, into `paths`.
read_paths() {
  paths=()
  local line
  while IFS= read -r line; do
    if [ -n "$line" ]; then paths+=("$line"); fi
  done <<<"${PATHS:-.}"
}

# Whether there is a base to compare with, in `BASE`. A shallow checkout does not have it yet.
have_base() {
  if [ -z "${BASE:-}" ]; then return 1; fi
  # A pull request is checked out as merged into its base, which may have gone on since it was opened; unless the workflow checks out
  # something else, whose parents are its own.
  if [[ "${GITHUB_REF:-}" == refs/pull/*/merge && "$(git rev-parse HEAD)" == "${GITHUB_SHA:-}" ]]; then
    local parents
    parents="$(git cat-file -p HEAD | sed -n '/^$/q; s/^parent //p')"
    if [ "$(wc -l <<<"$parents")" -eq 2 ]; then BASE="$(head -n 1 <<<"$parents")"; fi
  fi
  if git rev-parse --verify --quiet --end-of-options "$BASE^{commit}" >/dev/null; then return 0; fi
  # What it names here is what was fetched; with a colon it would be put into a branch of this name or that.
  if [[ "$BASE" != *:* && "$BASE" != +* ]] && git fetch --quiet --no-tags --depth=1 -- origin "$BASE"; then
    BASE="$(git rev-parse --verify FETCH_HEAD)"
    return 0
  fi
  echo "::warning title=WarpLens::The base cannot be fetched: nothing is compared with it."
  return 1
}
