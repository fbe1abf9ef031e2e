/** A part of the files, for one of several machines. */
import { createHash } from "node:crypto";
import { UsageError } from "./io.ts";

/** Reads `i/n`, 1-based. Throws a UsageError. @returns whether a file is of the part */
export function shardNamed(text: string | undefined): (file: { readonly name: string }) => boolean {
  if (text === undefined) return () => true;
  const [, part = "", parts = ""] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  const index = Number(part);
  const count = Number(parts);
  if (index < 1 || index > count) throw new UsageError(`--shard must be I/N, with I from 1 to N: ${text}`);
  return ({ name }) => partOf(name, count) === index - 1;
}

/** By name alone: files that come and go move no other into another part. */
const partOf = (name: string, count: number): number => createHash("sha256").update(name).digest().readUInt32BE() % count;
