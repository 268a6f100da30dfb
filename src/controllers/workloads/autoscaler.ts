/**
 * Changes the replicas of the targets of HorizontalPodAutoscalers by their metrics. Each is reconciled once in a period; events between do
 * not trigger a reconcile.
 */
import { type Key, type Kind, StatusError, keyOf, keyText, parseKey } from "../../client/index.ts";
import {
  Deployment,
  HorizontalPodAutoscaler,
  type Pod,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../../client/kinds/index.ts";
import {
  type Controller,
  type GetInformer,
  type KeyContext,
  type Result,
  type SourceParts,
  defineKeyController,
  sharedInformer,
} from "../../runtime/index.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import { type LabelSelector, labelSelectorOf, parseLabelSelector } from "../../meta/selectors.ts";
import { parseTime } from "../../meta/time.ts";
import { groupOf } from "../../meta/versions.ts";
import { messageOf } from "../../util/error.ts";
import { inSlices } from "../../util/steps.ts";
import {
  type AutoscalerInput,
  type SelectorFault,
  type TargetScale,
  afterRescale,
  needsMetrics,
  planAutoscaler,
} from "../../workloads/autoscaler/autoscaler.ts";
import { isSameStatus } from "../../workloads/common/status.ts";
import type { History } from "../../workloads/autoscaler/history.ts";
import { type PlannedWrite, updatesStatus } from "../../workloads/common/plan.ts";
import { bucketOfSelector, labelBuckets } from "../../workloads/common/selecting.ts";
import { readMetrics } from "./autoscaler-metrics.ts";
import { perform } from "./perform.ts";
import { refusalText } from "./refusal.ts";
import { readScale, scaledKind, writeScale } from "./scale.ts";
import { selectedPods } from "./services.ts";

const autoscalers = sharedInformer(HorizontalPodAutoscaler);
const deployments = sharedInformer(Deployment);
const replicaSets = sharedInformer(ReplicaSet);
const statefulSets = sharedInformer(StatefulSet);
const replicationControllers = sharedInformer(ReplicationController);

/** The settings of the controller. */
export interface AutoscalerSettings {
  /** The period in which each autoscaler is reconciled, in milliseconds. Default 15 s. */
  readonly autoscalerSyncMillis?: number | undefined;
}

const DEFAULT_SYNC_MS = 15_000;

/** The memory of an autoscaler besides the objects; it begins again with each term, as in kube-controller-manager. */
interface Known {
  /** When it is due, in milliseconds of the steady clock. */
  dueAt: number;
  history: History | undefined;
  /** The selector of its target at its last reconcile. */
  selector: { readonly text: string; readonly compiled: LabelSelector; readonly bucket: string } | undefined;
}

class AutoscalerMemory implements Disposable {
  readonly known = new Map<string, Known>();
  /** The autoscalers by one label that their selectors require. */
  readonly bySelector = new Map<string, Set<string>>();
  readonly #following: Disposable;

  constructor({ own }: SourceParts, add: (key: string) => void) {
    this.#following = own(autoscalers).on(({ type, object }) => {
      if (type !== "changed") add(keyText(keyOf(object)));
    });
  }

  /** Records the selector of an autoscaler. */
  select(key: string, known: Known, text: string, compiled: LabelSelector): void {
    if (known.selector?.text === text) return;
    this.#unselect(key, known);
    const bucket = bucketOfSelector(parseKey(key).namespace, compiled);
    known.selector = { text, compiled, bucket };
    const keys = this.bySelector.get(bucket) ?? new Set();
    this.bySelector.set(bucket, keys.add(key));
  }

  forget(key: string): void {
    const known = this.known.get(key);
    if (known) this.#unselect(key, known);
    this.known.delete(key);
  }

  /** The autoscalers whose selectors select one of some Pods. */
  selecting(pods: readonly Pod[]): readonly string[] {
    const found = new Set<string>();
    for (const pod of pods) {
      for (const bucket of labelBuckets(pod)) {
        for (const key of this.bySelector.get(bucket) ?? []) {
          if (this.known.get(key)?.selector?.compiled.matches(pod.metadata.labels)) found.add(key);
        }
      }
    }
    return [...found].toSorted();
  }

  #unselect(key: string, known: Known): void {
    if (!known.selector) return;
    const keys = this.bySelector.get(known.selector.bucket);
    keys?.delete(key);
    if (keys?.size === 0) this.bySelector.delete(known.selector.bucket);
    known.selector = undefined;
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
  }
}

