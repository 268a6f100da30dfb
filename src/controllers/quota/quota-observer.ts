import { type ApiObject, type Key, type ServedKind, metadataOf, preferredKinds } from "../../client/index.ts";
import { ResourceQuota } from "../../client/kinds/index.ts";
import { sameAmounts } from "../../kinds/usage/amounts.ts";
import { countedBy, isAbout, isTakingMore, usageOf } from "../../kinds/usage/usage.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type SourceParts, type HeldInformer, type ObjectEvent, sharedInformer } from "../../runtime/index.ts";
import { nameOf } from "./count.ts";

const resourcesOf = ({ spec }: ResourceQuota, dialect: Dialect): ReadonlySet<string> =>
  new Set(Object.keys(spec.hard ?? {}).flatMap((name) => countedBy(name, dialect) ?? []));

/** The informer of quotas, indexed by resource, and by namespace and resource. */
export const quotasOf = (dialect: Dialect) =>
  sharedInformer(ResourceQuota, {
    indexes: {
      resource: (quota: ResourceQuota) => [...resourcesOf(quota, dialect)],
      namespaceResource: (quota: ResourceQuota) =>
        [...resourcesOf(quota, dialect)].map((resource) => namespaceResourceOf(quota.metadata.namespace, resource)),
    },
  });

const namespaceResourceOf = (namespace: string | undefined, resource: string): string =>
  `${namespace ?? ""}/${resource}`;

interface FollowedResource {
  readonly version: string;
  readonly informer: HeldInformer;
}

/**
 * Adds the quotas to count again: those of a namespace whose objects were deleted or use another amount. Kinds are
 * followed while a quota counts them, most by metadata only.
 */
export class QuotaObserver implements Disposable {
  readonly #parts: SourceParts;
  readonly #dialect: Dialect;
  readonly #add: (key: Key<"Namespaced">) => void;
  readonly #quotas: HeldInformer<ResourceQuota, "Namespaced", "resource" | "namespaceResource">;
  readonly #followed = new Map<string, FollowedResource>();
  readonly #subscriptions = new DisposableStack();
  #served: ReadonlyMap<string, ServedKind> = new Map();

  constructor(
    parts: SourceParts,
    quotas: ReturnType<typeof quotasOf>,
    dialect: Dialect,
    add: (key: Key<"Namespaced">) => void,
  ) {
    this.#parts = parts;
    this.#dialect = dialect;
    this.#add = add;
    this.#quotas = this.#subscriptions.use(parts.informer(quotas));
    this.#subscriptions.use(this.#quotas.on((event) => this.#quotaChanged(event)));
    this.#subscriptions.use(parts.kinds.on((kinds) => this.#kindsChanged(kinds)));
  }

  [Symbol.dispose](): void {
    for (const resource of this.#followed.keys()) this.#unfollow(resource);
    this.#subscriptions.dispose();
  }

  #quotaChanged(event: ObjectEvent<ResourceQuota>): void {
    const [now, before] = [event.object, event.type === "changed" ? event.old : undefined];
    if (before && sameAmounts(now.spec.hard, before.spec.hard)) return;
    const concerned = new Set([
      ...resourcesOf(now, this.#dialect),
      ...(before ? resourcesOf(before, this.#dialect) : []),
    ]);
    for (const resource of concerned) this.#updateFollowed(resource);
  }

  #kindsChanged(kinds: readonly ServedKind[]): void {
    this.#served = new Map(preferredKinds(kinds).map((kind) => [nameOf(kind), kind]));
    for (const resource of new Set(this.#quotas.list().flatMap((quota) => [...resourcesOf(quota, this.#dialect)]))) {
      if (this.#updateFollowed(resource))
        for (const quota of this.#quotas.by("resource", resource)) this.#recount(quota);
    }
    for (const resource of this.#followed.keys()) this.#updateFollowed(resource);
  }

  /** Starts or stops following a resource; returns whether it has started. */
  #updateFollowed(resource: string): boolean {
    const kind = this.#served.get(resource);
    const isWanted =
      kind?.scope === "Namespaced" && kind.verbs.includes("watch") && this.#quotas.by("resource", resource).length > 0;
    const followed = this.#followed.get(resource);
    if (followed && (!isWanted || followed.version !== kind.version)) this.#unfollow(resource);
    if (!isWanted || this.#followed.has(resource)) return false;
    const informer = this.#parts.informer(
      sharedInformer(isTakingMore(resource, this.#dialect) ? kind : metadataOf(kind)),
    );
    this.#followed.set(resource, { version: kind.version, informer });
    informer.on((event) => this.#objectChanged(event, resource));
    return true;
  }

  #unfollow(resource: string): void {
    this.#followed.get(resource)?.informer[Symbol.dispose]();
    this.#followed.delete(resource);
  }

  /** Recounts on updates and deletions; admission charged creations. */
  #objectChanged(event: ObjectEvent<ApiObject>, resource: string): void {
    if (event.type === "added") return;
    const quotas = this.#quotas.by("namespaceResource", namespaceResourceOf(event.object.metadata.namespace, resource));
    if (quotas.length === 0) return;
    const isConcerned = event.type === "changed" ? this.#affectedBy(event.object, event.old, resource) : () => true;
    for (const quota of quotas) if (isConcerned(quota)) this.#recount(quota);
  }

  /** Returns the quotas that an update affects: the amount or the scope match changes. */
  #affectedBy(object: ApiObject, old: ApiObject, resource: string): (quota: ResourceQuota) => boolean {
    if (!isTakingMore(resource, this.#dialect)) return () => false;
    const usage = usageOf(resource, this.#dialect);
    const now = this.#parts.clock.now();
    if (!sameAmounts(usage.of(object, now), usage.of(old, now))) return () => true;
    return ({ spec }) => isAbout(spec, object, usage) !== isAbout(spec, old, usage);
  }

  #recount({ metadata: { namespace = "", name } }: ResourceQuota): void {
    this.#add({ namespace, name });
  }
}
