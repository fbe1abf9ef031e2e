/**
 * The names of kernels in compiler output: `_Z1kILi32EfEvPT0_` is `k<32, float>`. Reads as much of the Itanium C++ ABI's
 * mangling as the name and template arguments of a kernel need; parameters are not read.
 */

export interface KernelSymbol {
  /** With namespaces: `ns::k`. */
  readonly name: string;
  readonly templateArguments: readonly string[];
}

const builtins: Readonly<Record<string, string>> = {
  v: "void",
  w: "wchar_t",
  b: "bool",
  c: "char",
  a: "signed char",
  h: "unsigned char",
  s: "short",
  t: "unsigned short",
  i: "int",
  j: "unsigned int",
  l: "long",
  m: "unsigned long",
  x: "long long",
  y: "unsigned long long",
  n: "__int128",
  o: "unsigned __int128",
  f: "float",
  d: "double",
  e: "long double",
};

class Unreadable extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;
  /** What `S_`, `S0_`... stand for. */
  readonly #seen: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #remember(text: string): string {
    this.#seen.push(text);
    return text;
  }

  symbol(): KernelSymbol {
    if (!this.#take("_Z")) return { name: this.#text, templateArguments: [] };
    if (this.#take("N")) return this.#nested();
    const name = this.#unqualified();
    if (!this.#text.startsWith("I", this.#at)) return { name, templateArguments: [] };
    this.#remember(name);
    return { name, templateArguments: this.#templateArguments() };
  }

  /** After `N`, to its `E`. */
  #nested(): KernelSymbol {
    this.#match(/[rVK]+/y);
    let name = "";
    let templateArguments: readonly string[] = [];
    while (!this.#take("E")) {
      if (this.#text[this.#at] === "I") {
        templateArguments = this.#templateArguments();
        // Arguments of an enclosing class belong to its name.
        if (this.#text[this.#at] !== "E") {
          name = this.#remember(`${name}<${templateArguments.join(", ")}>`);
          templateArguments = [];
        }
      } else if (this.#text[this.#at] === "S") {
        name = this.#substitution();
      } else {
        const part = this.#unqualified();
        name = name === "" ? part : `${name}::${part}`;
        if (this.#text[this.#at] !== "E") this.#remember(name);
      }
    }
    return { name, templateArguments };
  }

  #unqualified(): string {
    this.#match(/L/y);
    const length = this.#match(/\d+/y);
    if (length === undefined) throw new Unreadable();
    const start = this.#at;
    this.#at += Number(length);
    if (this.#at > this.#text.length) throw new Unreadable();
    const name = this.#text.slice(start, this.#at);
    return name.startsWith("_GLOBAL__N_") || name.startsWith("_INTERNAL_") ? "(anonymous namespace)" : name;
  }

  #templateArguments(): string[] {
    if (!this.#take("I") && !this.#take("J")) throw new Unreadable();
    const found: string[] = [];
    while (!this.#take("E")) {
      if (this.#text[this.#at] === "J") found.push(...this.#templateArguments());
      else found.push(this.#templateArgument());
    }
    return found;
  }

  #templateArgument(): string {
    if (this.#take("X")) throw new Unreadable();
    if (!this.#take("L")) return this.#type();
    if (this.#take("_Z")) throw new Unreadable();
    const type = this.#type();
    const digits = this.#match(/n?\d+/y);
    if (digits === undefined || !this.#take("E")) throw new Unreadable();
    if (type === "bool") return digits === "0" ? "false" : "true";
    return digits.replace("n", "-");
  }

  #type(): string {
    if (this.#take("P")) return this.#remember(`${this.#type()}*`);
    if (this.#take("R")) return this.#remember(`${this.#type()}&`);
    if (this.#take("O")) return this.#remember(`${this.#type()}&&`);
    if (this.#take("K")) return this.#remember(`const ${this.#type()}`);
    if (this.#take("V")) return this.#remember(`volatile ${this.#type()}`);
    if (this.#text[this.#at] === "S" && this.#text[this.#at + 1] !== "t") return this.#withArguments(this.#substitution());
    if (this.#take("N")) {
      const { name, templateArguments } = this.#nested();
      return this.#remember(templateArguments.length > 0 ? `${name}<${templateArguments.join(", ")}>` : name);
    }
    if (this.#match(/\d/y) !== undefined) {
      this.#at--;
      return this.#withArguments(this.#remember(this.#unqualified()));
    }
    const half = this.#match(/D[hF]16_|Dh/y);
    if (half !== undefined) return "__half";
    const builtin = builtins[this.#text[this.#at] ?? ""];
    if (builtin === undefined) throw new Unreadable();
    this.#at++;
    return builtin;
  }

  #withArguments(name: string): string {
    return this.#text[this.#at] === "I" ? this.#remember(`${name}<${this.#templateArguments().join(", ")}>`) : name;
  }

  #substitution(): string {
    const found = this.#match(/S[0-9A-Z]*_/y);
    if (found === undefined) throw new Unreadable();
    const digits = found.slice(1, -1);
    const text = this.#seen[digits === "" ? 0 : Number.parseInt(digits, 36) + 1];
    if (text === undefined) throw new Unreadable();
    return text;
  }
}

/** @returns undefined for a symbol this does not understand */
export function demangleKernel(symbol: string): KernelSymbol | undefined {
  try {
    return new Reader(symbol).symbol();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
