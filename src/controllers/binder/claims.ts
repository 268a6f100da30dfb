/**
 * What the binder does for a claim: finds it a volume, hands it over to who makes one, keeps what was bound.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type StorageClass } from "../../client/kinds/index.ts";
import type { KeyContext, Result } from "../../runtime/index.ts";
import { waitsForNode } from "../usage.ts";
import { AGAIN, annotated, isAnnotated, write } from "../writes.ts";
import { classOf, fits, hasNoClass, isMeantFor, lossOf, mismatches, shortcomings } from "./fit.ts";
import { makerOf } from "./maker.ts";
import type { BinderMemory } from "./memory.ts";
import { YES } from "./names.ts";
import { setBound, setPhase, setUnbound } from "./phases.ts";

/** What the binder is given for a key. */
export type Binding = KeyContext<BinderMemory>;

/** Looks after a claim (CTL-BIND-1..46). */
export async function syncClaim(ctx: Binding, found: PersistentVolumeClaim): Promise<Result> {
  const claim = await withMigrationMark(ctx, found);
  if (!claim) return AGAIN;
  const isBound = claim.metadata.annotations?.[ctx.memory.specs.names.bindCompleted] === YES;
  if (isBound) return keepBound(ctx, claim);
  // Who is leaving is given nothing (CTL-BIND-43).
  if (claim.metadata.deletionTimestamp !== undefined) return undefined;
  return claim.spec.volumeName ? bindNamed(ctx, claim, claim.spec.volumeName) : findVolume(ctx, claim);
}

async function findVolume(ctx: Binding, claim: PersistentVolumeClaim): Promise<Result> {
  const { memory } = ctx;
  const reserved = reservedFor(memory, claim);
  if (reserved) return bind(ctx, claim, reserved);
  const storageClass = classObject(memory, claim);
  if (storageClass?.volumeBindingMode === "WaitForFirstConsumer") {
    // The scheduler chose among the volumes that there are before it chose a node to make one for.
    const isChosen = claim.metadata.annotations?.[memory.specs.names.selectedNode] !== undefined;
    return isChosen ? provision(ctx, claim, storageClass) : waitForConsumer(ctx, claim);
  }
  const best = memory.takeBest(claim, (volume) => fits(volume, claim));
  if (best) return bind(ctx, claim, best);
  if (hasNoClass(claim, memory.specs.names)) {
    const standard = memory.defaultClass()?.metadata.name;
    if (standard !== undefined) {
      const spec = { ...claim.spec, storageClassName: standard };
      return (await write(ctx.client, PersistentVolumeClaim, { ...claim, spec })) ? undefined : AGAIN;
    }
  }
  return provision(ctx, claim, storageClass);
}

