/**
 * An ordered set as a copy-on-write B+tree: a clone takes constant time, and a change copies the shared nodes on its path.
 *
 * Inner nodes have the number of their items, so that the rank of a key takes logarithmic time; every page of a list needs it
 * (DEC-25 `remainingItemCount`). Keys are part of the items, which saves an array for each leaf.
 *
 * Each index has an edit mark, and each node the mark of the index that made it. Equal marks mean that no other index shares
 * the node, so that it may be changed. A clone gives both indexes new marks, so that all nodes become shared.
 *
 *     a = {1,2,3}      marks: a=M1, node=M1
 *     b = a.clone()    marks: a=M2, b=M3, node=M1     the node is read-only
 *     a.set(4)         a copies node with mark M2; b still sees {1,2,3}
 *
 * @module
 */
import { type Steps, atOnce } from "./steps.ts";

/** The bounds of the items of a node. */
const MAX_ITEMS = 32;
const MIN_ITEMS = 8;

/** Leaves that are built in one step. */
const NODES_A_STEP = 256;

/** An edit mark; only its identity counts. */
type Edit = object;

class Node<T> {
  readonly edit: Edit;
  /** The items of a leaf in order; in an inner node the lowest item of each child. */
  readonly items: T[];
  /** Undefined for a leaf. */
  readonly children: Node<T>[] | undefined;
  /** Items in the leaves below. */
  size: number;

  constructor(edit: Edit, items: T[], children: Node<T>[] | undefined, size: number) {
    this.edit = edit;
    this.items = items;
    this.children = children;
    this.size = size;
  }
}

const sizeOf = <T>(nodes: readonly Node<T>[]): number => nodes.reduce((sum, node) => sum + node.size, 0);

/** See the head of this file. Items are ordered by their part `P`; any value of that type can be searched for. */
export class OrderedIndex<P, T extends P> {
  readonly #compare: (a: P, b: P) => number;
  #edit: Edit = {};
  #root: Node<T>;
  /** The item that the current change replaced or removed. */
  #replaced: T | undefined;

  constructor(compare: (a: P, b: P) => number) {
    this.#compare = compare;
    this.#root = new Node<T>(this.#edit, [], undefined, 0);
  }

  /** Returns an index of distinct items that are in order; in linear time. */
  static build<P, T extends P>(compare: (a: P, b: P) => number, sorted: readonly T[]): OrderedIndex<P, T> {
    return atOnce(OrderedIndex.buildInSteps(compare, sorted));
  }

  /** Likewise, in steps that take less than a millisecond. */
  static *buildInSteps<P, T extends P>(
    compare: (a: P, b: P) => number,
    sorted: readonly T[],
  ): Steps<OrderedIndex<P, T>> {
    const index = new OrderedIndex<P, T>(compare);
    const edit = index.#edit;
    const fill = MAX_ITEMS - MIN_ITEMS;
    let level: Node<T>[] = [];
    for (const items of evenly(sorted, fill)) {
      level.push(new Node(edit, items, undefined, items.length));
      if (level.length % NODES_A_STEP === 0) yield;
    }
    while (level.length > 1) {
      level = Array.from(
        evenly(level, fill),
        (nodes) =>
          new Node(
            edit,
            nodes.map((n) => n.items[0]!),
            nodes,
            sizeOf(nodes),
          ),
      );
    }
    if (level[0]) index.#root = level[0];
    return index;
  }

  get size(): number {
    return this.#root.size;
  }

