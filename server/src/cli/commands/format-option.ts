import { suggest } from "../../rules/suggest.ts";
import { UsageError } from "../io.ts";

/** The format a user names, text without one. */
export function formatNamed<Format extends string>(name: string | undefined, known: readonly [Format, ...Format[]]): Format {
  if (name === undefined) return known[0];
  const found = known.find((format) => format === name);
  if (found !== undefined) return found;
  const near = suggest(name, known);
  throw new UsageError(
    `--format: there is no format \`${name}\`; ${near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`}`,
  );
}
