/**
 * Which files may be read for a program, so that no text of a workspace makes another file's text show: all of the project, but what
 * is hidden in it; of the folders of headers that the project names, and of the system's, the headers alone. Links are followed, and
 * what they lead to must be such a file too.
 */
import { type FileText, NotRead } from "../syntax/file-text.ts";
import { directoryOf } from "../syntax/preprocess/paths.ts";
import type { FileHost } from "./settings.ts";

const outside = new NotRead(
  "it is outside of the project and of the folders of headers that the project names (`includeDirs` in warplens.json)",
);
const noHeader = new NotRead("it is outside of the project and not named as a header is");
const hidden = new NotRead("it is a hidden file");
const leadsOut = new NotRead("it is a link to a file outside of the project");

/** Names of headers and of sources, which some include. */
const headerName = /\.(?:h|hh|hpp|hxx|h\+\+|cuh|inl|inc|ipp|tpp|tcc|txx|impl|def|cu|c|cc|cpp|cxx|c\+\+|i|ii|cui|ptx)$/i;
/** Where systems and toolkits are installed. */
const system = /^(?:\/usr|\/opt|\/Library|\/Applications|[a-z]:\/Program Files[^/]*)\/(?:[^/]+\/)*include\//i;

/** The C++ library's headers have no ending. */
const isPlainHeader = (path: string): boolean => path.includes("/include/") && !path.includes(".", path.lastIndexOf("/"));

const isHeader = (path: string): boolean => headerName.test(path) || isPlainHeader(path);

interface Folders {
  /** Those whose files may be read. */
  readonly project: readonly string[];
  /** Those whose headers may be. */
  readonly named: readonly string[];
  /** One whose headers may be, but not what lies deeper. */
  readonly beside?: string;
}

/** Folders are absolute, `/` separated. */
export class Reach {
  readonly #folders: Folders;
  readonly #project: ReadonlySet<string>;
  readonly #named: ReadonlySet<string>;
  readonly #known = new Map<string, NotRead | undefined>();
  #real: Reach | undefined;

  constructor(folders: Folders) {
    this.#folders = folders;
    this.#project = new Set(folders.project);
    this.#named = new Set(folders.named);
  }

  /** Why a file may not be read, by its name alone; undefined where it may. */
  refusal(path: string): NotRead | undefined {
    if (!this.#known.has(path)) this.#known.set(path, this.#refusalOf(path));
    return this.#known.get(path);
  }

  #refusalOf(path: string): NotRead | undefined {
    const headerOnly = isHeader(path) ? undefined : noHeader;
    let refused = system.test(path) ? undefined : directoryOf(path) === this.#folders.beside ? headerOnly : outside;
    let isHidden = false;
    for (const [folder, below] of foldersAbove(path)) {
      isHidden ||= below.startsWith(".", below.lastIndexOf("/") + 1);
      if (this.#project.has(folder)) {
        if (!isHidden || !headerOnly) return undefined;
        refused = hidden;
      } else if (this.#named.has(folder) && refused === outside) refused = headerOnly;
    }
    return refused;
  }

  /** Whether a file is the project's own: what is found in it is shown. */
  isOfProject(path: string, host: FileHost): boolean {
    return this.#holds(path) && this.#realIn(host).#holds(host.realPath?.(path) ?? path);
  }

  #holds(path: string): boolean {
    return foldersAbove(path).some(([folder]) => this.#project.has(folder));
  }

  /** The files of a host that may be read. */
  within(host: FileHost): FileHost {
    return {
      ...host,
      read: (path): FileText => {
        const refused = this.refusal(path);
        if (refused === outside) return refused;
        // In a folder that is looked into, what is not there is no secret.
        const text = host.read(path);
        if (refused || typeof text !== "string") return text === undefined ? undefined : (refused ?? text);
        const real = host.realPath?.(path) ?? path;
        return real !== path && this.#realIn(host).refusal(real) ? leadsOut : text;
      },
    };
  }

  /** The same where the folders' own links are followed. */
  #realIn(host: FileHost): Reach {
    if (!host.realPath) return this;
    const follow = (folder: string): string => host.realPath?.(folder) ?? folder;
    const { project, named, beside } = this.#folders;
    this.#real ??= new Reach({
      project: project.map(follow),
      named: named.map(follow),
      ...(beside === undefined ? {} : { beside: follow(beside) }),
    });
    return this.#real;
  }
}

/** The folders a file stands in, the innermost first, each with what leads to the file in it. */
function foldersAbove(path: string): (readonly [folder: string, below: string])[] {
  const found: (readonly [string, string])[] = [];
  let below = path;
  for (let folder = directoryOf(path); folder !== below && folder !== "."; folder = directoryOf(folder)) {
    found.push([folder, below]);
    below = folder;
  }
  return found;
}

/**
 * What may be read for a file.
 * @param roots folders of the workspace
 * @param named folders of headers that the project names
 */
export function reachOf(path: string, roots: readonly string[], named: readonly string[], host: FileHost): Reach {
  const own = directoryOf(path);
  const repository = host.repository?.(path);
  const project = [own, ...roots, ...(repository === undefined ? [] : [repository])];
  if (repository !== undefined || roots.some((root) => own === root || own.startsWith(`${root}/`))) return new Reach({ project, named });
  // Of a file that belongs to nothing, headers may stand in the folder above.
  const above = directoryOf(own);
  const usual = ["inc", "include", "common"].map((name) => `${above}/${name}`);
  return new Reach({ project, named: [...named, ...usual], beside: above });
}

/** A file beside a project that says how it is built: a link leads to one of the same name, or stays in its folder. */
export function readBuildFile(path: string, host: FileHost): FileText {
  const text = host.read(path);
  const real = typeof text === "string" ? (host.realPath?.(path) ?? path) : path;
  if (real === path || nameOf(real) === nameOf(path)) return text;
  const folder = directoryOf(path);
  return real.startsWith(`${host.realPath?.(folder) ?? folder}/`) ? text : leadsOut;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
