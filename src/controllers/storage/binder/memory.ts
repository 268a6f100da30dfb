import { inDomain, keyText } from "../../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../client/kinds/index.ts";
import type { Dialect } from "../../../meta/dialect.ts";
import {
  type SourceParts,
  type Informer,
  type InformerSpec,
  type ObjectEvent,
  sharedInformer,
} from "../../../runtime/index.ts";
import { isDefaultClass } from "../../../meta/default-class.ts";
import { claimsOfPod } from "../../../claims/pod-claims.ts";
import type { ClaimSources } from "../../../claims/claim-decision.ts";
import { isAvailable, classOf, covers, fits, isWaiting, modesText, bucketOf } from "../../../claims/fit.ts";
import { defaultClassOf } from "../../../claims/provisioner.ts";
import { type Migration, migrationOf } from "../../../claims/plugin-migration.ts";
import { claimOfVolume } from "../../../claims/claim-ref.ts";
import { type BinderNames, YES, binderNames } from "../../../claims/annotations.ts";
import { recycledBy } from "./recycler-pod.ts";
import { RecyclerTracker } from "./recycler-tracker.ts";
import { AvailableVolumes } from "../../../claims/available-volumes.ts";

/** The informers of the binder. */
export interface BinderSpecs {
  readonly claims: InformerSpec<PersistentVolumeClaim, "Namespaced", "volume" | "class">;
  readonly volumes: InformerSpec<PersistentVolume, "Cluster", "claim">;
  readonly classes: InformerSpec<StorageClass, "Cluster", never>;
  readonly pods: InformerSpec<Pod, "Namespaced", "claim">;
  readonly names: BinderNames;
  readonly migration: Migration;
  readonly labelDomain: string;
}

/** Returns the informers in a dialect. */
export function binderSpecs(dialect: Dialect): BinderSpecs {
  const names = binderNames(dialect);
  return {
    names,
    migration: migrationOf(dialect),
    labelDomain: dialect.labelDomain,
    claims: sharedInformer(PersistentVolumeClaim, {
      indexes: {
        volume: (claim: PersistentVolumeClaim) => claim.spec.volumeName,
        class: (claim: PersistentVolumeClaim) => (isWaiting(claim, names) ? classOf(claim, names) : undefined),
      },
    }),
    volumes: sharedInformer(PersistentVolume, { indexes: { claim: claimOfVolume } }),
    classes: sharedInformer(inDomain(StorageClass, dialect.domain)),
    pods: sharedInformer(Pod, { indexes: { claim: (pod: Pod) => claimsOfPod(pod).map((key) => keyText(key)) } }),
  };
}

/**
 * The memory of the binder: available volumes, waiting claims, and which keys a change affects.
 *
 * Keys are `claim/NAMESPACE/NAME` and `volume/NAME`. An available volume is offered to one waiting claim that it fits,
 * and to the next when that one declines it; so a thousand waiting claims cost a thousand evaluations, not a million.
 */
export class BinderMemory implements ClaimSources, Disposable {
  readonly specs: BinderSpecs;
  readonly claims: Informer<PersistentVolumeClaim, "Namespaced", "volume" | "class">;
  readonly volumes: Informer<PersistentVolume, "Cluster", "claim">;
  readonly classes: Informer<StorageClass, "Cluster", never>;
  readonly pods: Informer<Pod, "Namespaced", "claim">;
  readonly recyclers: RecyclerTracker;
  readonly #buckets: AvailableVolumes;
  readonly #add: (key: string) => void;
  readonly #subscriptions = new DisposableStack();
  /** Waiting claims without an offer, by bucket and key, the oldest first. */
  readonly #waiting = new Map<string, Map<string, PersistentVolumeClaim>>();
  /** Volumes in memory whose claimRef has been written since. */
  readonly #bound = new WeakSet<PersistentVolume>();
  readonly #offers = new Map<string, Set<string>>();
  /** The claims that declined a volume in this version. */
  readonly #declined = new WeakMap<PersistentVolume, Set<string>>();

