/**
 * The provisioner: creates volumes for claims of its driver's classes (CTL-OUT-1, CTL-OUT-2, CTL-PROV-3, CTL-PROV-10,
 * CTL-PROV-11).
 *
 * A claim gets a finalizer before the call of the driver. The finalizer is removed when the volume is stored, or when it is
 * certain that there is none. So a claim that is deleted meanwhile leaves no volume, also when the process is killed at any
 * moment.
 *
 * @module
 */
import { type Key, keyOf, keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type StorageClass } from "../../client/kinds/index.ts";
import { classOf } from "../../claims/fit.ts";
import {
  type Controller,
  type Result,
  type Source,
  defineController,
  keysPushed,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { type Sidecar, changesOf } from "../sidecar.ts";
import { snapshotKinds } from "../snapshot/kinds.ts";
import { Attempts, type ProvisionContext } from "./attempts.ts";
import { cleanUp } from "./cleanup.ts";
import { sourceKey } from "./data-source.ts";
import { provision } from "./provision.ts";
import { volumeNameOf } from "./request.ts";

/** The controller named `keelson-provisioner`. */
export function provisioner(sidecar: Sidecar): Controller {
  const { specs, driver, pace } = sidecar;
  const attempts = new Attempts();
  const hasTopology = driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS");
  return defineController({
    name: "keelson-provisioner",
    eventSource: "external-provisioner",
    for: specs.claims,
    predicate: changesOf<PersistentVolumeClaim>(({ spec, metadata }) => [
      spec,
      metadata.annotations,
      metadata.deletionTimestamp,
    ]),
    uses: [specs.volumes, ...(hasTopology ? [specs.nodes, specs.csiNodes] : [])],
    sources: [ofClasses(sidecar), ofSourceClaims(sidecar), ofSnapshots(sidecar)],
    ...pace,
    reconcile: (ctx) => reconcile({ ctx, sidecar, attempts }),
    gone: (key) => attempts.forget(keyText(key)),
  });
}

/** Claims may wait for a class. */
const ofClasses = ({ specs, driver }: Sidecar): Source<Key<"Namespaced">> =>
  watches(specs.classes, ({ metadata, provisioner: name }, informer) =>
    name === driver.name ? keysOf(informer(specs.claims).by("class", metadata.name)) : [],
  );

/** Claims may wait until their source is bound. */
const ofSourceClaims = ({ specs }: Sidecar): Source<Key<"Namespaced">> =>
  watches(
    specs.claims,
    ({ metadata }, informer) => {
      const { namespace = "", name } = metadata;
      const source = sourceKey({ group: "", kind: "PersistentVolumeClaim", namespace, name });
      return keysOf(informer(specs.claims).by("source", source));
    },
    changesOf(({ status }) => status.phase),
  );

/** Claims may wait for a snapshot, where snapshots are served. */
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

async function reconcile(context: ProvisionContext): Promise<Result> {
  const { ctx, sidecar, attempts } = context;
  const claim = ctx.object;
  const isHeld = hasFinalizer(claim, sidecar.names.provisioning);
  if (!isWaiting(claim, sidecar)) return isHeld ? finish(context) : undefined;
  const storageClass = ctx.informer(sidecar.specs.classes).get({ name: classOf(claim, sidecar.names) });
  if (storageClass?.provisioner !== sidecar.driver.name) {
    // The remembered request is enough to clean up without the class.
    const wasRequested = attempts.of(keyText(ctx.key), claim.metadata.uid).requested !== undefined;
    return isHeld && wasRequested ? finish(context) : undefined;
  }
  if (!hasNode(claim, storageClass, sidecar)) return undefined;
  const name = volumeNameOf(claim, sidecar);
  if (ctx.informer(sidecar.specs.volumes).get({ name })) return isHeld ? finish(context) : undefined;
  return provision(context, storageClass);
}

/** Whether a claim needs a volume of this driver. */
function isWaiting({ metadata, spec }: PersistentVolumeClaim, { names, driver }: Sidecar): boolean {
  const [key, older] = names.provisioner;
  const { annotations = {}, deletionTimestamp } = metadata;
  return (
    deletionTimestamp === undefined && !spec.volumeName && (annotations[key] ?? annotations[older]) === driver.name
  );
}

/** Whether the node of the volume is known where the class needs that (SC-16), and is the own one where there is one. */
function hasNode(
  { metadata }: PersistentVolumeClaim,
  { volumeBindingMode }: StorageClass,
  { names, settings }: Sidecar,
): boolean {
  const selected = metadata.annotations?.[names.selectedNode];
  if (settings.node) return selected === settings.node.name;
  return volumeBindingMode !== "WaitForFirstConsumer" || Boolean(selected);
}

/** Removes the finalizer of a claim that needs no volume any more. A volume that is not stored is deleted first. */
async function finish(context: ProvisionContext): Promise<Result> {
  const { ctx, sidecar, attempts } = context;
  const name = volumeNameOf(ctx.object, sidecar);
  // A claim names its volume only after it was stored. A user who deletes that object later may want to keep the disk.
  const wasStored =
    ctx.object.spec.volumeName === name ||
    ctx.informer(sidecar.specs.volumes).get({ name }) ||
    (await ctx.client.resource(PersistentVolume).find({ name }));
  if (!wasStored) {
    const retry = await cleanUp(context);
    if (retry) return retry;
  }
  await removeFinalizer(ctx.client, PersistentVolumeClaim, ctx.object, sidecar.names.provisioning);
  attempts.forget(keyText(ctx.key));
  return undefined;
}
