/** How severe findings are, the worst first. */
import type { Severity } from "./rule.ts";

export const severities: readonly Severity[] = ["error", "warning", "information", "hint"];
