/**
 * Which quotas have to be counted again: those of a namespace whose objects have gone, or take something else than before.
 * Kinds are followed as long as a quota counts them; of most, metadata is enough.
 *
 * @module
 */
import { type ApiObject, type Key, type ServedKind, metadataOf, preferredKinds } from "../../client/index.ts";
import { ResourceQuota } from "../../client/kinds/index.ts";
import { sameAmounts } from "../../kinds/usage/amounts.ts";
import { countedBy, isAbout, isTakingMore, usageOf } from "../../kinds/usage/usage.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type Ground, type HeldInformer, type ObjectEvent, sharedInformer } from "../../runtime/index.ts";
import { nameOf } from "./count.ts";

/** The resources that a quota counts. */
const resourcesOf = ({ spec }: ResourceQuota, dialect: Dialect): ReadonlySet<string> =>
  new Set(Object.keys(spec.hard ?? {}).flatMap((name) => countedBy(name, dialect) ?? []));

/** Quotas, by resource and by namespace and resource. */
export const quotasOf = (dialect: Dialect) =>
  sharedInformer(ResourceQuota, {
    indexes: {
      resource: (quota: ResourceQuota) => [...resourcesOf(quota, dialect)],
      place: (quota: ResourceQuota) =>
        [...resourcesOf(quota, dialect)].map((resource) => placeOf(quota.metadata.namespace, resource)),
    },
  });

const placeOf = (namespace: string | undefined, resource: string): string => `${namespace ?? ""}/${resource}`;

interface Followed {
  readonly version: string;
  readonly informer: HeldInformer;
}

/** See the head of this file. */
export class Counted implements Disposable {
  readonly #ground: Ground;
  readonly #dialect: Dialect;
  readonly #add: (key: Key<"Namespaced">) => void;
  readonly #quotas: HeldInformer<ResourceQuota, "Namespaced", "resource" | "place">;
  readonly #followed = new Map<string, Followed>();
  readonly #held = new DisposableStack();
  #served: ReadonlyMap<string, ServedKind> = new Map();

  constructor(
    ground: Ground,
    quotas: ReturnType<typeof quotasOf>,
    dialect: Dialect,
    add: (key: Key<"Namespaced">) => void,
  ) {
    this.#ground = ground;
    this.#dialect = dialect;
    this.#add = add;
    this.#quotas = this.#held.use(ground.informer(quotas));
    this.#held.use(this.#quotas.on((event) => this.#follow(event)));
    this.#held.use(ground.kinds.on((kinds) => this.#serve(kinds)));
  }

  [Symbol.dispose](): void {
    for (const resource of this.#followed.keys()) this.#leave(resource);
    this.#held.dispose();
  }

  /** A quota comes, changes or goes: its resources are followed as long as some quota counts them. */
  #follow(event: ObjectEvent<ResourceQuota>): void {
    const [now, before] = [event.object, event.type === "changed" ? event.old : undefined];
    if (before && sameAmounts(now.spec.hard, before.spec.hard)) return;
    const concerned = new Set([
      ...resourcesOf(now, this.#dialect),
      ...(before ? resourcesOf(before, this.#dialect) : []),
    ]);
    for (const resource of concerned) this.#look(resource);
  }

  /** Kinds come and go: quotas that count new ones are counted. */
  #serve(kinds: readonly ServedKind[]): void {
    this.#served = new Map(preferredKinds(kinds).map((kind) => [nameOf(kind), kind]));
    for (const resource of new Set(this.#quotas.list().flatMap((quota) => [...resourcesOf(quota, this.#dialect)]))) {
      if (this.#look(resource)) for (const quota of this.#quotas.by("resource", resource)) this.#again(quota);
    }
    for (const resource of this.#followed.keys()) this.#look(resource);
  }

  /** Follows a resource, or does not any more; whether it is followed since now. */
  #look(resource: string): boolean {
    const kind = this.#served.get(resource);
    const isWanted =
      kind?.scope === "Namespaced" && kind.verbs.includes("watch") && this.#quotas.by("resource", resource).length > 0;
    const followed = this.#followed.get(resource);
    if (followed && (!isWanted || followed.version !== kind.version)) this.#leave(resource);
    if (!isWanted || this.#followed.has(resource)) return false;
    const informer = this.#ground.informer(
      sharedInformer(isTakingMore(resource, this.#dialect) ? kind : metadataOf(kind)),
    );
    this.#followed.set(resource, { version: kind.version, informer });
    informer.on((event) => this.#hear(event, resource));
    return true;
  }

  #leave(resource: string): void {
    this.#followed.get(resource)?.informer[Symbol.dispose]();
    this.#followed.delete(resource);
  }

  /** What is new was charged; what has gone, or takes something else, is counted again. */
  #hear(event: ObjectEvent<ApiObject>, resource: string): void {
    if (event.type === "added") return;
    const quotas = this.#quotas.by("place", placeOf(event.object.metadata.namespace, resource));
    if (quotas.length === 0) return;
    const isConcerned = event.type === "changed" ? this.#changeOf(event.object, event.old, resource) : () => true;
    for (const quota of quotas) if (isConcerned(quota)) this.#again(quota);
  }

  /** For which quotas a change of an object matters: it takes something else, or comes into their scopes or leaves them. */
  #changeOf(object: ApiObject, old: ApiObject, resource: string): (quota: ResourceQuota) => boolean {
    if (!isTakingMore(resource, this.#dialect)) return () => false;
    const usage = usageOf(resource, this.#dialect);
    const now = this.#ground.clock.now();
    if (!sameAmounts(usage.of(object, now), usage.of(old, now))) return () => true;
    return ({ spec }) => isAbout(spec, object, usage) !== isAbout(spec, old, usage);
  }

  #again({ metadata: { namespace = "", name } }: ResourceQuota): void {
    this.#add({ namespace, name });
  }
}
