/**
 * Deletes Pods that no agent terminates, and old Pods beyond a number. They become `Failed` first, unless they are
 * terminal, and get no grace period.
 */
import { attempt, keyOf } from "../../../client/index.ts";
import { Node, Pod } from "../../../client/kinds/index.ts";
import type { Dialect } from "../../../meta/dialect.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../../runtime/index.ts";
import { deleteObject } from "../../../runtime/writes.ts";
import { inSlices } from "../../../util/steps.ts";
import { attachNames } from "../../../claims/attachment.ts";
import { type PodCondition, setPodCondition } from "../../common/pod-conditions.ts";
import { isFinished } from "../../../claims/usage.ts";
import { ROUND_MS, TERMINATED, PodGarbageMemory, UNPLACED, podGarbageSpecs } from "./memory.ts";
import { QUARANTINE_MS, podsBeyond, isRemoved, planForNode } from "./plan.ts";

/** The settings of the Pod garbage collector. */
export interface PodGarbageSettings {
  /** The number of terminal Pods to keep; 0 for all. Default 12500. */
  readonly endedPods?: number;
}

type GarbageContext = KeyContext<PodGarbageMemory>;

/** The controller named `pod-garbage-collector-controller`. */
export function podGarbage(dialect: Dialect, { endedPods = 12_500 }: PodGarbageSettings = {}): Controller {
  const names = attachNames(dialect);
  return defineKeyController({
    name: "keelson-pod-garbage-collector-controller",
    uses: [podGarbageSpecs.pods, podGarbageSpecs.nodes],
    begin: (parts, add) => new PodGarbageMemory(names, parts, add),
    async reconcile(ctx): Promise<Result> {
      const { key } = ctx;
      if (key === TERMINATED) return endedPods > 0 ? removeTerminated(ctx, endedPods) : undefined;
      if (key !== UNPLACED) return collectOnNode(ctx, key.slice(key.indexOf("/") + 1));
      return removeUnplaced(ctx);
    },
  });
}

/** Deletes the Pods of a deleted node (CTL-PODGC-1..3), and terminating Pods of one out of service (CTL-PODGC-6). */
async function collectOnNode(ctx: GarbageContext, name: string): Promise<Result> {
  const { memory, client, clock } = ctx;
  const { missingSince, names } = memory;
  const now = clock.steady();
  const input = {
    node: memory.nodes.get({ name }),
    pods: memory.pods.by("node", name),
    missingSince: missingSince.get(name),
  };
  const plan = planForNode(input, names, now);
  if (plan.is === "missing") {
    missingSince.set(name, plan.since);
    return { requeueAfter: plan.left };
  }
  if (plan.is === "settled" && plan.removes.length > 0) {
    const left = memory.untilRound(`node/${name}`, now);
    if (left > 0) return { requeueAfter: left };
  }
  const isLost = plan.is === "lost";
  // Memory may be stale.
  if (isLost && (await client.resource(Node).find({ name }))) {
    missingSince.set(name, now);
    return { requeueAfter: QUARANTINE_MS };
  }
  await removeAll(ctx, plan.removes, isLost ? ORPHANED : undefined);
  missingSince.delete(name);
  return undefined;
}

/** Deletes terminal Pods beyond a number (CTL-PODGC-5). */
async function removeTerminated(ctx: GarbageContext, threshold: number): Promise<Result> {
  const { memory, clock } = ctx;
  const left = memory.countedAt + ROUND_MS - clock.steady();
  if (left > 0) return { requeueAfter: left };
  memory.countedAt = clock.steady();
  return removeAll(
    ctx,
    await inSlices(podsBeyond(memory.pods.by("group", TERMINATED), threshold), ctx.clock.loop.slice()),
  );
}

/** Deletes terminating Pods without a node, in the next round (CTL-PODGC-4). */
async function removeUnplaced(ctx: GarbageContext): Promise<Result> {
  const left = ctx.memory.untilRound(UNPLACED, ctx.clock.steady());
  if (left > 0) return { requeueAfter: left };
  return removeAll(ctx, ctx.memory.pods.by("group", UNPLACED));
}

async function removeAll(ctx: GarbageContext, pods: Iterable<Pod>, condition?: PodCondition): Promise<undefined> {
  const limit = ctx.clock.loop.slice();
  for (const pod of pods) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await (isRemoved(pod) ? limit.pause() : remove(ctx, pod, condition));
  }
}

/** Marks a Pod as failed, so that its controller replaces it, and deletes it (CTL-PODGC-7). */
async function remove({ client, clock }: GarbageContext, pod: Pod, condition?: PodCondition): Promise<void> {
  const { uid, generation: observedGeneration = 0 } = pod.metadata;
  const pods = client.resource(Pod);
  if (!isFinished(pod)) {
    const status = { phase: "Failed", observedGeneration };
    if (condition) {
      await setPodCondition(client, pod, { ...condition, observedGeneration }, { now: clock.now(), more: status });
    } else {
      await attempt(pods.status.patch(keyOf<"Namespaced">(pod), { metadata: { uid }, status }), "NotFound");
    }
  }
  await deleteObject(client, Pod, pod, { gracePeriodSeconds: 0 });
}

const ORPHANED = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
} as const;
