/**
 * An ordered set as a B+tree that is cheap to copy: a clone takes constant time, and a change to one of the two copies
 * the nodes on its path, once.
 *
 * Inner nodes count, so that how many items come before a key is known in logarithmic time; every page of a list asks
 * for that (DEC-25 `remainingItemCount`). Keys are part of the items, which saves an array for each leaf.
 *
 * Who may write to a node: each index has an edit mark, each node the mark under which it was made. Equal marks mean
 * that no other index can see the node. A clone gives both indexes new marks, so that all nodes become shared.
 *
 *     a = {1,2,3}      marks: a=M1, node=M1
 *     b = a.clone()    marks: a=M2, b=M3, node=M1     nobody may write to node
 *     a.set(4)         a copies node with mark M2; b still sees {1,2,3}
 *
 * @module
 */

const MOST = 32;
const FEWEST = 8;

/** What nodes are marked with; only its identity counts. */
type Edit = object;

class Node<T> {
  readonly edit: Edit;
  /** Of a leaf its items in order; of an inner node the lowest item of each child. */
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

/** See the head of this file. Items are ordered by what `P` has of them; anything of that shape can be looked for. */
export class OrderedIndex<P, T extends P> {
  readonly #compare: (a: P, b: P) => number;
  #edit: Edit = {};
  #root: Node<T>;
  /** What the change under way replaced or removed. */
  #replaced: T | undefined;

  constructor(compare: (a: P, b: P) => number) {
    this.#compare = compare;
    this.#root = new Node<T>(this.#edit, [], undefined, 0);
  }

  /** An index of items that are in order already and differ from each other; in linear time. */
  static build<P, T extends P>(compare: (a: P, b: P) => number, sorted: readonly T[]): OrderedIndex<P, T> {
    const index = new OrderedIndex<P, T>(compare);
    const edit = index.#edit;
    const fill = MOST - FEWEST;
    let level: Node<T>[] = [];
    for (const items of evenly(sorted, fill)) level.push(new Node(edit, items, undefined, items.length));
    while (level.length > 1) {
      level = evenly(level, fill).map(
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

  /** A copy in constant time; both may be changed without the other noticing. */
  clone(): OrderedIndex<P, T> {
    const copy = new OrderedIndex<P, T>(this.#compare);
    copy.#root = this.#root;
    this.#edit = {};
    return copy;
  }

  /** The item that compares equal to `probe`. */
  get(probe: P): T | undefined {
    let node = this.#root;
    while (node.children) node = node.children[this.#childOf(node, probe)]!;
    const item = node.items[this.#lowerBound(node.items, probe)];
    return item !== undefined && this.#compare(item, probe) === 0 ? item : undefined;
  }

  /** Puts an item in, in place of the one that compares equal; that one is returned. */
  set(item: T): T | undefined {
    this.#replaced = undefined;
    const root = (this.#root = this.#own(this.#root));
    const right = this.#insert(root, item);
    if (right) {
      this.#root = new Node(this.#edit, [root.items[0]!, right.items[0]!], [root, right], root.size + right.size);
    }
    return this.#taken();
  }

  /** Takes out the item that compares equal to `probe` and returns it. */
  delete(probe: P): T | undefined {
    if (this.get(probe) === undefined) return undefined;
    this.#root = this.#own(this.#root);
    this.#remove(this.#root, probe);
    while (this.#root.children?.length === 1) this.#root = this.#root.children[0]!;
    return this.#taken();
  }

  /** How many items come before `probe`, in logarithmic time. */
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

  /** Index of the first item that is not before `probe`. */
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

  /** Index of the child in which `probe` is or would be: the last one whose lowest item is not after it. */
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

  /** The node itself when only this index sees it, else a copy of which that is true. */
  #own(node: Node<T>): Node<T> {
    if (node.edit === this.#edit) return node;
    return new Node(this.#edit, node.items.slice(), node.children?.slice(), node.size);
  }

  #ownChild(children: Node<T>[], at: number): Node<T> {
    return (children[at] = this.#own(children[at]!));
  }

  #taken(): T | undefined {
    const item = this.#replaced;
    this.#replaced = undefined;
    return item;
  }

  /** Puts an item below an own node; returns the right half when the node had to be split. */
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
    return items.length > MOST ? this.#split(node, appended) : undefined;
  }

  /** Cuts an own node in two and returns the right part. Keys that only grow leave full nodes behind, not halves. */
  #split(node: Node<T>, appended: boolean): Node<T> {
    const at = appended ? MOST - FEWEST : MOST >>> 1;
    const items = node.items.splice(at);
    const children = node.children?.splice(at);
    const size = children ? sizeOf(children) : items.length;
    node.size -= size;
    return new Node(this.#edit, items, children, size);
  }

  /** Takes an item that is there out of an own node. */
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
    if (child.items.length >= FEWEST || children.length === 1) return;
    this.#join(node, at > 0 ? at - 1 : at);
  }

  /** Makes one of the children at `at` and after it when they fit, else gives both half of what they have. */
  #join(node: Node<T>, at: number): void {
    const { items } = node;
    const children = node.children!;
    const left = this.#ownChild(children, at);
    const right = this.#ownChild(children, at + 1);
    left.items.push(...right.items);
    left.children?.push(...right.children!);
    left.size += right.size;
    items[at] = left.items[0]!;
    if (left.items.length <= MOST) {
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

/** Cuts a list into the fewest parts of at most `most`, none much shorter than the others. */
function evenly<T>(list: readonly T[], most: number): T[][] {
  const parts = Math.ceil(list.length / most);
  return Array.from({ length: parts }, (_, i) =>
    list.slice(Math.floor((i * list.length) / parts), Math.floor(((i + 1) * list.length) / parts)),
  );
}
