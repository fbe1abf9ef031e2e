/** Has the user's Nsight Compute print a report file. Runs only what the user allowed: a setting, in a trusted workspace, or an option. */
import { existsSync } from "node:fs";
import path from "node:path";
import { run } from "./run.ts";
import { onPath } from "./toolkit.ts";

/** Seconds for a page, and characters of it. */
const limits = { seconds: 120, characters: 64_000_000 };

/** What a report file holds, page by page; or why it cannot be told, a sentence. */
export type PrintedReport = { readonly texts: readonly { readonly name: string; readonly text: string }[] } | { readonly problem: string };

/**
 * The raw page of a report file, and its source page where that can be had.
 * @param setting `auto`: the ncu on PATH, `off`: none, else a path
 * @param file absolute
 */
export async function printReport(setting: string, file: string): Promise<PrintedReport> {
  const name = path.basename(file);
  const ncu = setting === "auto" ? onPath("ncu") : setting;
  if (ncu === undefined) return { problem: "ncu is not on PATH." };
  if (!existsSync(ncu)) return { problem: `There is no ncu at ${ncu}.` };
  const page = (...words: readonly string[]) => run(ncu, ["--import", file, "--csv", "--page", ...words], limits);
  const raw = await page("raw", "--print-units", "base");
  if (raw.code !== 0) {
    const why = raw.problem ?? /==ERROR== *(.+)/.exec(raw.output)?.[1] ?? `it ended with ${raw.code}`;
    return { problem: `${ncu} does not print ${name}: ${why}` };
  }
  const source = await page("source", "--print-source", "cuda,sass");
  const texts = [{ name, text: raw.printed }];
  return { texts: source.code === 0 ? [...texts, { name: `${name} (source)`, text: source.printed }] : texts };
}

/** Whether a file is one that Nsight Compute wrote, by its name. */
export const isReportFile = (file: string): boolean => /\.(?:ncu-rep|nsight-cuprof-report)$/i.test(file);
