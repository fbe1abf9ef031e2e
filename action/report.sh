#!/usr/bin/env bash
# The report into the job's summary and, where that is wanted, into one comment of the pull request, which is kept up to date.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
marker='<!-- warplens -->'
report="$kept/report.md"
echo "$marker" >"$report"
for part in diff gates; do
  if [ -s "$kept/$part.md" ]; then
    cat "$kept/$part.md"
    echo
  fi
done >>"$report"
echo "report=$report" >>"$GITHUB_OUTPUT"
cat "$report" >>"$GITHUB_STEP_SUMMARY"

if [ "$COMMENT" != true ] || [ -z "$PULL_REQUEST" ]; then exit 0; fi
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
mine=".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id"
known="$(gh api --paginate "$comments" --jq "$mine" | head -n 1)" || known=""
if [ -n "$known" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" --field "body=@$report" --silent
else
  gh api --method POST "$comments" --field "body=@$report" --silent
fi || echo "::warning title=WarpLens::The comment could not be written: the job needs the permission pull-requests: write, which pull requests from forks do not have."
