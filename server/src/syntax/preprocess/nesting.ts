export type NestingState = readonly [lines: number, depth: number, namespaces: number, opensNamespace: boolean];

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const SEMICOLON = 59;

/**
 * What `__LINE__` stands for within a declaration's braces: which of its lines with code it is on. It tells lines of a declaration
 * apart, as the number of the file's line does, but stays what it is when the declaration moves or comments are added.
 */
export class Nesting {
  /** Lines with code since the declaration began. */
  lines = 0;
  /** Braces that are open, those of namespaces apart. */
  depth = 0;
  #namespaces = 0;
  #opensNamespace = false;

  get(): NestingState {
    return [this.lines, this.depth, this.#namespaces, this.#opensNamespace];
  }

  set([lines, depth, namespaces, opensNamespace]: NestingState): void {
    this.lines = lines;
    this.depth = depth;
    this.#namespaces = namespaces;
    this.#opensNamespace = opensNamespace;
  }

  line(): void {
    this.lines++;
  }

  /** A word outside all braces. */
  word(text: string, start: number, end: number): void {
    const length = end - start;
    if ((length === 9 && text.startsWith("namespace", start)) || (length === 6 && text.startsWith("extern", start)))
      this.#opensNamespace = true;
  }

  punctuation(code: number): void {
    if (code === OPEN_BRACE) {
      if (this.depth === 0 && this.#opensNamespace) this.#namespaces++;
      else this.depth++;
      this.#opensNamespace = false;
      if (this.depth === 0) this.lines = 0;
    } else if (code === CLOSE_BRACE) {
      if (this.depth > 0) this.depth--;
      else if (this.#namespaces > 0) this.#namespaces--;
      if (this.depth === 0) this.#end();
    } else if (code === SEMICOLON && this.depth === 0) this.#end();
  }

  #end(): void {
    this.lines = 0;
    this.#opensNamespace = false;
  }
}
