#!/usr/bin/env bash
# Builds WarpLens beside the action, once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'; then
  echo "::error title=WarpLens::Node.js 20.19 or newer is needed: put actions/setup-node before this action."
  exit 2
fi
if [ ! -e dist/cli.js ]; then
  npm ci --no-audit --no-fund --loglevel=error
  npm run --silent build
fi
