/**
 * The provisioner: makes volumes for claims of its driver's classes (CTL-OUT-1, CTL-OUT-2, CTL-PROV-3, CTL-PROV-10, CTL-PROV-11).
 *
 * Before its driver is asked, a claim gets a finalizer; it goes when the volume is stored, or when it is sure that there is none. So a
 * claim that is deleted meanwhile leaves nothing behind, whoever is killed at whatever moment.
 *
 * @module
 */
import { type Key, keyOf, keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type StorageClass } from "../../client/kinds/index.ts";
import { classOf } from "../../claims/fit.ts";
import {
  type Controller,
  type ObjectEvent,
  type Result,
  type Source,
  defineController,
  keysPushed,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import type { Sidecar } from "../sidecar.ts";
import { snapshotKinds } from "../snapshot/kinds.ts";
import { abandon } from "./abandon.ts";
import { Attempts } from "./attempts.ts";
import { sourceKey } from "./data-source.ts";
import type { Provisioning } from "./given.ts";
import { provision } from "./provision.ts";
import { volumeNameOf } from "./request.ts";

/** The controller named `keelson-provisioner`. */
export function provisioner(sidecar: Sidecar): Controller {
  const { specs, driver, pace } = sidecar;
  const attempts = new Attempts();
  const knowsPlaces = driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS");
  return defineController({
    name: "keelson-provisioner",
    eventSource: "external-provisioner",
    for: specs.claims,
    predicate: matters,
    uses: [specs.volumes, ...(knowsPlaces ? [specs.nodes, specs.csiNodes] : [])],
    sources: [ofClasses(sidecar), ofSourceClaims(sidecar), ofSnapshots(sidecar)],
    ...pace,
    reconcile: (ctx) => reconcile({ ctx, sidecar, attempts }),
    gone: (key) => attempts.forget(keyText(key)),
  });
}

/** Whether an event changes what is to be done for a claim. */
function matters(event: ObjectEvent<PersistentVolumeClaim>): boolean {
  if (event.type !== "changed") return true;
  const told = ({ spec, metadata }: PersistentVolumeClaim): string =>
    JSON.stringify([spec, metadata.annotations, metadata.deletionTimestamp]);
  return told(event.object) !== told(event.old);
}

/** A class that comes, or changes, is what claims of it wait for. */
const ofClasses = ({ specs, driver }: Sidecar): Source<Key<"Namespaced">> =>
  watches(specs.classes, ({ metadata, provisioner: name }, informer) =>
    name === driver.name ? keysOf(informer(specs.claims).by("class", metadata.name)) : [],
  );

/** A claim that is bound may be what others are filled from. */
const ofSourceClaims = ({ specs }: Sidecar): Source<Key<"Namespaced">> =>
  watches(
    specs.claims,
    ({ metadata }, informer) => {
      const { namespace = "", name } = metadata;
      const source = sourceKey({ group: "", kind: "PersistentVolumeClaim", namespace, name });
      return keysOf(informer(specs.claims).by("source", source));
    },
    (event) => event.type !== "changed" || event.object.status.phase !== event.old.status.phase,
  );

/** Snapshots, where they are served, are what claims are filled from. */
const ofSnapshots = ({ specs, names }: Sidecar): Source<Key<"Namespaced">> =>
  keysPushed((add, ground) => {
    const informer = ground.informer(sharedInformer(snapshotKinds(names.snapshotGroup).snapshot));
    informer.on(({ object }) => {
      const { namespace = "", name } = object.metadata;
      const source = sourceKey({ group: names.snapshotGroup, kind: "VolumeSnapshot", namespace, name });
      for (const key of keysOf(ground.own(specs.claims).by("source", source))) add(key);
    });
    return informer;
  });

const keysOf = (claims: readonly PersistentVolumeClaim[]): Key<"Namespaced">[] =>
  claims.map((claim) => keyOf<"Namespaced">(claim));

async function reconcile(given: Provisioning): Promise<Result> {
  const { ctx, sidecar, attempts } = given;
  const claim = ctx.object;
  const isHeld = hasFinalizer(claim, sidecar.names.provisioning);
  if (!isWaiting(claim, sidecar)) return isHeld ? settle(given) : undefined;
  const storageClass = ctx.informer(sidecar.specs.classes).get({ name: classOf(claim, sidecar.names) });
  if (storageClass?.provisioner !== sidecar.driver.name) {
    // As long as it is known what the driver was asked for, it can be asked once more what came of it.
    const wasAsked = attempts.of(keyText(ctx.key), claim.metadata.uid).asked !== undefined;
    return isHeld && wasAsked ? settle(given) : undefined;
  }
  if (!isPlaced(claim, storageClass, sidecar)) return undefined;
  const name = volumeNameOf(claim, sidecar);
  if (ctx.informer(sidecar.specs.volumes).get({ name })) return isHeld ? settle(given) : undefined;
  return provision(given, storageClass);
}

/** Whether a claim is to have a volume of this driver, and has none. */
function isWaiting({ metadata, spec }: PersistentVolumeClaim, { names, driver }: Sidecar): boolean {
  const [mark, older] = names.provisioner;
  const { annotations = {}, deletionTimestamp } = metadata;
  return (
    deletionTimestamp === undefined && !spec.volumeName && (annotations[mark] ?? annotations[older]) === driver.name
  );
}

/** Whether it is known for which node a volume is, where that matters (SC-16), and whether that is one of ours. */
function isPlaced(
  { metadata }: PersistentVolumeClaim,
  { volumeBindingMode }: StorageClass,
  { names, settings }: Sidecar,
): boolean {
  const selected = metadata.annotations?.[names.selectedNode];
  if (settings.node) return selected === settings.node.name;
  return volumeBindingMode !== "WaitForFirstConsumer" || Boolean(selected);
}

/** The driver was asked for a volume for a claim that needs none: there is one, and it is stored, or it goes. */
async function settle(given: Provisioning): Promise<Result> {
  const { ctx, sidecar, attempts } = given;
  const name = volumeNameOf(ctx.object, sidecar);
  // A claim has it only once it was stored. Whoever deletes that object later may mean to keep the disk.
  const wasStored =
    ctx.object.spec.volumeName === name ||
    ctx.informer(sidecar.specs.volumes).get({ name }) ||
    (await ctx.client.resource(PersistentVolume).find({ name }));
  if (!wasStored) {
    const after = await abandon(given);
    if (after) return after;
  }
  await removeFinalizer(ctx.client, PersistentVolumeClaim, ctx.object, sidecar.names.provisioning);
  attempts.forget(keyText(ctx.key));
  return undefined;
}
