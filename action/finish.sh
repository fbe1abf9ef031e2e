#!/usr/bin/env bash
# Fails the job with the worst of what the steps before noted.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
touch "$kept/codes"
code="$(sort -rn "$kept/codes" | head -n 1)"
echo "exit-code=${code:-0}" >>"$GITHUB_OUTPUT"
exit "${code:-0}"