/** The volume that was made or put by for a claim; it need not be of its class, nor be selected (CTL-BIND-29, 31). */
function reservedFor(memory: BinderMemory, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const meant = memory.volumes.by("claim", keyText(claim.metadata)).filter((volume) => isMeantFor(volume, claim));
  const fitting = meant.filter((volume) => shortcomings(volume, claim).length === 0);
  return fitting.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

const classObject = (memory: BinderMemory, claim: PersistentVolumeClaim): StorageClass | undefined => {
  const name = classOf(claim, memory.specs.names);
  return name === "" ? undefined : memory.classes.get({ name });
};

/** The scheduler chooses first (CTL-MODE-2, 3). */
async function waitForConsumer(ctx: Binding, claim: PersistentVolumeClaim): Promise<Result> {
  const pods = ctx.memory.pods.by("claim", keyText(claim.metadata));
  const isWaiting = pods.some(waitsForNode);
  if (isWaiting) ctx.event("Normal", claim, "WaitForPodScheduled", "a pod that uses it has no node yet");
  else ctx.event("Normal", claim, "WaitForFirstConsumer", "no pod uses it yet, and its class waits for the first");
  return pending(ctx, claim);
}

async function pending({ client }: Binding, claim: PersistentVolumeClaim): Promise<Result> {
  return (await setUnbound(client, claim, "Pending")) ? undefined : AGAIN;
}

/** A claim that names its volume has that one or none (CTL-BIND-24..27). */
async function bindNamed(ctx: Binding, claim: PersistentVolumeClaim, name: string): Promise<Result> {
  const volume = ctx.memory.volumes.get({ name });
  if (!volume) return pending(ctx, claim);
  if (isMeantFor(volume, claim)) return bind(ctx, claim, volume);
  const { claimRef } = volume.spec;
  if (claimRef) {
    const owner = `${claimRef.namespace}/${claimRef.name}`;
    ctx.event("Warning", claim, "FailedBinding", `volume ${name} belongs to the claim ${owner}`);
    return pending(ctx, claim);
  }
  const lacks = mismatches(volume, claim, ctx.memory.specs.names);
  if (lacks.length === 0) return bind(ctx, claim, volume);
  ctx.event("Warning", claim, "VolumeMismatch", `volume ${name} does not fit: ${lacks.join("; ")}`);
  return pending(ctx, claim);
}

/** A claim that had a volume keeps it, or has lost it (CTL-BIND-36..41). */
async function keepBound(ctx: Binding, claim: PersistentVolumeClaim): Promise<Result> {
  const { volumeName = "" } = claim.spec;
  const volume = volumeName === "" ? undefined : ctx.memory.volumes.get({ name: volumeName });
  const loss = lossOf(claim, volume);
  return loss || !volume ? lose(ctx, claim, volume ? "ClaimMisbound" : "ClaimLost", loss!) : bind(ctx, claim, volume);
}

async function lose(ctx: Binding, claim: PersistentVolumeClaim, reason: string, note: string): Promise<Result> {
  if (claim.status.phase !== "Lost") ctx.event("Warning", claim, reason, note);
  return (await setUnbound(ctx.client, claim, "Lost")) ? undefined : AGAIN;
}

/** Binds both to each other: the volume first, so that a claim that is Bound has a volume that is (CTL-BIND-22). */
async function bind(ctx: Binding, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<Result> {
  try {
    const taken = await reserve(ctx, volume, claim);
    const bound = taken && (await setPhase(ctx.client, taken, "Bound"));
    const named = bound && (await nameVolume(ctx, claim, bound));
    return named && (await setBound(ctx.client, named, bound, ctx.memory.specs.names)) ? undefined : AGAIN;
  } finally {
    ctx.memory.settle(volume.metadata.name);
  }
}

/** Puts the claim into a volume (CTL-BIND-3, 21). */
async function reserve(
  { client, memory }: Binding,
  volume: PersistentVolume,
  { apiVersion, kind, metadata }: PersistentVolumeClaim,
): Promise<PersistentVolume | undefined> {
  const { claimRef } = volume.spec;
  const { namespace, name, uid, resourceVersion } = metadata;
  const isNamed = claimRef?.name === name && claimRef.namespace === namespace;
  if (isNamed && claimRef.uid === uid) return volume;
  const next = {
    ...volume,
    spec: { ...volume.spec, claimRef: { apiVersion, kind, namespace, name, uid, resourceVersion } },
  };
  const { boundByController } = memory.specs.names;
  return write(
    client,
    PersistentVolume,
    (isNamed ? next : annotated(next, { [boundByController]: YES })) as PersistentVolume,
  );
}

/** Puts the volume into a claim (CTL-BIND-19, 20). */
async function nameVolume(
  { client, memory }: Binding,
  claim: PersistentVolumeClaim,
  { metadata: { name } }: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const { bindCompleted, boundByController } = memory.specs.names;
  const isNamed = claim.spec.volumeName === name;
  if (isNamed && isAnnotated(claim, { [bindCompleted]: YES })) return claim;
  const marks = { [bindCompleted]: YES, ...(isNamed ? {} : { [boundByController]: YES }) };
  return write(
    client,
    PersistentVolumeClaim,
    annotated({ ...claim, spec: { ...claim.spec, volumeName: name } }, marks),
  );
}

/** Hands a claim over to who makes volumes of its class (CTL-PROV-1..8). */
async function provision(
  ctx: Binding,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): Promise<Result> {
  const maker = makerOf(claim, storageClass, ctx.memory.specs);
  if (maker.is !== "outside") {
    if (maker.is === "nobody") ctx.event("Normal", claim, "FailedBinding", maker.note);
    else ctx.event("Warning", claim, "ProvisioningFailed", maker.note);
    return pending(ctx, claim);
  }
  const { names } = ctx.memory.specs;
  const marks = Object.fromEntries(names.provisioner.map((name) => [name, maker.provisioner]));
  const told = isAnnotated(claim, marks)
    ? claim
    : await write(ctx.client, PersistentVolumeClaim, annotated(claim, marks));
  if (!told) return AGAIN;
  ctx.event("Normal", claim, "ExternalProvisioning", maker.note);
  return pending(ctx, told);
}

/** The mark of a claim whose provisioner is of a plugin that a driver took over; others have none (CTL-PROV-9). */
async function withMigrationMark(
  ctx: Binding,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim | undefined> {
  const { names, migration } = ctx.memory.specs;
  const { annotations = {} } = claim.metadata;
  const provisioner = names.provisioner.map((name) => annotations[name]).find((value) => value !== undefined);
  if (provisioner === undefined) return claim;
  const driver = migration.driverOf(provisioner);
  if (annotations[migration.mark] === driver) return claim;
  return write(ctx.client, PersistentVolumeClaim, annotated(claim, { [migration.mark]: driver }));
}