type AutoscalerContext = KeyContext<AutoscalerMemory>;

/** The controller named `horizontal-pod-autoscaling` (WL-HPA-1..6). */
export const autoscaling = ({ autoscalerSyncMillis: period = DEFAULT_SYNC_MS }: AutoscalerSettings = {}): Controller =>
  defineKeyController({
    name: "keelson-horizontal-pod-autoscaling",
    eventSource: "horizontal-pod-autoscaler",
    uses: [autoscalers, selectedPods, deployments, replicaSets, statefulSets, replicationControllers],
    begin: (parts, add) => new AutoscalerMemory(parts, add),
    async reconcile(ctx): Promise<Result> {
      const { key, memory, informer, clock } = ctx;
      const autoscaler = informer(autoscalers).get(parseKey(key));
      if (!autoscaler) {
        memory.forget(key);
        return undefined;
      }
      const known = memory.known.get(key) ?? {
        dueAt: clock.steady() + untilTurn(autoscaler, clock.now(), period),
        history: undefined,
        selector: undefined,
      };
      memory.known.set(key, known);
      const left = known.dueAt - clock.steady();
      if (left > 0) return { requeueAfter: left };
      known.dueAt = clock.steady() + period;
      await sync(ctx, autoscaler, known);
      return { requeueAfter: period };
    },
  });

/** Milliseconds until an autoscaler is due: its periods count from its creation, so a new leader keeps them. */
function untilTurn({ metadata }: HorizontalPodAutoscaler, now: number, period: number): number {
  const age = now - (parseTime(metadata.creationTimestamp ?? "") ?? now);
  return period - (((age % period) + period) % period);
}

async function sync(ctx: AutoscalerContext, autoscaler: HorizontalPodAutoscaler, known: Known): Promise<void> {
  const { client, clock } = ctx;
  const target = await targetOf(ctx, autoscaler);
  const now = clock.now();
  const base = { autoscaler, pods: [], readings: [], history: known.history, now };
  const input =
    typeof target === "string" ? { ...base, scale: target } : await whole(ctx, { ...base, scale: target.scale }, known);
  const plan = await inSlices(planAutoscaler(input), clock.loop.slice());
  const rescale = plan.rescale && typeof target !== "string" ? { ...plan, rescale: plan.rescale } : undefined;
  let { status, history } = plan;
  const events: PlannedWrite[] = [...plan.events];
  if (rescale && typeof target !== "string") {
    const failure = await rescaled(ctx, autoscaler.spec.scaleTargetRef.name, target, rescale.rescale.to);
    const after = afterRescale(input, rescale, failure);
    ({ status, history } = after);
    events.push(after.event);
  }
  known.history = history;
  const writes = isSameStatus(autoscaler.status, status)
    ? []
    : [updatesStatus(HorizontalPodAutoscaler, { ...autoscaler, status })];
  const tell = (type: "Normal" | "Warning", ...told: [string, string]): void => ctx.event(type, autoscaler, ...told);
  await perform({ stages: [[...events, ...writes]] }, { client, tell });
}

/** Adds the Pods, the selector and the metrics where they decide. */
async function whole(
  { client, memory, key, informer, signal, kinds, clock }: AutoscalerContext,
  input: AutoscalerInput & { readonly scale: TargetScale },
  known: Known,
): Promise<AutoscalerInput> {
  const { autoscaler, scale } = input;
  if (!needsMetrics(autoscaler, scale)) return input;
  const { namespace } = parseKey(key);
  const compiled = compile(scale.selector);
  if ("fault" in compiled) return { ...input, selectorFault: compiled.fault };
  const { selector } = compiled;
  memory.select(key, known, scale.selector, selector);
  const pods = informer(selectedPods)
    .by("label", bucketOfSelector(namespace, selector))
    .filter(({ metadata }) => selector.matches(metadata.labels));
  const all = memory.selecting(pods);
  if (all.length > 1) {
    const message = `pods by selector ${scale.selector} are controlled by multiple HPAs: [${all.join(" ")}]`;
    return {
      ...input,
      pods,
      selectorFault: { event: "AmbiguousSelector", note: message, reason: "AmbiguousSelector", message },
    };
  }
  const slice = clock.loop.slice();
  const request = { client, namespace, selector: scale.selector, signal, kinds: () => kinds.read(), slice };
  return { ...input, pods, readings: await readMetrics(autoscaler.spec.metrics ?? [], request) };
}

