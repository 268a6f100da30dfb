/**
 * The states of one run in their normal form.
 *
 * @module
 */
import type { RunRecord } from "../contract/laboratory.ts";
import type { State, StoredObject } from "../contract/state.ts";
import type { Ignored } from "./ignored.ts";
import { type Flat, flatten, type Leaf } from "./flat.ts";
import { type DrawnNames, type Identity, RunNames } from "./names.ts";

/** An object of the cluster or of a driver, in its normal form. */
export interface Item {
  readonly identity: Identity;
  readonly flat: Flat;
  /** The stored form; absent for an object of a driver. */
  readonly object?: StoredObject;
}

/** The items of a state by the key of their identity: several where names are generated. */
export interface StateView {
  readonly step: number;
  readonly items: ReadonlyMap<string, readonly Item[]>;
}

/** The lists without an order, by the key of an identity. */
export type Unordered = ReadonlyMap<string, ReadonlySet<string>>;

/** Forms are kept for each version of an object, with the uids that it mentions and whether they were stored. */
interface Kept {
  readonly item: Item;
  readonly mentions: readonly string[];
  readonly stored: readonly boolean[];
}

/** The states of a run. */
export class RunView {
  readonly record: RunRecord;
  readonly names: RunNames;
  readonly states: readonly StateView[];
  readonly #ignored: Ignored;
  readonly #unordered: Unordered;
  readonly #kept = new Map<string, Kept>();

  constructor(
    record: RunRecord,
    ignored: Ignored,
    { drawn = [], unordered = new Map() }: { drawn?: readonly DrawnNames[]; unordered?: Unordered } = {},
  ) {
    this.record = record;
    this.#ignored = ignored;
    this.#unordered = unordered;
    this.names = new RunNames(record, drawn);
    this.states = record.states.map(({ step, state }) => ({ step, items: this.#items(state) }));
  }

  #items(state: State): ReadonlyMap<string, readonly Item[]> {
    const stored = new Set(state.objects.map(({ metadata }) => metadata.uid));
    const items = new Map<string, Item[]>();
    const add = (item: Item): void => {
      const same = items.get(item.identity.key);
      if (same) same.push(item);
      else items.set(item.identity.key, [item]);
    };
    for (const object of state.objects) {
      const identity = this.names.identityOf(object);
      if (!this.#ignored.isObject(identity)) add(this.#item(identity, object, stored));
    }
    for (const { kind, id, name, data } of state.driver ?? []) {
      // An id without a name is drawn by the driver.
      const normal = name === undefined ? "*" : this.names.name(name);
      const identity = { group: "csi", kind, name: normal, key: `csi|${kind}||${normal}` };
      const flat: [string, Leaf][] = data === undefined ? [] : [[".data", data]];
      if (id !== "" && !this.#ignored.isObject(identity)) add({ identity, flat: new Map(flat) });
    }
    return items;
  }

  #item(identity: Identity, object: StoredObject, stored: ReadonlySet<string>): Item {
    const { uid, resourceVersion } = object.metadata;
    const version = `${uid}@${resourceVersion}`;
    const kept = this.#kept.get(version);
    if (kept && kept.mentions.every((it, i) => stored.has(it) === kept.stored[i])) return kept.item;
    const mentions: string[] = [];
    const isStored = (it: string): boolean => {
      mentions.push(it);
      return stored.has(it);
    };
    const unordered = this.#unordered.get(identity.key);
    const flat = flatten(object, { names: this.names, isStored, ...(unordered && { unordered }) });
    const item = { identity, object, flat: this.#ignored.withoutMembers(identity, flat) };
    this.#kept.set(version, { item, mentions, stored: mentions.map((it) => stored.has(it)) });
    return item;
  }

  /** The state in the end. */
  get last(): StateView | undefined {
    return this.states.at(-1);
  }
}
