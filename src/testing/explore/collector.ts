import { ADMIN } from "../../auth/admin.ts";
import { type ServedKind, apiVersionOf } from "../../client/index.ts";
import { garbageCollector } from "../../controllers/garbage/collector.ts";
import type { StoredObject } from "../../explore/contract/state.ts";
import { type Manager, createManager } from "../../runtime/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { Inside } from "../test-cluster.ts";

/**
 * The garbage collector of one run: it follows only the kinds whose objects have changed, and those of their owners. Of all other
 * kinds nothing can be collected, and to list and watch each of them would be most of the work of a run.
 */
export class RunCollector implements Disposable {
  readonly #manager: Manager;
  readonly #seen = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #served: readonly ServedKind[] = [];
  #followed: readonly ServedKind[] = [];

  constructor({ client, activity }: Inside, clock: Clock, seed: number) {
    const own = client("keelson-garbage-collector", ADMIN);
    const all = own.local!.kinds!;
    const local = {
      kinds: () => this.#kinds(all()),
      onKindsChange: (listener: () => void) => {
        const inner = own.local!.onKindsChange(listener);
        this.#listeners.add(listener);
        return {
          [Symbol.dispose]: () => {
            this.#listeners.delete(listener);
            inner[Symbol.dispose]();
          },
        };
      },
    };
    const options = { client: own.with({ local }), name: "keelson-garbage-collector", clock, seed, activity };
    this.#manager = createManager(options).add(garbageCollector);
    void this.#manager.start();
  }

  /** Follows the kind of an object from now on, and those of its owners. */
  see({ apiVersion, kind, metadata: { ownerReferences = [] } }: StoredObject): void {
    const before = this.#seen.size;
    this.#seen.add(nameOf(apiVersion, kind));
    for (const owner of ownerReferences) this.#seen.add(nameOf(owner.apiVersion, owner.kind));
    if (this.#seen.size === before) return;
    this.#served = [];
    for (const listener of this.#listeners) listener();
  }

  [Symbol.dispose](): void {
    this.#manager.crash();
  }

  /** The same value as long as nothing changes. */
  #kinds(served: readonly ServedKind[]): readonly ServedKind[] {
    if (served === this.#served) return this.#followed;
    this.#served = served;
    this.#followed = served.filter((one) => this.#seen.has(nameOf(apiVersionOf(one), one.kind)));
    return this.#followed;
  }
}

/** The name of a kind in any of its versions. */
function nameOf(apiVersion: string, kind: string): string {
  const at = apiVersion.indexOf("/");
  return at < 0 ? kind : `${kind}.${apiVersion.slice(0, at)}`;
}
