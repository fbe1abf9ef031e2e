/** In the place of minimatch, which the library asks for the client's own patterns alone (`language-client.ts`): names, `*`, `?` and folders by `**`. */
const parts = { "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]" };

exports.Minimatch = class {
  #expression;

  constructor(pattern) {
    const source = pattern.replaceAll(/\*\*\/|[*?\\^$.|+()[\]{}]/g, (found) => parts[found] ?? `\\${found}`);
    this.#expression = new RegExp(`^${source}$`);
  }

  makeRe() {
    return this.#expression;
  }

  match(path) {
    return this.#expression.test(path.replaceAll("\\", "/"));
  }
};
