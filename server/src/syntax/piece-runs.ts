/** Runs of the parser over a text, of which only what is not known yet is copied. */
import type { Node } from "./ast.ts";
import { PieceText } from "./convert/piece-text.ts";
import { declaredTypes } from "./convert/type-names.ts";
import { Item, ownCopy } from "./item.ts";
import type { CstNode, Piece } from "./parser/cst.ts";
import type { Entered, Parser, Repair } from "./parser/parser.ts";
import type { PlacedItem } from "./placed-reading.ts";
import type { Preprocessed } from "./reading.ts";
import { type Angles, anglesOf } from "./reread.ts";

/** A piece of the text: an item that is known, or what is to become one. */
export interface Entry extends Pick<Entered, "type" | "clean" | "container"> {
  readonly piece: Piece;
  /** What of its text is no part of it: see `straysIn`. */
  readonly strays: string;
  readonly known: Item | undefined;
  /** Absent for what is known. */
  readonly node: CstNode | undefined;
  /** Names it declares as types. */
  readonly types: readonly string[];
  readonly angles: Angles;
}

export interface Run {
  /** As it was parsed. */
  readonly text: string;
  readonly root: CstNode;
  readonly errors: readonly Node[];
  readonly isFresh: boolean;
  /** In the order of the text, what holds others before what it holds. */
  readonly entries: readonly Entry[];
}

export class PieceRuns {
  readonly #parser: Parser;
  readonly #preprocessed: Preprocessed;
  readonly #key: string | undefined;
  readonly #cancelled: (() => boolean) | undefined;
  /** By where their text starts. */
  readonly #unchanged: Map<number, PlacedItem>;
  /** In a first version nodes count as the text does. */
  readonly #first: boolean;
  /** No node has an offset from here on. */
  free: number;

  /** @param key by which the parser keeps its trees */
  constructor(
    parser: Parser,
    preprocessed: Preprocessed,
    key: string | undefined,
    free: number | undefined,
    unchanged: readonly PlacedItem[],
    cancelled: (() => boolean) | undefined,
  ) {
    this.#parser = parser;
    this.#preprocessed = preprocessed;
    this.#key = key;
    this.#cancelled = cancelled;
    this.#first = free === undefined;
    this.free = free ?? preprocessed.text.length + 1;
    this.#unchanged = new Map(unchanged.filter(({ item }) => item.clean).map((placed) => [placed.from, placed]));
  }

  /** Items that are to be copied all the same. Whether there are any. */
  forget(items: readonly Item[]): boolean {
    const stale = new Set(items);
    for (const [from, { item }] of this.#unchanged) if (stale.has(item)) this.#unchanged.delete(from);
    return stale.size > 0;
  }

  /**
   * Undefined when cancelled.
   * @param earlier a run over a text that differs in few places: what parsed without an error there, and reads as it did, is taken over
   */
  run(text: string, repairs: readonly Repair[], earlier?: Run): Run | undefined {
    const entered: { readonly what: Entered; readonly piece: Piece; readonly known: Item | Entry | undefined }[] = [];
    const copied = earlier && copiedIn(earlier);
    const key = this.#key;
    const parsed = this.#parser.parse(text, {
      ...(key !== undefined && { key }),
      ...(this.#cancelled && { cancelled: this.#cancelled }),
      repairs,
      enter: (what) => {
        const known = this.#known(what) ?? copied?.(what, text);
        const shift = known instanceof Item ? 0 : (known?.piece.shift ?? this.#shift(what));
        const piece = { from: what.from, to: what.to, shift, known: known !== undefined };
        entered.push({ what, piece, known });
        return piece;
      },
    });
    if (!parsed) return undefined;
    const nodes = nodesByPiece(parsed.root);
    return { ...parsed, entries: entered.map(({ what, piece, known }) => this.#entry(what, piece, known, nodes.get(piece))) };
  }

  #known(entered: Entered): Item | undefined {
    const { type, from, to, clean, container } = entered;
    const found = this.#unchanged.get(from);
    if (!found || container || !clean || found.to !== to || found.item.type !== type) return undefined;
    return found.item.shape === straysIn(this.#preprocessed.text, entered) ? found.item : undefined;
  }

  /** Room for the nodes of a new item. */
  #shift({ from, to }: Entered): number {
    if (this.#first) return 0;
    const base = this.free;
    this.free += to - from + 1;
    return base - from;
  }

  #entry(entered: Entered, piece: Piece, known: Item | Entry | undefined, node: CstNode | undefined): Entry {
    const { type, clean, container } = entered;
    const { from, to, shift } = piece;
    if (known && !(known instanceof Item)) return { ...known, piece };
    if (known || !node) {
      const angles = { doubtful: [], templates: known?.templates ?? [] };
      return { type, clean, container, piece, strays: known?.shape ?? "", known, node: undefined, types: known?.types ?? [], angles };
    }
    const strays = straysIn(this.#preprocessed.text, entered);
    const text = new PieceText(this.#preprocessed.text.slice(from, to), from + shift);
    const angles = container ? { doubtful: [], templates: [] } : anglesOf(node, text);
    const types = container ? [] : declaredTypes(node, text).map(ownCopy);
    return { type, clean, container, piece, strays, known, node, types, angles: { ...angles, templates: angles.templates.map(ownCopy) } };
  }
}

/**
 * How many characters, blanks not counted, stand in the text of a declaration before it and behind it: where something beside it is broken
 * the parser may leave out a word between the two. Empty where there are none.
 */
function straysIn(text: string, { from, start, end, to }: Entered): string {
  const [before, behind] = [text.slice(from, start).trim(), text.slice(end, to).trim()];
  return before === "" && behind === "" ? "" : [before, behind].map((stray) => stray.replace(/\s/g, "").length).join("-");
}

/** What a run copied, by what it is in another one over a text as long. */
function copiedIn({ text: before, entries }: Run): (what: Entered, text: string) => Entry | undefined {
  const byStart = new Map(entries.flatMap((entry) => (entry.node && entry.clean && !entry.container ? [[entry.piece.from, entry]] : [])));
  return ({ type, from, to, clean, container }, text) => {
    const found = byStart.get(from);
    const isSame = found && clean && !container && found.piece.to === to && found.type === type;
    return isSame && before.slice(from, to) === text.slice(from, to) ? found : undefined;
  };
}

function nodesByPiece(root: CstNode): Map<Piece, CstNode> {
  const nodes = new Map<Piece, CstNode>();
  const pending: CstNode[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    for (const each of node.children) {
      if (each.piece) nodes.set(each.piece, each);
      // Pieces stand in containers only, and those in pieces or in what a container's own nodes are.
      if (each.piece || each.type === "declaration_list") pending.push(each);
    }
  }
  return nodes;
}
