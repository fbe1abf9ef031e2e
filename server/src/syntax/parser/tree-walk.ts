import type { Tree } from "web-tree-sitter";

/**
 * What the runtime's module offers beneath its classes. Cursors and nodes are handed over in one buffer of the module's memory; a tree
 * is told by its address.
 */
export interface Runtime {
  readonly HEAP32: Int32Array;
  /** The buffer's address. */
  _ts_init(): number;
  _ts_tree_root_node_wasm(tree: number): void;
  _ts_tree_cursor_new_wasm(tree: number): void;
  _ts_tree_cursor_delete_wasm(tree: number): void;
  _ts_tree_cursor_goto_first_child_wasm(tree: number): number;
  _ts_tree_cursor_goto_next_sibling_wasm(tree: number): number;
  _ts_tree_cursor_goto_parent_wasm(tree: number): number;
  _ts_tree_cursor_current_node_type_id_wasm(tree: number): number;
  _ts_tree_cursor_current_field_id_wasm(tree: number): number;
  _ts_tree_cursor_start_index_wasm(tree: number): number;
  _ts_tree_cursor_end_index_wasm(tree: number): number;
  _ts_tree_cursor_current_node_is_missing_wasm(tree: number): number;
  _ts_tree_cursor_current_node_wasm(tree: number): void;
  _ts_node_has_error_wasm(tree: number): number;
}

/** Words of the buffer that hold a cursor. */
const cursorWords = 4;

/**
 * A way through a tree, from its root. The runtime's own cursor writes itself into the buffer before each question and reads itself
 * back, which costs more than the question; this one stays there. So nothing else may be asked of the runtime until it is deleted.
 */
export class TreeWalk {
  readonly #runtime: Runtime;
  readonly #tree: number;
  readonly #buffer: number;
  readonly #typeId: Runtime["_ts_tree_cursor_current_node_type_id_wasm"];
  readonly #fieldId: Runtime["_ts_tree_cursor_current_field_id_wasm"];
  readonly #startIndex: Runtime["_ts_tree_cursor_start_index_wasm"];
  readonly #endIndex: Runtime["_ts_tree_cursor_end_index_wasm"];
  readonly #firstChild: Runtime["_ts_tree_cursor_goto_first_child_wasm"];
  readonly #nextSibling: Runtime["_ts_tree_cursor_goto_next_sibling_wasm"];
  readonly #parent: Runtime["_ts_tree_cursor_goto_parent_wasm"];

  constructor(runtime: Runtime, tree: Tree) {
    this.#runtime = runtime;
    // Every object of the runtime has its address there, which its types do not say.
    this.#tree = (tree as unknown as { readonly 0: number })[0];
    this.#buffer = runtime._ts_init() >> 2;
    this.#typeId = runtime._ts_tree_cursor_current_node_type_id_wasm;
    this.#fieldId = runtime._ts_tree_cursor_current_field_id_wasm;
    this.#startIndex = runtime._ts_tree_cursor_start_index_wasm;
    this.#endIndex = runtime._ts_tree_cursor_end_index_wasm;
    this.#firstChild = runtime._ts_tree_cursor_goto_first_child_wasm;
    this.#nextSibling = runtime._ts_tree_cursor_goto_next_sibling_wasm;
    this.#parent = runtime._ts_tree_cursor_goto_parent_wasm;
    runtime._ts_tree_root_node_wasm(this.#tree);
    runtime._ts_tree_cursor_new_wasm(this.#tree);
  }

  get nodeTypeId(): number {
    return this.#typeId(this.#tree);
  }

  get currentFieldId(): number {
    return this.#fieldId(this.#tree);
  }

  /** UTF-16 offsets of the node. */
  get startIndex(): number {
    return this.#startIndex(this.#tree);
  }

  get endIndex(): number {
    return this.#endIndex(this.#tree);
  }

  get nodeIsMissing(): boolean {
    return this.#runtime._ts_tree_cursor_current_node_is_missing_wasm(this.#tree) === 1;
  }

  /** The node is an error, or one is in it. */
  get hasError(): boolean {
    const here = this.#runtime.HEAP32.slice(this.#buffer, this.#buffer + cursorWords);
    this.#runtime._ts_tree_cursor_current_node_wasm(this.#tree);
    const hasError = this.#runtime._ts_node_has_error_wasm(this.#tree) === 1;
    this.#runtime.HEAP32.set(here, this.#buffer);
    return hasError;
  }

  gotoFirstChild(): boolean {
    return this.#firstChild(this.#tree) === 1;
  }

  gotoNextSibling(): boolean {
    return this.#nextSibling(this.#tree) === 1;
  }

  gotoParent(): boolean {
    return this.#parent(this.#tree) === 1;
  }

  /** Ends it, and frees what it held. */
  delete(): void {
    this.#runtime._ts_tree_cursor_delete_wasm(this.#tree);
  }
}
