/**
 * Simulates the Pods of simulated nodes: plans the next step of each, writes it, and starts the scripts of running containers.
 *
 * A script runs where its container runs by the status; so after a restart, and in a fork, all of them are started again.
 */
import type { Client } from "../client/client.ts";
import type { ApiObject } from "../client/index.ts";
import { type Node, Pod } from "../client/kinds/index.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../runtime/index.ts";
import { deleteObject, writeStatus } from "../runtime/writes.ts";
import type { LifeEvent, LifeFacts, LifePlan } from "./life/contract.ts";
import { planLife } from "./life/plan.ts";
import { isSidecar } from "./life/states.ts";
import { isFinal } from "./life/summary.ts";
import { SECOND, timeIn } from "./life/times.ts";
import { LifeMemory, NODE_KEY, lifeSpecs } from "./memory.ts";
import { fullSince, isSimulated, lostSince, pullOf } from "./nodes/marks.ts";
import { hostAddressOf } from "./nodes/node-object.ts";
import { environmentOf, needsObjects } from "./scripts/environment.ts";
import { mountProblemOf, needsVolumes, readTexts } from "./scripts/volumes.ts";
import { performStage } from "./stages/perform.ts";
import { isVanishing } from "./rest.ts";
import type { SimulationState } from "./state.ts";

type LifeContext = KeyContext<LifeMemory>;

const FIRST_MOUNT_WAIT = 500;
const MAX_MOUNT_WAIT = 122 * SECOND;
/** Pods are put out one by one, as often as a kubelet looks at its disk. */
const EVICTION_PERIOD = 10 * SECOND;
/** Plans of one look: each signal to a script needs another one. */
const MAX_PLANS = 16;
/** Pods of a priority from here on are never put out. */
const CRITICAL = 2_000_000_000;

/** The controller named `simulated-pods`. */
export const podController = (state: SimulationState): Controller =>
  defineKeyController({
    name: "keelson-simulated-pods",
    eventSource: "kubelet",
    uses: Object.values(lifeSpecs),
    concurrency: 256,
    begin: (parts, add) => new LifeMemory(parts, add, state),
    async reconcile(ctx): Promise<Result> {
      const { key, memory } = ctx;
      if (key.startsWith(NODE_KEY)) return evictNext(ctx, memory.node(key.slice(NODE_KEY.length)));
      const pod = memory.podOf(key);
      const node = pod && memory.node(pod.spec.nodeName ?? "");
      if (!pod || isVanishing(pod) || !node || !isSimulated(node) || lostSince(node) !== undefined) return undefined;
      if (state.stages.has("Pod") && !hasScript(pod, state)) {
        const { client, event, clock } = ctx;
        const hostIP = hostAddressOf(node);
        return performStage(Pod, pod, {
          client,
          now: clock.now(),
          state,
          node,
          podIP: memory.addresses.of(pod, node, hostIP),
          event: (type, reason, note) => event(type, pod, reason, note, undefined, { host: node.metadata.name }),
        });
      }
      return liveOn(ctx, state, pod, node);
    },
  });

const hasScript = ({ spec }: Pod, { isScripted }: SimulationState): boolean =>
  (spec.containers ?? []).some(({ image = "" }) => isScripted(image));

/** Plans and performs the next step of a Pod. */
async function liveOn(ctx: LifeContext, state: SimulationState, pod: Pod, node: Node): Promise<Result> {
  const { client, clock, memory } = ctx;
  state.client = client;
  const facts = await factsOf(ctx, state, pod, node);
  if (state.images.size > 0) await startScripts(state, pod, client, facts);
  let plan: LifePlan | undefined;
  for (let round = 0; round < MAX_PLANS && (plan === undefined || plan.signals.length > 0); round++) {
    plan = planLife(pod, facts, clock.now());
    if (plan.signals.length === 0) break;
    recordEvents(ctx, state, pod, plan.events);
    for (const { container, signal, at } of plan.signals) {
      const run = state.runOf(pod, container);
      if (signal === "KILL") run?.killAt(at);
      else run?.terminate(at);
      // oxlint-disable-next-line no-await-in-loop -- the plan is made again when the script has responded
      await run?.caughtUp();
    }
  }
  if (plan === undefined) return undefined;
  const { status, annotations, againAt, isOver, events } = plan;
  if (isOver) {
    recordEvents(ctx, state, pod, events);
    await deleteObject(client, Pod, pod, { gracePeriodSeconds: 0 });
    return undefined;
  }
  if (status) {
    const metadata = { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } };
    const changed =
      annotations && Object.keys(annotations).length > 0 ? { ...pod, metadata, status } : { ...pod, status };
    // The informer has a newer one, which is reconciled.
    if (!(await writeStatus(client, Pod, changed))) return undefined;
    state.noteStarts(pod, status);
  }
  recordEvents(ctx, state, pod, events);
  const again = facts.mountProblem === undefined ? undefined : mountWait(memory, pod);
  const until = againAt === undefined ? again : Math.min(againAt - clock.now(), again ?? Infinity);
  return until === undefined ? undefined : { requeueAfter: Math.max(1, Math.ceil(until)) };
}

