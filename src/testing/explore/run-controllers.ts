import { AsyncLocalStorage } from "node:async_hooks";
import { ADMIN } from "../../auth/admin.ts";
import { type ServedKind, apiVersionOf } from "../../client/index.ts";
import { garbageCollector } from "../../controllers/garbage/collector.ts";
import { attributesClassProtection, claimProtection, volumeProtection } from "../../controllers/storage/protection.ts";
import type { StoredObject } from "../../explore/contract/state.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { type Controller, type Manager, createManager } from "../../runtime/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { Inside } from "../test-cluster.ts";

const NAME = "keelson-run";

/** Controllers that run once there is an object of their kind. */
const PROTECTIONS: Readonly<Record<string, () => Controller>> = {
  PersistentVolumeClaim: () => claimProtection(kubernetes),
  PersistentVolume: () => volumeProtection(kubernetes),
  "VolumeAttributesClass.storage.k8s.io": () => attributesClassProtection(kubernetes),
};

/**
 * Built-in controllers of one run, as far as its objects need them: the garbage collector, and those that release volumes.
 *
 * The collector follows only the kinds whose objects have changed, and those of their owners. Of all other kinds nothing can be
 * collected, and to list and watch each of them would be most of the work of a run.
 */
export class RunControllers implements Disposable {
  readonly #manager: Manager;
  /** Objects are seen while a request stores them, which these controllers are no part of. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #seen = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #served: readonly ServedKind[] = [];
  /** Those that are served, by name. */
  #byName: ReadonlyMap<string, readonly ServedKind[]> = new Map();
  #followed: readonly ServedKind[] | undefined = [];

  constructor({ client, activity }: Inside, clock: Clock, seed: number) {
    const own = client(NAME, ADMIN);
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
    const options = { client: own.with({ local }), name: NAME, clock, seed, activity };
    this.#manager = createManager(options).add(garbageCollector);
    void this.#manager.start();
  }

  /** Follows the kind of an object from now on, and those of its owners. */
  see({ apiVersion, kind, metadata: { ownerReferences = [] } }: StoredObject): void {
    const before = this.#seen.size;
    const name = nameOf(apiVersion, kind);
    const protection = this.#seen.has(name) ? undefined : PROTECTIONS[name];
    if (protection) this.#outside(() => this.#manager.add(protection()));
    this.#seen.add(name);
    for (const owner of ownerReferences) this.#seen.add(nameOf(owner.apiVersion, owner.kind));
    if (this.#seen.size === before) return;
    this.#followed = undefined;
    this.#outside(() => this.#listeners.forEach((listener) => listener()));
  }

  [Symbol.dispose](): void {
    this.#manager.crash();
  }

  /** The same value as long as nothing changes. */
  #kinds(served: readonly ServedKind[]): readonly ServedKind[] {
    if (served !== this.#served) {
      this.#served = served;
      this.#byName = Map.groupBy(served, (one) => nameOf(apiVersionOf(one), one.kind));
      this.#followed = undefined;
    }
    return (this.#followed ??= [...this.#seen].flatMap((name) => this.#byName.get(name) ?? []));
  }
}

/** The name of a kind in any of its versions. */
function nameOf(apiVersion: string, kind: string): string {
  const at = apiVersion.indexOf("/");
  return at < 0 ? kind : `${kind}.${apiVersion.slice(0, at)}`;
}
