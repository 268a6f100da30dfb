/**
 * For which Leases somebody stands: the candidates of all, and of each such Lease the Lease itself. Leases for which nobody
 * stands are not followed: those of nodes are written all the time.
 *
 * @module
 */
import { type Key, type Kind, keyText } from "../../client/index.ts";
import type { Lease, LeaseCandidate } from "../../client/kinds/index.ts";
import { type Ground, type HeldInformer, sharedInformer } from "../../runtime/index.ts";

/** The kinds of an election, as the server has them. */
export interface Kinds {
  readonly lease: Kind<Lease, "Namespaced">;
  readonly candidate: Kind<LeaseCandidate, "Namespaced">;
}

interface Followed {
  readonly informer: HeldInformer<Lease, "Namespaced">;
  readonly heard: DisposableStack;
}

/** See the head of this file; a key is namespace and name of a Lease. */
export class Contests implements Disposable {
  readonly #kinds: Kinds;
  readonly #ground: Ground;
  readonly #add: (key: string) => void;
  readonly #candidates: HeldInformer<LeaseCandidate, "Namespaced", "lease">;
  readonly #leases = new Map<string, Followed>();

  constructor(kinds: Kinds, ground: Ground, add: (key: string) => void) {
    this.#kinds = kinds;
    this.#ground = ground;
    this.#add = add;
    this.#candidates = ground.informer(sharedInformer(kinds.candidate, { indexes: { lease: leaseOf } }));
    this.#candidates.on((event) => {
      if (event.type === "changed") add(leaseOf(event.old));
      add(leaseOf(event.object));
    });
  }

  [Symbol.dispose](): void {
    this.#candidates[Symbol.dispose]();
    for (const key of this.#leases.keys()) this.leave(key);
  }

  /** Who stands for a Lease. */
  candidatesOf(key: string): readonly LeaseCandidate[] {
    return this.#candidates.by("lease", key);
  }

  /** The Lease, undefined where there is none; `unknown` before it was looked for, and then its key comes again. */
  follow(key: string): Lease | undefined | "unknown" {
    const { informer } = this.#leases.get(key) ?? this.#enter(key);
    return informer.reflector.hasSynced ? informer.get(placeOf(key)) : "unknown";
  }

  /** Nobody stands for a Lease any more. */
  leave(key: string): void {
    this.#leases.get(key)?.heard.dispose();
    this.#leases.delete(key);
  }

  #enter(key: string): Followed {
    const { namespace, name } = placeOf(key);
    const heard = new DisposableStack();
    const spec = sharedInformer(this.#kinds.lease, { namespace, fieldSelector: `metadata.name=${name}` });
    const informer = heard.use(this.#ground.informer(spec));
    heard.use(informer.on(() => this.#add(key)));
    const listed = heard.use(
      informer.reflector.onProgress(() => {
        if (!informer.reflector.hasSynced) return;
        listed[Symbol.dispose]();
        this.#add(key);
      }),
    );
    const followed = { informer, heard };
    this.#leases.set(key, followed);
    return followed;
  }
}

const leaseOf = ({ metadata: { namespace = "" }, spec }: LeaseCandidate): string =>
  keyText({ namespace, name: spec.leaseName });

/** The Lease of a key. */
export function placeOf(key: string): Key<"Namespaced"> {
  const at = key.indexOf("/");
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}
