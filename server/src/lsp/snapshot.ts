/** What an answer of the worker is about, and how the text has changed since. */
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { About } from "../worker/messages.ts";
import type { Held } from "./configurations.ts";
import type { Edit } from "./documents.ts";
import { Drift } from "./drift.ts";

export class Snapshot {
  readonly version: number;
  readonly held: Held;
  /** Counts the times that files may have changed. */
  readonly files: number;
  readonly offsets = new Drift();
  /** 0-based. */
  readonly lines = new Drift();

  constructor({ version }: TextDocument, held: Held, files: number) {
    this.version = version;
    this.held = held;
    this.files = files;
  }

  /** Whether an answer is the one that was asked for. */
  isOf({ version, revision, gpu }: About): boolean {
    const { configuration } = this.held;
    return version === this.version && revision === configuration.revision && gpu === configuration.gpu.id;
  }

  edited(edits: readonly Edit[]): void {
    for (const edit of edits) {
      this.offsets.add(edit, edit.text.length);
      this.lines.add(edit.lines, edit.lines.count);
    }
  }

  /** A 1-based line, where it is now. */
  line(line: number): number | undefined {
    const moved = this.lines.carry({ start: line - 1, end: line });
    return moved && moved.start + 1;
  }
}
