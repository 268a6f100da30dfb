import type { PathElement } from "./element.ts";
import { EMPTY, isEmpty, SELF } from "./set.ts";
import type { FieldSet, MutableSet } from "./set.ts";

/**
 * Builds a set from paths in the order of a walk.
 *
 * The builder keeps the nodes on the way to the last path, so inserting a neighbour costs the steps that differ. An empty
 * set costs nothing.
 */
export class SetBuilder {
  #root: MutableSet | undefined;
  readonly #elements: PathElement[] = [];
  readonly #nodes: MutableSet[] = [];

  /**
   * Adds the first `length` elements of `path`; the empty path is ignored. If nothing of the path is in the set yet,
   * `node` becomes its node.
   */
  insert(path: readonly PathElement[], length: number, node: FieldSet = EMPTY): void {
    if (length === 0) return;
    const parent = this.#descend(path, length - 1);
    const last = path[length - 1]!;
    const present = parent[last];
    if (present === undefined) parent[last] = node;
    else if (!isEmpty(present)) (present as MutableSet)[SELF] = EMPTY;
  }

  #descend(path: readonly PathElement[], depth: number): MutableSet {
    const elements = this.#elements;
    const nodes = this.#nodes;
    let at = 0;
    while (at < depth && at < elements.length && elements[at] === path[at]) at++;
    let node = at === 0 ? (this.#root ??= {}) : nodes[at - 1]!;
    elements.length = at;
    for (; at < depth; at++) {
      const element = path[at]!;
      const present = node[element];
      // An empty node is a leaf, which may be shared: what is below it needs a node of its own.
      const next: MutableSet =
        present === undefined ? {} : isEmpty(present) ? { [SELF]: EMPTY } : (present as MutableSet);
      node[element] = next;
      nodes[at] = next;
      elements[at] = element;
      node = next;
    }
    return node;
  }

  /** The set so far; the builder must not be used afterwards. */
  build(): FieldSet {
    return this.#root ?? EMPTY;
  }
}
