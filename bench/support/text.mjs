/** The text of an open document, with edits by offset told as an editor tells them. */
export class Text {
  #starts;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.version = 1;
    this.#measure();
  }

  #measure() {
    this.#starts = [0];
    for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  get lines() {
    return this.#starts.length;
  }

  /** 0-based line and UTF-16 character. */
  position(offset) {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - this.#starts[low] };
  }

  /**
   * Replaces ranges of the present text.
   * @param {readonly (readonly [start: number, end: number, text: string])[]} edits that do not overlap
   * @returns {object[]} the content changes of one `didChange`, which is of the new `version`
   */
  apply(edits) {
    // From the end on, so that none moves another.
    const ordered = edits.toSorted((a, b) => b[0] - a[0]);
    const changes = ordered.map(([start, end, text]) => ({ range: { start: this.position(start), end: this.position(end) }, text }));
    for (const [start, end, text] of ordered) this.text = this.text.slice(0, start) + text + this.text.slice(end);
    this.version++;
    this.#measure();
    return changes;
  }
}