  /** Returns an independent copy in constant time. */
  clone(): OrderedIndex<P, T> {
    const copy = new OrderedIndex<P, T>(this.#compare);
    copy.#root = this.#root;
    this.#edit = {};
    return copy;
  }

  /** Returns the item that compares equal to `probe`. */
  get(probe: P): T | undefined {
    let node = this.#root;
    while (node.children) node = node.children[this.#childOf(node, probe)]!;
    const item = node.items[this.#lowerBound(node.items, probe)];
    return item !== undefined && this.#compare(item, probe) === 0 ? item : undefined;
  }

  /** Adds an item; returns the equal one that it replaces. */
  set(item: T): T | undefined {
    this.#replaced = undefined;
    const root = (this.#root = this.#own(this.#root));
    const right = this.#insert(root, item);
    if (right) {
      this.#root = new Node(this.#edit, [root.items[0]!, right.items[0]!], [root, right], root.size + right.size);
    }
    return this.#takeReplaced();
  }

  /** Deletes and returns the item that compares equal to `probe`. */
  delete(probe: P): T | undefined {
    if (this.get(probe) === undefined) return undefined;
    this.#root = this.#own(this.#root);
    this.#remove(this.#root, probe);
    while (this.#root.children?.length === 1) this.#root = this.#root.children[0]!;
    return this.#takeReplaced();
  }

  /** Returns the number of items before `probe`, in logarithmic time. */
  rank(probe: P): number {
    let node = this.#root;
    let before = 0;
    while (node.children) {
      const at = this.#childOf(node, probe);
      for (let i = 0; i < at; i++) before += node.children[i]!.size;
      node = node.children[at]!;
    }
    return before + this.#lowerBound(node.items, probe);
  }

  /** Visits the items from `probe` on (all when undefined) in order, until `visit` returns false. */
  scan(probe: P | undefined, visit: (item: T) => boolean): void {
    this.#scan(this.#root, probe, visit);
  }

  /** Visits the items from the one with `rank` items before it on, in order, until `visit` returns false; finds it in logarithmic time. */
  scanAt(rank: number, visit: (item: T) => boolean): void {
    this.#scanAt(this.#root, rank, visit);
  }

  #scanAt(node: Node<T>, rank: number, visit: (item: T) => boolean): boolean {
    const { items, children } = node;
    if (!children) {
      for (let i = rank; i < items.length; i++) if (!visit(items[i]!)) return false;
      return true;
    }
    let before = 0;
    for (const child of children) {
      const isReached = before + child.size > rank;
      if (isReached && !this.#scanAt(child, Math.max(0, rank - before), visit)) return false;
      before += child.size;
    }
    return true;
  }

  #scan(node: Node<T>, probe: P | undefined, visit: (item: T) => boolean): boolean {
    const { items, children } = node;
    if (!children) {
      for (let i = probe === undefined ? 0 : this.#lowerBound(items, probe); i < items.length; i++) {
        if (!visit(items[i]!)) return false;
      }
      return true;
    }
    const first = probe === undefined ? 0 : this.#childOf(node, probe);
    for (let i = first; i < children.length; i++) {
      if (!this.#scan(children[i]!, i === first ? probe : undefined, visit)) return false;
    }
    return true;
  }

  /** The index of the first item that is not before `probe`. */
  #lowerBound(items: readonly T[], probe: P): number {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(items[middle]!, probe) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The index of the child for `probe`: the last one whose lowest item is not after it. */
  #childOf(node: Node<T>, probe: P): number {
    const { items } = node;
    let low = 1;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(items[middle]!, probe) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The node itself where only this index has it, else a copy. */
  #own(node: Node<T>): Node<T> {
    if (node.edit === this.#edit) return node;
    return new Node(this.#edit, node.items.slice(), node.children?.slice(), node.size);
  }

  #ownChild(children: Node<T>[], at: number): Node<T> {
    return (children[at] = this.#own(children[at]!));
  }

  #takeReplaced(): T | undefined {
    const item = this.#replaced;
    this.#replaced = undefined;
    return item;
  }

  /** Adds an item below an own node; returns the right part where the node was split. */
  #insert(node: Node<T>, item: T): Node<T> | undefined {
    const { items, children } = node;
    let appended: boolean;
    if (children) {
      const at = this.#childOf(node, item);
      const child = this.#ownChild(children, at);
      const right = this.#insert(child, item);
      items[at] = child.items[0]!;
      if (this.#replaced === undefined) node.size++;
      if (!right) return undefined;
      items.splice(at + 1, 0, right.items[0]!);
      children.splice(at + 1, 0, right);
      appended = at + 2 === items.length;
    } else {
      const at = this.#lowerBound(items, item);
      const there = items[at];
      if (there !== undefined && this.#compare(there, item) === 0) {
        this.#replaced = there;
        items[at] = item;
        return undefined;
      }
      items.splice(at, 0, item);
      node.size++;
      appended = at + 1 === items.length;
    }
    return items.length > MAX_ITEMS ? this.#split(node, appended) : undefined;
  }

  /** Splits an own node and returns the right part. After an append the left part stays nearly full. */
  #split(node: Node<T>, appended: boolean): Node<T> {
    const at = appended ? MAX_ITEMS - MIN_ITEMS : MAX_ITEMS >>> 1;
    const items = node.items.splice(at);
    const children = node.children?.splice(at);
    const size = children ? sizeOf(children) : items.length;
    node.size -= size;
    return new Node(this.#edit, items, children, size);
  }

  /** Removes an existing item from an own node. */
  #remove(node: Node<T>, probe: P): void {
    const { items, children } = node;
    node.size--;
    if (!children) {
      this.#replaced = items.splice(this.#lowerBound(items, probe), 1)[0];
      return;
    }
    const at = this.#childOf(node, probe);
    const child = this.#ownChild(children, at);
    this.#remove(child, probe);
    if (child.items.length > 0) items[at] = child.items[0]!;
    if (child.items.length >= MIN_ITEMS || children.length === 1) return;
    this.#join(node, at > 0 ? at - 1 : at);
  }

  /** Merges the children at `at` and after it where they fit into one, else balances them. */
  #join(node: Node<T>, at: number): void {
    const { items } = node;
    const children = node.children!;
    const left = this.#ownChild(children, at);
    const right = this.#ownChild(children, at + 1);
    left.items.push(...right.items);
    left.children?.push(...right.children!);
    left.size += right.size;
    items[at] = left.items[0]!;
    if (left.items.length <= MAX_ITEMS) {
      items.splice(at + 1, 1);
      children.splice(at + 1, 1);
      return;
    }
    const half = left.items.length >>> 1;
    const moved = left.items.splice(half);
    const movedChildren = left.children?.splice(half);
    const size = movedChildren ? sizeOf(movedChildren) : moved.length;
    left.size -= size;
    children[at + 1] = new Node(this.#edit, moved, movedChildren, size);
    items[at + 1] = moved[0]!;
  }
}

/** Cuts a list into the fewest parts of at most `max` items, all of about the same length. */
function* evenly<T>(list: readonly T[], max: number): Generator<T[], void, undefined> {
  const parts = Math.ceil(list.length / max);
  for (let i = 0; i < parts; i++) {
    yield list.slice(Math.floor((i * list.length) / parts), Math.floor(((i + 1) * list.length) / parts));
  }
}
