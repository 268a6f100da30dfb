/** An item of a heap. */
export interface HeapItem {
  /** The index in the heap, -1 outside of it; only the heap changes it. */
  heapIndex: number;
}

/** A binary heap, from which any item can be deleted in logarithmic time. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  /** @param before whether `a` comes before `b`; must not change while both are in the heap */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  /** The item before all others. */
  get first(): T | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** All items, in no particular order. */
  values(): Iterable<T> {
    return this.#items.values();
  }

  /** Adds an item that is in no heap. */
  add(item: T): void {
    this.#rise(item, this.#items.length);
  }

  /** Deletes an item; returns whether it was there. */
  delete(item: T): boolean {
    const { heapIndex } = item;
    if (heapIndex < 0) return false;
    item.heapIndex = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return true;
    if (this.#before(last, item)) this.#rise(last, heapIndex);
    else this.#sink(last, heapIndex);
    return true;
  }

  /** Puts `item` at `index` or closer to the top. */
  #rise(item: T, index: number): void {
    let at = index;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above]!;
      if (!this.#before(item, parent)) break;
      this.#put(parent, at);
      at = above;
    }
    this.#put(item, at);
  }

  /** Puts `item` at `index` or farther from the top. */
  #sink(item: T, index: number): void {
    let at = index;
    for (;;) {
      const left = 2 * at + 1;
      const right = this.#items[left + 1];
      let child = this.#items[left];
      if (child && right && this.#before(right, child)) child = right;
      if (!child || !this.#before(child, item)) break;
      const below = child.heapIndex;
      this.#put(child, at);
      at = below;
    }
    this.#put(item, at);
  }

  #put(item: T, at: number): void {
    this.#items[at] = item;
    item.heapIndex = at;
  }
}
