import { type Kind, keyText, parseKey } from "../../client/index.ts";
import type { Lease, LeaseCandidate } from "../../client/kinds/index.ts";
import { type SourceParts, type HeldInformer, sharedInformer } from "../../runtime/index.ts";

/** The kinds of an election in the dialect. */
export interface ElectionKinds {
  readonly lease: Kind<Lease, "Namespaced">;
  readonly candidate: Kind<LeaseCandidate, "Namespaced">;
}

interface FollowedLease {
  readonly informer: HeldInformer<Lease, "Namespaced">;
  readonly subscriptions: DisposableStack;
}

/**
 * Follows all candidates, and each Lease that has one. Other Leases are not followed: those of nodes change all the
 * time. A key is the namespace and name of a Lease.
 */
export class Elections implements Disposable {
  readonly #kinds: ElectionKinds;
  readonly #parts: SourceParts;
  readonly #add: (key: string) => void;
  readonly #candidates: HeldInformer<LeaseCandidate, "Namespaced", "lease">;
  readonly #leases = new Map<string, FollowedLease>();

  constructor(kinds: ElectionKinds, parts: SourceParts, add: (key: string) => void) {
    this.#kinds = kinds;
    this.#parts = parts;
    this.#add = add;
    this.#candidates = parts.informer(sharedInformer(kinds.candidate, { indexes: { lease: leaseKeyOf } }));
    this.#candidates.on((event) => {
      if (event.type === "changed") add(leaseKeyOf(event.old));
      add(leaseKeyOf(event.object));
    });
  }

  [Symbol.dispose](): void {
    this.#candidates[Symbol.dispose]();
    for (const key of this.#leases.keys()) this.unfollow(key);
  }

  /** Returns the candidates of a Lease. */
  candidatesOf(key: string): readonly LeaseCandidate[] {
    return this.#candidates.by("lease", key);
  }

  /** Returns the Lease; `unknown` before its first list, after which its key is added again. */
  leaseOf(key: string): Lease | undefined | "unknown" {
    const { informer } = this.#leases.get(key) ?? this.#follow(key);
    return informer.reflector.hasSynced ? informer.get(parseKey(key)) : "unknown";
  }

  /** Stops following a Lease without candidates. */
  unfollow(key: string): void {
    this.#leases.get(key)?.subscriptions.dispose();
    this.#leases.delete(key);
  }

  #follow(key: string): FollowedLease {
    const { namespace, name } = parseKey(key);
    const subscriptions = new DisposableStack();
    const spec = sharedInformer(this.#kinds.lease, { namespace, fieldSelector: `metadata.name=${name}` });
    const informer = subscriptions.use(this.#parts.informer(spec));
    subscriptions.use(informer.on(() => this.#add(key)));
    const listed = subscriptions.use(
      informer.reflector.onProgress(() => {
        if (!informer.reflector.hasSynced) return;
        listed[Symbol.dispose]();
        this.#add(key);
      }),
    );
    const followed = { informer, subscriptions };
    this.#leases.set(key, followed);
    return followed;
  }
}

const leaseKeyOf = ({ metadata: { namespace = "" }, spec }: LeaseCandidate): string =>
  keyText({ namespace, name: spec.leaseName });
