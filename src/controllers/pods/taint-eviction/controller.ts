/**
 * Evicts Pods from nodes with NoExecute taints that they do not tolerate: at once, or after the shortest
 * tolerationSeconds. It ignores PodDisruptionBudgets.
 *
 * Eviction times are kept in memory: after a restart they count again, as in kube-controller-manager.
 */
import type { ApiObject } from "../../../client/index.ts";
import { Pod } from "../../../client/kinds/index.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../../runtime/index.ts";
import { deleteObject } from "../../../runtime/writes.ts";
import { setPodCondition } from "../../common/pod-conditions.ts";
import { EvictionMemory, evictionSpecs } from "./memory.ts";
import { planEviction } from "./plan.ts";

type EvictionContext = KeyContext<EvictionMemory>;

/** The controller named `taint-eviction-controller`. */
export const taintEviction: Controller = defineKeyController({
  name: "keelson-taint-eviction-controller",
  eventSource: "taint-eviction-controller",
  uses: [evictionSpecs.pods, evictionSpecs.nodes],
  concurrency: 8,
  begin: (parts, add) => new EvictionMemory(parts, add),
  async reconcile(ctx): Promise<Result> {
    const { key, memory, clock } = ctx;
    const pod = memory.pod(key);
    const waiting = memory.waiting.get(key);
    const isSame = waiting?.pod.metadata.uid === pod?.metadata.uid;
    if (waiting && !isSame) cancelEviction(ctx, waiting.pod);
    if (!pod?.spec.nodeName) return undefined;
    const now = clock.steady();
    const podOnNode = { pod, node: memory.node(pod.spec.nodeName), until: isSame ? waiting?.until : undefined };
    const { isCancelled, until } = planEviction(podOnNode, now);
    if (isCancelled) cancelEviction(ctx, pod);
    if (until === undefined) return undefined;
    if (until > now) {
      memory.waiting.set(key, { pod, until });
      return { requeueAfter: until - now };
    }
    // A new leader finds Pods that are already terminating.
    if (pod.metadata.deletionTimestamp === undefined) await evict(ctx, pod);
    memory.waiting.delete(key);
    return undefined;
  },
});

function cancelEviction({ key, memory, event }: EvictionContext, pod: ApiObject): void {
  memory.waiting.delete(key);
  event("Normal", pod, REASON, `Cancelling deletion of Pod ${key}`);
}

/** Marks a Pod and deletes it with its grace period (CTL-TAINT-6). */
async function evict({ key, client, clock, event, attempt: nth }: EvictionContext, pod: Pod): Promise<void> {
  if (nth === 1) event("Normal", pod, REASON, `Marking for deletion Pod ${key}`);
  const condition = { ...CONDITION, observedGeneration: pod.metadata.generation ?? 0 };
  await setPodCondition(client, pod, condition, { now: clock.now() });
  await deleteObject(client, Pod, pod);
}

const REASON = "TaintManagerEviction";

const CONDITION = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
} as const;