/** How long a Pod waits before its volumes are checked again, unless its claims change. */
function mountWait(memory: LifeMemory, pod: Pod): number {
  const tries = memory.mountTries.get(pod.metadata.uid) ?? 0;
  memory.mountTries.set(pod.metadata.uid, tries + 1);
  memory.awaitVolumes(pod);
  return Math.min(FIRST_MOUNT_WAIT * 2 ** Math.min(tries, 10), MAX_MOUNT_WAIT);
}

async function factsOf(
  { client, clock, memory }: LifeContext,
  state: SimulationState,
  pod: Pod,
  node: Node,
): Promise<LifeFacts> {
  const hostIP = hostAddressOf(node);
  const podIP = memory.addresses.of(pod, node, hostIP);
  const problems = new Map<string, string>();
  let mountProblem: string | undefined;
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  if (!isGoing && !isFinal(pod.status.phase)) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
    const statuses = [...containerStatuses, ...initContainerStatuses];
    const running = new Set(statuses.filter((one) => one.state.running).map(({ name }) => name));
    const hasBegun = statuses.some(
      ({ state: { running: runs, terminated }, lastState }) => runs ?? terminated ?? lastState.terminated,
    );
    const read = readTexts(client, pod.metadata.namespace ?? "");
    if (!hasBegun && needsVolumes(pod)) mountProblem = await mountProblemOf(pod, client, read);
    const slice = clock.loop.slice();
    for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
      if (!needsObjects(container) || running.has(container.name)) continue;
      const pause = slice.pause();
      // oxlint-disable-next-line no-await-in-loop -- of ten thousand containers others are served between
      if (pause) await pause;
      // oxlint-disable-next-line no-await-in-loop -- in their order
      const made = await environmentOf(pod, container, { hostIP, podIP }, read);
      if ("problem" in made) problems.set(container.name, made.problem);
    }
  }
  return {
    node: { name: node.metadata.name, hostIP },
    podIP,
    mountProblem,
    configProblem: (container) => problems.get(container),
    pull: (image) => pullOf(node, image, state.isScripted(image) ? 0 : state.readyAfter),
    isScripted: state.isScripted,
    script: (container) => state.runOf(pod, container)?.facts,
    eviction: memory.evictions.get(pod.metadata.uid),
    completeAfter: state.completeAfter,
  };
}

/** Starts the scripts of the containers that run. */
async function startScripts(
  state: SimulationState,
  pod: Pod,
  client: Client,
  { node, podIP }: LifeFacts,
): Promise<void> {
  if (isFinal(pod.status.phase)) return;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  const statuses = new Map([...initContainerStatuses, ...containerStatuses].map((one) => [one.name, one]));
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const until = timeIn(deletionTimestamp);
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
    const status = statuses.get(container.name);
    if (!status?.state.running) continue;
    const pause = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
    // Sidecars get the signal after the others.
    const sent =
      until === undefined || isSidecar(container) ? undefined : until - (deletionGracePeriodSeconds - pause) * SECOND;
    const terminateAt = sent !== undefined && sent < state.host.clock.now() ? sent : undefined;
    const addresses = { hostIP: node.hostIP, podIP };
    // oxlint-disable-next-line no-await-in-loop -- in their order
    await state.ensureRun(pod, container, status, { client, addresses, terminateAt });
  }
}

/** Records the Events of a plan, as the kubelet of the node. */
function recordEvents(
  { event }: LifeContext,
  { settings }: SimulationState,
  pod: Pod,
  events: readonly LifeEvent[],
): void {
  const host = pod.spec.nodeName;
  for (const { type, reason, note, fieldPath, isUsual } of events) {
    if (isUsual && settings.events === "unusual") continue;
    event(type, pod as ApiObject, reason, note, undefined, { fieldPath, host });
  }
}

/** Evicts one Pod of a node whose disk is full, the one of the lowest priority, in each round. */
function evictNext({ memory, clock }: LifeContext, node: Node | undefined): Result {
  const since = node && fullSince(node);
  if (!node || since === undefined || lostSince(node) !== undefined) return undefined;
  const { name } = node.metadata;
  const now = clock.now();
  const turn = Math.floor((now - since) / EVICTION_PERIOD);
  const isNow = turn > 0 && now - (since + turn * EVICTION_PERIOD) < SECOND && memory.turns.get(name) !== turn;
  memory.turns.set(name, turn);
  if (isNow) {
    const [next] = memory
      .podsOn(name)
      .filter(
        ({ metadata, status, spec }) =>
          !isFinal(status.phase) && !metadata.deletionTimestamp && (spec.priority ?? 0) < CRITICAL,
      )
      .toSorted((a, b) => (a.spec.priority ?? 0) - (b.spec.priority ?? 0) || (keyOf(a) < keyOf(b) ? -1 : 1));
    if (next) {
      memory.evictions.set(next.metadata.uid, "The node was low on resource: ephemeral-storage. ");
      memory.requeue(next);
    }
  }
  return { requeueAfter: since + (Math.max(turn, 0) + 1) * EVICTION_PERIOD - now };
}

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name}`;
