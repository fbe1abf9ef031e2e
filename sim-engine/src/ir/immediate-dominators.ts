/**
 * Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", with paths compressed: in a kernel of many tests that
 * lead to one place, as a switch whose cases fall through, those that go up the tree for each edge go up all of it.
 */

/**
 * @param incoming the nodes with an edge to each
 * @returns of each node the nearest that all ways from the roots to it pass; -1 where there is none, as at roots and out of reach
 */
export function immediateDominators(roots: readonly number[], incoming: readonly (readonly number[])[]): Int32Array {
  const walk = depthFirst(roots, incoming);
  const { nodes, parent, number } = walk;
  const count = nodes.length;
  // All by numbers of the walk; 0 stands above the roots.
  const semi = Int32Array.from(nodes, (_, k) => k);
  const label = semi.slice();
  const ancestor = new Int32Array(count).fill(-1);
  const found = new Int32Array(count);
  const bucket = new Int32Array(count).fill(-1);
  const nextInBucket = new Int32Array(count).fill(-1);
  const path: number[] = [];
  const isRoot = new Set(roots);
  const at = (values: Int32Array, index: number): number => values[index] as number;
  /** The node with the least semidominator on the way up what is linked. */
  const evaluate = (start: number): number => {
    if (at(ancestor, start) < 0) return start;
    for (let each = start; at(ancestor, at(ancestor, each)) >= 0; each = at(ancestor, each)) path.push(each);
    for (let each = path.pop(); each !== undefined; each = path.pop()) {
      const above = at(ancestor, each);
      if (at(semi, at(label, above)) < at(semi, at(label, each))) label[each] = at(label, above);
      ancestor[each] = at(ancestor, above);
    }
    return at(label, start);
  };
  for (let node = count - 1; node > 0; node--) {
    const own = nodes[node] as number;
    // To a root there is a way past all others.
    let least = isRoot.has(own) ? 0 : at(parent, node);
    for (const from of incoming[own] ?? []) {
      const before = at(number, from);
      if (before > 0) least = Math.min(least, at(semi, evaluate(before)));
    }
    semi[node] = least;
    nextInBucket[node] = at(bucket, least);
    bucket[least] = node;
    const above = at(parent, node);
    ancestor[node] = above;
    for (let each = at(bucket, above); each >= 0; each = at(nextInBucket, each)) {
      const lowest = evaluate(each);
      found[each] = at(semi, lowest) < at(semi, each) ? lowest : above;
    }
    bucket[above] = -1;
  }
  const result = new Int32Array(incoming.length).fill(-1);
  for (let node = 1; node < count; node++) {
    if (at(found, node) !== at(semi, node)) found[node] = at(found, at(found, node));
    result[nodes[node] as number] = nodes[at(found, node)] as number;
  }
  return result;
}

interface Walk {
  /** The nodes as the walk comes to them; -1 above the roots. */
  readonly nodes: readonly number[];
  /** By number of the walk: where it came from. */
  readonly parent: Int32Array;
  /** By node: its number in the walk, from 1; 0 where it does not come. */
  readonly number: Int32Array;
}

function depthFirst(roots: readonly number[], incoming: readonly (readonly number[])[]): Walk {
  const outgoing: number[][] = incoming.map(() => []);
  for (const [to, all] of incoming.entries()) for (const from of all) outgoing[from]?.push(to);
  const nodes = [-1];
  const parent = new Int32Array(incoming.length + 1);
  const number = new Int32Array(incoming.length);
  const pending: (readonly [node: number, from: number])[] = roots.map((root) => [root, 0] as const);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, from] = next;
    if (number[node] !== 0) continue;
    const own = nodes.push(node) - 1;
    number[node] = own;
    parent[own] = from;
    for (const to of outgoing[node] ?? []) if (number[to] === 0) pending.push([to, own]);
  }
  return { nodes, parent, number };
}
