/**
 * Looks after a Pod of the node: has its volumes set up, lets its containers begin, says how it is, and takes everything down when
 * it has ended.
 *
 *     volumes stand ─► containers ─► … ─► containers stopped ─► volumes taken down ─► directory removed ─► Pod removed
 *
 * The logs of a Pod that has ended stay in its directory until it is gone from the API.
 *
 * @module
 */
import { type Client, attempt } from "../client/index.ts";
import { Pod } from "../client/kinds/index.ts";
import { isFinished } from "../claims/usage.ts";
import type { Clock } from "../util/clock.ts";
import type { ContainerStates, Containers } from "./containers/contract.ts";
import { LOGS } from "./containers/kept.ts";
import { tellStarts } from "./containers/tell-starts.ts";
import type { FoundVolume } from "./contract.ts";
import type { PodRecord } from "./record.ts";
import { type PodState, isSaid, statusOf } from "./pod-status.ts";
import { waitAfter } from "./retry.ts";
import { type TakingDown, removePodDirectory, takeDown } from "./take-down.ts";

/** What work on Pods is given. */
export interface PodWork extends TakingDown {
  readonly client: Client;
  readonly containers: Containers;
  readonly clock: Pick<Clock, "now">;
  /** The address of the node. */
  readonly hostIP: string;
  /** The address of Pods, where they have one. */
  readonly podIP: string | undefined;
}

/** What the processes of a Pod are given whose object is gone already. */
const GONE_GRACE_MS = 2000;

/** Looks at a Pod; milliseconds after which it is to be looked at again. */
export async function syncPod(work: PodWork, uid: string): Promise<number | undefined> {
  const record = work.memory.record(uid);
  const { pod } = record;
  if (!record.isEnding && pod && !record.isGone && !hasToEnd(record)) {
    await work.lanes.run("Pods", work.signal, () => keep(work, record, pod));
    return undefined;
  }
  return end(work, record);
}

/** Whether nothing of a Pod is to run any more. */
const hasToEnd = ({ pod, end: why }: PodRecord): boolean =>
  why !== undefined || isFinished(pod!) || pod!.metadata.deletionTimestamp !== undefined;

/** A Pod that is to be there. */
async function keep(work: PodWork, record: PodRecord, pod: Pod): Promise<void> {
  const { memory, containers } = work;
  const known = new Set(record.volumes.keys());
  for (const name of record.uses.keys()) if (!known.has(name)) memory.add("volumes", `${record.uid}/${name}`);
  const { standing } = record;
  const states = await containers.sync(pod, standing);
  tellStarts(work.event, record, states);
  await say(work, pod, stateOf(work, states, standing !== undefined));
}

const stateOf = (
  { hostIP, podIP, clock }: PodWork,
  containers: ContainerStates,
  isReadyToStart: boolean,
): PodState => ({
  containers,
  isReadyToStart,
  hostIP,
  podIP,
  now: clock.now(),
});

/** Writes how a Pod is, where that is not what it says. */
async function say({ client, signal }: PodWork, pod: Pod, state: PodState): Promise<void> {
  const status = statusOf(pod, state);
  if (isSaid(pod, status)) return;
  const { namespace = "", name, uid } = pod.metadata;
  const patch = { metadata: { uid }, status };
  const pods = client.resource(Pod);
  await attempt(pods.status.patch({ namespace, name }, patch, { strategic: true, signal }), "NotFound", "Conflict");
}

/** A Pod that has ended, or is to end: what runs, then its volumes, then its directory, then its object (NODE-7, NODE-8). */
async function end(work: PodWork, record: PodRecord): Promise<number | undefined> {
  const { memory, containers } = work;
  const { uid } = record;
  record.isEnding = true;
  if (!(await containers.stop(uid, graceOf(record)))) return undefined;
  await sayEnd(work, record);
  await record.rest();
  let volumes: readonly FoundVolume[];
  try {
    volumes = await takeDown(work, record);
    await removePodDirectory(work, uid, isToStay(record) ? [LOGS] : []);
  } catch (error) {
    if (work.signal.aborted) return undefined;
    record.why = (error as Error).message;
    return waitAfter(record.failures++);
  }
  containers.forget(uid);
  memory.drop(uid, volumes);
  await removeObject(work, record);
  return undefined;
}

/** Whether the object of a Pod goes on being there: what its containers have said stays until it is gone. */
function isToStay({ pod, isGone }: PodRecord): boolean {
  if (!pod || isGone) return false;
  const { deletionTimestamp, finalizers = [] } = pod.metadata;
  return deletionTimestamp === undefined || finalizers.length > 0;
}

function graceOf({ pod, isGone, end: why }: PodRecord): number {
  if (!pod || isGone) return GONE_GRACE_MS;
  const { deletionGracePeriodSeconds } = pod.metadata;
  const own = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  return why || deletionGracePeriodSeconds === undefined ? own : deletionGracePeriodSeconds * 1000;
}

/** Says how containers ended, and why the Pod had to. */
async function sayEnd(work: PodWork, record: PodRecord): Promise<void> {
  const { pod, isGone, end: why } = record;
  if (!pod || isGone || isFinished(pod)) return;
  const ended = work.containers.ended(pod);
  if (!ended && !why) return;
  const none = { init: [], main: [] };
  await say(work, pod, { ...stateOf(work, ended ?? none, false), end: why, isOver: true });
}

/** Removes a Pod that is being deleted, now that nothing of it is left; one that others hold stays until they let go. */
async function removeObject({ client, signal }: PodWork, { pod, isGone }: PodRecord): Promise<void> {
  if (!pod || isGone) return;
  const { deletionTimestamp, deletionGracePeriodSeconds, namespace = "", name, uid } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return;
  const how = { uid, gracePeriodSeconds: 0, signal };
  await attempt(client.resource(Pod).delete({ namespace, name }, how), "NotFound", "Conflict");
}
