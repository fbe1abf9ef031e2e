import { disk, type Files, type Revision } from "../files.ts";
import { RevisionFiles } from "./revision-files.ts";

let latest: RevisionFiles | undefined;

/** The files of a revision, opened once for many jobs; of the disk without one. */
export function filesOf(revision: Revision | undefined): Files {
  if (!revision) return disk;
  if (latest?.revision.root !== revision.root || latest.revision.commit !== revision.commit) latest = new RevisionFiles(revision);
  return latest;
}
