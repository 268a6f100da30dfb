/** Executes the decision for a claim: binds it, leaves it to a provisioner, or writes its phase. */
import { keyOf, keyText } from "../../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../client/kinds/index.ts";
import type { KeyContext, Result } from "../../../runtime/index.ts";
import { waitsForNode } from "../../../claims/usage.ts";
import { REQUEUE_SOON, write } from "../../../runtime/writes.ts";
import { annotated, isAnnotated } from "../../../meta/annotations.ts";
import { decideClaim } from "../../../claims/claim-decision.ts";
import type { ProvisionerChoice } from "../../../claims/provisioner.ts";
import type { BinderMemory } from "./memory.ts";
import { YES } from "../../../claims/annotations.ts";
import { setBound, setPhase, setUnbound } from "./phases.ts";
import { withClaim } from "../../../claims/claim-ref.ts";

/** The context of a key. */
export type BinderContext = KeyContext<BinderMemory>;

/** Synchronizes a claim (CTL-BIND-1..46). */
export async function syncClaim(ctx: BinderContext, found: PersistentVolumeClaim): Promise<Result> {
  const claim = await withMigrationMark(ctx, found);
  if (!claim) return REQUEUE_SOON;
  const decision = decideClaim(claim, ctx.memory);
  switch (decision.is) {
    case "nothing":
      return undefined;
    case "bind":
      return bind(ctx, claim, decision.volume);
    case "lost":
      return setLost(ctx, claim, decision.volume ? "ClaimMisbound" : "ClaimLost", decision.note);
    case "absent":
      return setPending(ctx, claim);
    case "taken":
      ctx.event("Warning", claim, "FailedBinding", decision.note);
      return setPending(ctx, claim);
    case "misfit":
      ctx.event("Warning", claim, "VolumeMismatch", decision.note);
      return setPending(ctx, claim);
    case "first consumer":
      return waitForConsumer(ctx, claim);
    case "default class": {
      const spec = { ...claim.spec, storageClassName: decision.name };
      return (await write(ctx.client, PersistentVolumeClaim, { ...claim, spec })) ? undefined : REQUEUE_SOON;
    }
    case "provision":
      return provision(ctx, claim, decision.choice);
  }
}

/** Waits for the scheduler (CTL-MODE-2, 3). */
async function waitForConsumer(ctx: BinderContext, claim: PersistentVolumeClaim): Promise<Result> {
  const pods = ctx.memory.pods.by("claim", keyText(claim.metadata));
  const waiting = pods.filter(waitsForNode).map(({ metadata }) => metadata.name);
  if (waiting.length > 0) {
    ctx.event("Normal", claim, "WaitForPodScheduled", `waiting for ${podsText(waiting)} to be scheduled`);
  } else {
    ctx.event("Normal", claim, "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  }
  return setPending(ctx, claim);
}

/** `pod a` or `pods a,b`; of many only the first ones. */
function podsText(names: readonly string[]): string {
  const named = names.toSorted().slice(0, MAX_PODS_NAMED);
  return `${names.length > 1 ? "pods" : "pod"} ${named.join(",")}`;
}

const MAX_PODS_NAMED = 10;

async function setPending({ client }: BinderContext, claim: PersistentVolumeClaim): Promise<Result> {
  return (await setUnbound(client, claim, "Pending")) ? undefined : REQUEUE_SOON;
}

async function setLost(
  ctx: BinderContext,
  claim: PersistentVolumeClaim,
  reason: string,
  note: string,
): Promise<Result> {
  if (claim.status.phase !== "Lost") ctx.event("Warning", claim, reason, note);
  return (await setUnbound(ctx.client, claim, "Lost")) ? undefined : REQUEUE_SOON;
}

/** Binds the volume first, so that the volume of a Bound claim is Bound (CTL-BIND-22). */
async function bind(ctx: BinderContext, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<Result> {
  try {
    const taken = await reserve(ctx, volume, claim);
    const bound = taken && (await setPhase(ctx.client, taken, "Bound"));
    const named = bound && (await nameVolume(ctx, claim, bound));
    return named && (await setBound(ctx.client, named, bound, ctx.memory.specs.names)) ? undefined : REQUEUE_SOON;
  } finally {
    ctx.memory.restore(volume.metadata.name);
  }
}

/** Writes the claimRef of a volume (CTL-BIND-3, 21). */
async function reserve(
  { client, memory }: BinderContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume | undefined> {
  const reserved = withClaim(volume, claim, memory.specs.names);
  if (reserved === volume) return volume;
  // Another client has taken the volume from a claim that was bound: often because the claim is deleted, and memory has it still.
  if (isAnnotated(claim, { [memory.specs.names.bindCompleted]: YES })) {
    const known = await client.resource(PersistentVolumeClaim).find(keyOf<"Namespaced">(claim));
    if (known?.metadata.uid !== claim.metadata.uid) return undefined;
  }
  const written = await write(client, PersistentVolume, reserved);
  if (written) memory.markBound(volume);
  return written;
}

/** Writes the volumeName of a claim (CTL-BIND-19, 20). */
async function nameVolume(
  { client, memory }: BinderContext,
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

/** Leaves a claim to the provisioner of its class (CTL-PROV-1..8). */
async function provision(ctx: BinderContext, claim: PersistentVolumeClaim, choice: ProvisionerChoice): Promise<Result> {
  if (choice.is !== "external") {
    if (choice.is === "none") ctx.event("Normal", claim, "FailedBinding", choice.note);
    else ctx.event("Warning", claim, "ProvisioningFailed", choice.note);
    return setPending(ctx, claim);
  }
  const { names } = ctx.memory.specs;
  const marks = Object.fromEntries(names.provisioner.map((name) => [name, choice.provisioner]));
  const marked = isAnnotated(claim, marks)
    ? claim
    : await write(ctx.client, PersistentVolumeClaim, annotated(claim, marks));
  if (!marked) return REQUEUE_SOON;
  ctx.event("Normal", claim, "ExternalProvisioning", choice.note);
  return setPending(ctx, marked);
}

/** Sets or removes the migrated-to annotation of a claim by its provisioner (CTL-PROV-9). */
async function withMigrationMark(
  ctx: BinderContext,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim | undefined> {
  const { names, migration } = ctx.memory.specs;
  const { annotations = {} } = claim.metadata;
  const provisioner = names.provisioner.map((name) => annotations[name]).find((value) => value !== undefined);
  if (provisioner === undefined) return claim;
  const driver = migration.driverOf(provisioner);
  if (annotations[migration.annotation] === driver) return claim;
  return write(ctx.client, PersistentVolumeClaim, annotated(claim, { [migration.annotation]: driver }));
}
