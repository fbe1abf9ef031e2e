#!/usr/bin/env bash
# The entry of the hooks in .pre-commit-hooks.yaml: builds WarpLens in the hook's own clone when it is used first.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
bash "$here/install.sh" >&2
exec node "$here/../server/bin/warplens.mjs" "$@"