function compile(text: string): { readonly selector: LabelSelector } | { readonly fault: SelectorFault } {
  if (text === "") {
    const message = "the HPA target's scale is missing a selector";
    return { fault: { event: "SelectorRequired", note: "selector is required", reason: "InvalidSelector", message } };
  }
  try {
    return { selector: parseLabelSelector(text) };
  } catch (error) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
    return { fault: { event: "InvalidSelector", note: message, reason: "InvalidSelector", message } };
  }
}

interface Target {
  readonly kind: Kind;
  readonly uid: string;
  readonly scale: TargetScale;
}

/** Finds the target of an autoscaler, in memory where an informer has it; a text where it has no scale, and why. */
async function targetOf(
  { informer, client, kinds, signal, key }: AutoscalerContext,
  { spec: { scaleTargetRef } }: HorizontalPodAutoscaler,
): Promise<Target | string> {
  const { namespace } = parseKey(key);
  const { name } = scaleTargetRef;
  const own = ownTarget(informer, scaleTargetRef, { namespace, name });
  if (own) return own;
  const kind = scaledKind(await kinds.read(), scaleTargetRef);
  if ("lacks" in kind) {
    const group = groupOf(scaleTargetRef.apiVersion ?? "");
    return kind.lacks === "kind"
      ? `no matches for kind ${JSON.stringify(scaleTargetRef.kind)} in group ${JSON.stringify(group)}`
      : "the server could not find the requested resource";
  }
  try {
    const { metadata, spec, status } = await readScale(client, kind, { namespace, name }, signal);
    const scale = {
      replicas: spec?.replicas ?? 0,
      statusReplicas: status?.replicas ?? 0,
      selector: status?.selector ?? "",
    };
    return { kind, uid: metadata.uid, scale };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return refusalText(error);
  }
}

/** A target whose object in an informer has everything that its scale would contain. */
function ownTarget(
  informer: GetInformer,
  { apiVersion, kind }: HorizontalPodAutoscaler["spec"]["scaleTargetRef"],
  key: Key<"Namespaced">,
): Target | undefined {
  if (apiVersion === "apps/v1") {
    const spec = kind === "Deployment" ? deployments : kind === "ReplicaSet" ? replicaSets : undefined;
    const found = spec
      ? informer(spec as typeof deployments).get(key)
      : kind === "StatefulSet"
        ? informer(statefulSets).get(key)
        : undefined;
    if (!found) return undefined;
    const of = spec?.kind ?? statefulSets.kind;
    const { replicas = 1, selector } = found.spec;
    const text = selector ? selectorOf(selector).text : "";
    return {
      kind: of,
      uid: found.metadata.uid,
      scale: { replicas, statusReplicas: found.status.replicas ?? 0, selector: text },
    };
  }
  if (apiVersion !== "v1" || kind !== "ReplicationController") return undefined;
  const found = informer(replicationControllers).get(key);
  if (!found) return undefined;
  const { replicas, selector = {} } = found.spec;
  const requirements = Object.entries(selector).map(([label, value]) => ({
    key: label,
    operator: "in" as const,
    values: [value],
  }));
  const text = labelSelectorOf(requirements).text;
  return {
    kind: replicationControllers.kind,
    uid: found.metadata.uid,
    scale: { replicas, statusReplicas: found.status.replicas, selector: text },
  };
}

/** Writes the scale of a target; a text where it was refused, and why. */
async function rescaled(
  { client, key }: AutoscalerContext,
  name: string,
  { kind, uid }: Target,
  replicas: number,
): Promise<string | undefined> {
  try {
    await writeScale(client, kind, { namespace: parseKey(key).namespace, name }, { uid, replicas });
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return refusalText(error);
  }
}
