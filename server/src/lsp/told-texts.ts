/**
 * The texts that the analysis is told of: under a path each, whatever the client's names for them are, and none that is larger than
 * what it reads of a disk.
 */
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Input } from "../worker/messages.ts";
import type { Edit } from "./documents.ts";
import type { Platform } from "./platform.ts";

/** UTF-16 units. */
const largest = 8 * 2 ** 20;

/** Why a text is not read; undefined where it is. */
export function tooLarge({ length }: string): string | undefined {
  if (length <= largest) return undefined;
  return `it has ${Math.ceil((10 * length) / 2 ** 20) / 10} million characters; WarpLens reads up to ${largest / 2 ** 20} million`;
}

export class ToldTexts {
  readonly #platform: Pick<Platform, "pathOf" | "uriOf">;
  readonly #tell: (input: Input) => void;
  /** By URI, of all open documents. */
  readonly #paths = new Map<string, string>();
  /** URIs of those that were told. */
  readonly #told = new Set<string>();

  constructor(platform: Pick<Platform, "pathOf" | "uriOf">, tell: (input: Input) => void) {
    this.#platform = platform;
    this.#tell = tell;
  }

  /** @returns the document's path from now on, which no other open one has */
  open(document: TextDocument): string {
    const taken = new Set(this.#paths.values());
    let path = this.#platform.pathOf(document.uri);
    // Two names of one file: the later one stands beside it.
    while (taken.has(path)) path = `${path.slice(0, path.lastIndexOf("/") + 1)}~${path.slice(path.lastIndexOf("/") + 1)}`;
    this.#paths.set(document.uri, path);
    this.#tellWhole(document);
    return path;
  }

  /**
   * @param document as it is after the edits
   * @returns whether it is told for the first time, so that what holds for it has to be told
   */
  edited(document: TextDocument, edits: readonly Edit[]): boolean {
    const { uri, version } = document;
    const isRead = tooLarge(document.getText()) === undefined;
    const isTold = this.#told.has(uri);
    if (isRead && isTold) this.#tell({ does: "edit", path: this.pathOf(uri), version, edits });
    else if (isRead) this.#tellWhole(document);
    else this.#untell(uri);
    return isRead && !isTold;
  }

  close(uri: string): void {
    this.#untell(uri);
    this.#paths.delete(uri);
  }

  /** Of an open document, or of what would be one. */
  pathOf(uri: string): string {
    return this.#paths.get(uri) ?? this.#platform.pathOf(uri);
  }

  /** Open documents keep the names that the client has for them. */
  uriOf(path: string): string {
    for (const [uri, known] of this.#paths) if (known === path) return uri;
    return this.#platform.uriOf(path);
  }

  #tellWhole(document: TextDocument): void {
    const { uri, version } = document;
    const text = document.getText();
    if (tooLarge(text) !== undefined) return;
    this.#tell({ does: "open", path: this.pathOf(uri), version, text });
    this.#told.add(uri);
  }

  #untell(uri: string): void {
    if (this.#told.delete(uri)) this.#tell({ does: "close", path: this.pathOf(uri) });
  }
}
