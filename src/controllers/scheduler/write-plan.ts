import { keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { write } from "../../runtime/writes.ts";
import { annotated } from "../../meta/annotations.ts";
import { isMeantFor } from "../../claims/fit.ts";
import { withClaim } from "../../claims/claim-ref.ts";
import type { SchedulerContext } from "./scheduling-cycle.ts";
import type { Attempt } from "./memory.ts";
import type { Matched } from "./plan.ts";
import { isBound } from "./pod-claims.ts";

/**
 * Writes the plan for the claims of a Pod: the claimRef of matched volumes, and the selected node of claims to
 * provision (SCHED-30). It skips what is stored already, and returns the error of a write that failed.
 */
export async function writePlan(ctx: SchedulerContext, { node, plan }: Attempt): Promise<string | undefined> {
  const volumes = plan.matched.map((matched) => reserveVolume(ctx, matched));
  const claims = plan.provisioned.map((claim) => chooseNode(ctx, claim, node));
  const faults = await Promise.all([...volumes, ...claims]);
  return faults.find((fault) => fault !== undefined);
}

async function reserveVolume(
  { client, memory }: SchedulerContext,
  { claim, volume }: Matched,
): Promise<string | undefined> {
  const { name } = volume.metadata;
  const stored = memory.stored.volume(name);
  if (!stored) return `the volume ${name} was deleted`;
  if (stored.spec.claimRef && !isMeantFor(stored, claim)) return `the volume ${name} was bound to another claim`;
  const given = withClaim(stored, claim, memory.names.binder);
  const isDone = given === stored || (await write(client, PersistentVolume, given));
  return isDone ? undefined : `the volume ${name} has changed meanwhile`;
}

async function chooseNode(
  { client, memory }: SchedulerContext,
  { metadata }: PersistentVolumeClaim,
  node: string,
): Promise<string | undefined> {
  const { selectedNode } = memory.names.binder;
  const stored = memory.stored.claim(keyText(metadata));
  if (stored?.metadata.uid !== metadata.uid) return `the claim ${metadata.name} was deleted`;
  const chosen = stored.metadata.annotations?.[selectedNode];
  if (chosen === node || isBound(stored, memory)) return undefined;
  if (chosen !== undefined) return `the volume of the claim ${metadata.name} is to be made for the node ${chosen}`;
  const written = await write(client, PersistentVolumeClaim, annotated(stored, { [selectedNode]: node }));
  return written ? undefined : `the claim ${metadata.name} has changed meanwhile`;
}
