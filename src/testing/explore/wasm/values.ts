/**
 * The values of JavaScript to which a program of Go has references, by the numbers under which it knows them.
 *
 * @module
 */

/** A function of a program: it can be called while the program waits. */
export class GoFunction {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

/** The first ids are fixed: Go knows them without asking (`syscall/js`). */
const FIXED = { nan: 0, zero: 1, null: 2, true: 3, false: 4, global: 5, go: 6 };

/** The table of a program that was kept. */
export interface KeptValues {
  readonly values: readonly unknown[];
  readonly counts: readonly number[];
  readonly free: readonly number[];
}

/** The values of JavaScript that a program of Go refers to. */
export class Values {
  readonly #values: unknown[];
  readonly #counts: number[];
  readonly #free: number[];
  readonly #ids: Map<unknown, number>;

  private constructor({ values, counts, free }: KeptValues) {
    this.#values = [...values];
    this.#counts = [...counts];
    this.#free = [...free];
    this.#ids = new Map(this.#values.map((value, id) => [value, id]));
    // A number is never looked up but 0, and a free id holds nothing.
    this.#ids.delete(Number.NaN);
    this.#ids.set(null, FIXED.null);
  }

  /** Returns the table of a program that begins. */
  static of(global: object, go: object): Values {
    const values = [Number.NaN, 0, null, true, false, global, go];
    return new Values({ values, counts: values.map(() => Infinity), free: [] });
  }

  /** Returns the table of a copy; its host objects are those of the copy. */
  static from(kept: KeptValues, replace: (value: unknown) => unknown): Values {
    return new Values({ ...kept, values: kept.values.map(replace) });
  }

  keep(): KeptValues {
    return { values: [...this.#values], counts: [...this.#counts], free: [...this.#free] };
  }

  get(id: number): unknown {
    return this.#values[id];
  }

  /** Returns the id of a value, with one more reference to it. */
  add(value: unknown): number {
    const known = this.#ids.get(value);
    const id = known ?? this.#free.pop() ?? this.#values.length;
    if (known === undefined) {
      this.#values[id] = value;
      this.#counts[id] = 0;
      this.#ids.set(value, id);
    }
    this.#counts[id]!++;
    return id;
  }

  /** Removes one reference. */
  release(id: number): void {
    if (--this.#counts[id]! > 0) return;
    this.#ids.delete(this.#values[id]);
    this.#values[id] = null;
    this.#free.push(id);
  }
}