  constructor(specs: BinderSpecs, parts: SourceParts, add: (key: string) => void) {
    const { own } = parts;
    this.specs = specs;
    this.recyclers = this.#subscriptions.use(new RecyclerTracker(specs.names, parts));
    this.#buckets = new AvailableVolumes(specs.names);
    this.#add = add;
    this.claims = own(specs.claims);
    this.volumes = own(specs.volumes);
    this.classes = own(specs.classes);
    this.pods = own(specs.pods);
    this.#subscriptions.use(this.volumes.on((event) => this.#volumeChanged(event)));
    this.#subscriptions.use(this.claims.on((event) => this.#claimChanged(event)));
    this.#subscriptions.use(this.classes.on((event) => this.#classChanged(event)));
    this.#subscriptions.use(this.pods.on((event) => this.#podChanged(event)));
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  get names(): BinderNames {
    return this.specs.names;
  }

  get migration(): Migration {
    return this.specs.migration;
  }

  volume(name: string): PersistentVolume | undefined {
    return this.volumes.get({ name });
  }

  volumesNaming({ metadata }: PersistentVolumeClaim): readonly PersistentVolume[] {
    return this.volumes.by("claim", keyText(metadata));
  }

  /** Takes the best volume for a claim out of its bucket: other claims do not get it before {@link restore}. */
  best(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const best = this.#buckets.best(claim);
    if (best) this.#buckets.delete(best.metadata.name);
    return best;
  }

  storageClass(name: string): StorageClass | undefined {
    return this.classes.get({ name });
  }

  /** Marks a volume as bound until memory shows it. */
  markBound({ metadata: { name, resourceVersion } }: PersistentVolume): void {
    const known = this.volumes.get({ name });
    if (known?.metadata.resourceVersion === resourceVersion) this.#bound.add(known);
  }

  /** Makes a volume available again, where it still is. */
  restore(name: string): void {
    const volume = this.volumes.get({ name });
    if (volume && isAvailable(volume) && !this.#bound.has(volume)) this.#offer(volume);
    else this.#buckets.delete(name);
  }

  /** Ends the offers of a claim: declined volumes are offered to the next one. */
  claimDone(claim: string): void {
    const offered = this.#offers.get(claim);
    if (!offered) return;
    this.#offers.delete(claim);
    const [namespace = "", own = ""] = claim.split("/");
    const found = this.claims.get({ namespace, name: own });
    if (found) this.#addWaiting(found);
    for (const name of offered) {
      const volume = this.volumes.get({ name });
      if (volume) this.#declined.set(volume, (this.#declined.get(volume) ?? new Set()).add(claim));
      this.restore(name);
    }
  }

  defaultClass(): string | undefined {
    return defaultClassOf(this.classes.list(), this.specs.labelDomain)?.metadata.name;
  }

  #offer(volume: PersistentVolume): void {
    this.#buckets.set(volume);
    const claim = this.#waitingClaim(volume);
    if (!claim) return;
    const key = keyText(claim.metadata);
    const offered = this.#offers.get(key) ?? new Set();
    this.#offers.set(key, offered.add(volume.metadata.name));
    this.#removeWaiting(claim);
    this.#add(`claim/${key}`);
  }

  /** Returns a waiting claim without an offer that a volume fits. */
  #waitingClaim(volume: PersistentVolume): PersistentVolumeClaim | undefined {
    const { names } = this.specs;
    // A claim that waits for a Pod takes no volume (CTL-MODE-2).
    const { volumeBindingMode } = this.classes.get({ name: classOf(volume, names) }) ?? {};
    if (volumeBindingMode === "WaitForFirstConsumer") return undefined;
    const waiting = this.#waiting.get(bucketOf(volume, names));
    if (!waiting) return undefined;
    const modes = modesText(volume);
    const declined = this.#declined.get(volume);
    for (const [key, claim] of waiting) {
      if (!declined?.has(key) && covers(modes, claim) && fits(volume, claim)) return claim;
    }
    return undefined;
  }

  /** Adds a claim to the waiting ones, unless it has an offer or needs none. */
  #addWaiting(claim: PersistentVolumeClaim): void {
    const { names } = this.specs;
    const key = keyText(claim.metadata);
    if (this.#offers.has(key) || !isWaiting(claim, names)) return;
    const bucket = bucketOf(claim, names);
    const queue = this.#waiting.get(bucket);
    if (queue) queue.set(key, claim);
    else this.#waiting.set(bucket, new Map([[key, claim]]));
  }

  #removeWaiting(claim: PersistentVolumeClaim): void {
    const bucket = bucketOf(claim, this.specs.names);
    const queue = this.#waiting.get(bucket);
    queue?.delete(keyText(claim.metadata));
    if (queue?.size === 0) this.#waiting.delete(bucket);
  }

  #volumeChanged(event: ObjectEvent<PersistentVolume>): void {
    const { object } = event;
    const { name } = object.metadata;
    if (event.type === "deleted") this.recyclers.forget(name);
    if (event.type === "deleted" || !isAvailable(object)) this.#buckets.delete(name);
    else this.#offer(object);
    this.#add(`volume/${name}`);
    const claims = new Set(this.claims.by("volume", name).map(({ metadata }) => keyText(metadata)));
    for (const volume of event.type === "changed" ? [object, event.old] : [object]) {
      const claim = claimOfVolume(volume);
      if (claim) claims.add(claim);
    }
    for (const claim of claims) this.#add(`claim/${claim}`);
  }

  #claimChanged(event: ObjectEvent<PersistentVolumeClaim>): void {
    const { object } = event;
    const key = keyText(object.metadata);
    this.#removeWaiting(event.type === "changed" ? event.old : object);
    if (event.type !== "deleted") this.#addWaiting(object);
    this.#add(`claim/${key}`);
    for (const { metadata } of this.volumes.by("claim", key)) this.#add(`volume/${metadata.name}`);
    if (object.spec.volumeName) this.#add(`volume/${object.spec.volumeName}`);
  }

  #classChanged({ object }: ObjectEvent<StorageClass>): void {
    const names = [object.metadata.name, ...(isDefaultClass(object, this.specs.labelDomain) ? [""] : [])];
    for (const name of names) {
      for (const claim of this.claims.by("class", name)) this.#add(`claim/${keyText(claim.metadata)}`);
    }
  }

  #podChanged(event: ObjectEvent<Pod>): void {
    const { object } = event;
    const volume = recycledBy(object);
    if (volume !== undefined) {
      const onEvent = (): void => this.#add(`volume/${volume}`);
      this.recyclers.changed(this.volume(volume), event, onEvent);
      onEvent();
    }
    for (const key of claimsOfPod(object)) {
      const claim = this.claims.get(key);
      // A Pod that uses the volume of a deleted claim delays recycling.
      if (!claim)
        for (const { metadata } of this.volumes.by("claim", keyText(key))) this.#add(`volume/${metadata.name}`);
      else if (claim.metadata.annotations?.[this.specs.names.bindCompleted] !== YES) {
        this.#add(`claim/${keyText(key)}`);
      }
    }
  }
}
