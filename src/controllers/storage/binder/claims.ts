/**
 * What the binder does for a claim, once it is decided: binds it, hands it over to who makes a volume, says how it stands.
 *
 * @module
 */
import { keyText } from "../../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../client/kinds/index.ts";
import type { KeyContext, Result } from "../../../runtime/index.ts";
import { waitsForNode } from "../../../claims/usage.ts";
import { AGAIN, write } from "../../../runtime/writes.ts";
import { annotated, isAnnotated } from "../../../meta/annotations.ts";
import { decideClaim } from "../../../claims/claim-decision.ts";
import type { ProvisionerChoice } from "../../../claims/provisioner.ts";
import type { BinderMemory } from "./memory.ts";
import { YES } from "../../../claims/annotations.ts";
import { setBound, setPhase, setUnbound } from "./phases.ts";
import { withClaim } from "../../../claims/claim-ref.ts";

/** What the binder is given for a key. */
export type BinderContext = KeyContext<BinderMemory>;

/** Looks after a claim (CTL-BIND-1..46). */
export async function syncClaim(ctx: BinderContext, found: PersistentVolumeClaim): Promise<Result> {
  const claim = await withMigrationMark(ctx, found);
  if (!claim) return AGAIN;
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
      return (await write(ctx.client, PersistentVolumeClaim, { ...claim, spec })) ? undefined : AGAIN;
    }
    case "make":
      return provision(ctx, claim, decision.choice);
  }
}

/** The scheduler chooses first (CTL-MODE-2, 3). */
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

/** Pods by their names, as `pod a` or `pods a,b`: of many the first ones, as an Event has little room. */
function podsText(names: readonly string[]): string {
  const named = names.toSorted().slice(0, MAX_PODS_NAMED);
  return `${names.length > 1 ? "pods" : "pod"} ${named.join(",")}`;
}

const MAX_PODS_NAMED = 10;

async function setPending({ client }: BinderContext, claim: PersistentVolumeClaim): Promise<Result> {
  return (await setUnbound(client, claim, "Pending")) ? undefined : AGAIN;
}

async function setLost(
  ctx: BinderContext,
  claim: PersistentVolumeClaim,
  reason: string,
  note: string,
): Promise<Result> {
  if (claim.status.phase !== "Lost") ctx.event("Warning", claim, reason, note);
  return (await setUnbound(ctx.client, claim, "Lost")) ? undefined : AGAIN;
}

/** Binds both to each other: the volume first, so that a claim that is Bound has a volume that is (CTL-BIND-22). */
async function bind(ctx: BinderContext, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<Result> {
  try {
    const taken = await reserve(ctx, volume, claim);
    const bound = taken && (await setPhase(ctx.client, taken, "Bound"));
    const named = bound && (await nameVolume(ctx, claim, bound));
    return named && (await setBound(ctx.client, named, bound, ctx.memory.specs.names)) ? undefined : AGAIN;
  } finally {
    ctx.memory.restore(volume.metadata.name);
  }
}

/** Puts the claim into a volume (CTL-BIND-3, 21). */
async function reserve(
  { client, memory }: BinderContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume | undefined> {
  const reserved = withClaim(volume, claim, memory.specs.names);
  if (reserved === volume) return volume;
  const written = await write(client, PersistentVolume, reserved);
  if (written) memory.markBound(volume);
  return written;
}

/** Puts the volume into a claim (CTL-BIND-19, 20). */
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

/** Hands a claim over to who makes volumes of its class (CTL-PROV-1..8). */
async function provision(ctx: BinderContext, claim: PersistentVolumeClaim, maker: ProvisionerChoice): Promise<Result> {
  if (maker.is !== "outside") {
    if (maker.is === "nobody") ctx.event("Normal", claim, "FailedBinding", maker.note);
    else ctx.event("Warning", claim, "ProvisioningFailed", maker.note);
    return setPending(ctx, claim);
  }
  const { names } = ctx.memory.specs;
  const marks = Object.fromEntries(names.provisioner.map((name) => [name, maker.provisioner]));
  const marked = isAnnotated(claim, marks)
    ? claim
    : await write(ctx.client, PersistentVolumeClaim, annotated(claim, marks));
  if (!marked) return AGAIN;
  ctx.event("Normal", claim, "ExternalProvisioning", maker.note);
  return setPending(ctx, marked);
}

/** The mark of a claim whose provisioner is of a plugin that a driver took over; others have none (CTL-PROV-9). */
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
