/**
 * The actor that decided a member: that of its last change.
 * Decisions of built-in controllers and nodes, such as the node of a Pod, depend on the order in which events reach them. They need not be
 * the same in each run.
 *
 * @module
 */
import type { StoredObject } from "../contract/state.ts";
import type { Actor, ChangeEntry, Trace } from "../contract/trace.ts";
import { type Flat, flatten } from "./flat.ts";
import type { RunNames } from "./names.ts";

/** Finds who wrote the members of the objects of one run. */
export class Writers {
  readonly #trace: Trace;
  readonly #names: RunNames;
  #changes: ReadonlyMap<string, readonly ChangeEntry[]> | undefined;
  readonly #flats = new WeakMap<StoredObject, Flat>();

  constructor(trace: Trace, names: RunNames) {
    this.#trace = trace;
    this.#names = names;
  }

  /** The actor that gave a member its value, or removed it; undefined where no change of the run did. */
  of({ metadata: { uid, resourceVersion } }: StoredObject, path: string): Actor | undefined {
    this.#changes ??= this.#byUid();
    const changes = this.#changes.get(uid) ?? [];
    const revision = Number(resourceVersion);
    const change = changes.findLast((it) => it.revision <= revision && this.#changed(it, path));
    return change?.actor;
  }

  #byUid(): ReadonlyMap<string, readonly ChangeEntry[]> {
    const changes = this.#trace.filter((entry): entry is ChangeEntry => entry.type === "change");
    return Map.groupBy(changes, ({ uid }) => uid);
  }

  #changed({ change, before, after }: ChangeEntry, path: string): boolean {
    if (change === "deleted") return false;
    const now = this.#leaf(after, path);
    return before === undefined ? now !== undefined : this.#leaf(before, path) !== now;
  }

  #leaf(object: StoredObject, path: string): unknown {
    let flat = this.#flats.get(object);
    if (!flat) this.#flats.set(object, (flat = flatten(object, { names: this.#names, isStored: () => true })));
    return flat.get(path);
  }
}
