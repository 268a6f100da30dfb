/**
 * Reconciles a Pod of the node: queues its volumes, starts its containers, writes its status, and removes everything when
 * it ends.
 *
 *     volumes set up ─► containers ─► … ─► containers stopped ─► volumes torn down ─► directory removed ─► Pod removed
 *
 * The logs of a Pod that has ended stay in its directory until it is deleted from the API.
 *
 * @module
 */
import { type Client, attempt } from "../client/index.ts";
import { Pod } from "../client/kinds/index.ts";
import { isFinished } from "../claims/usage.ts";
import type { Clock } from "../util/clock.ts";
import type { ContainerStates, Containers } from "./containers/contract.ts";
import { recordStarts } from "./containers/record-starts.ts";
import type { FoundVolume } from "./contract.ts";
import type { PodRecord } from "./record.ts";
import { LOGS } from "./paths.ts";
import { type PodState, isWritten, statusOf } from "./pod-status.ts";
import { waitAfter } from "./retry.ts";
import { type TearDownWork, removePodDirectory, tearDown } from "./tear-down.ts";
import { messageOf } from "../util/error.ts";

/** The context of work on Pods. */
export interface PodWork extends TearDownWork {
  readonly client: Client;
  readonly containers: Containers;
  readonly clock: Pick<Clock, "now">;
  /** The address of the node. */
  readonly hostIP: string;
  /** The address of Pods, where they have one. */
  readonly podIP: string | undefined;
}

/** The grace period of a Pod that is already deleted from the API. */
const GONE_GRACE_MS = 2000;

/** Reconciles a Pod; returns milliseconds until it is due again. */
export async function syncPod(work: PodWork, uid: string): Promise<number | undefined> {
  const record = work.memory.record(uid);
  const { pod } = record;
  if (!record.isEnding && pod && !record.isGone && !hasToEnd(record)) {
    await work.permits.run("Pods", work.signal, () => keep(work, record, pod));
    return undefined;
  }
  return end(work, record);
}

/** Whether a Pod has to end. */
const hasToEnd = ({ pod, end: why }: PodRecord): boolean =>
  why !== undefined || (pod !== undefined && (isFinished(pod) || pod.metadata.deletionTimestamp !== undefined));

/** Reconciles a Pod that runs. */
async function keep(work: PodWork, record: PodRecord, pod: Pod): Promise<void> {
  const { memory, containers } = work;
  const known = new Set(record.volumes.keys());
  for (const name of record.uses.keys()) if (!known.has(name)) memory.add("volumes", `${record.uid}/${name}`);
  const { setUp } = record;
  const states = await containers.sync(pod, setUp);
  recordStarts(work.event, record, states);
  await writeStatus(work, pod, stateOf(work, states, setUp !== undefined));
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

/** Writes the status of a Pod where it has changed. */
async function writeStatus({ client, signal }: PodWork, pod: Pod, state: PodState): Promise<void> {
  const status = statusOf(pod, state);
  if (isWritten(pod, status)) return;
  const { namespace = "", name, uid } = pod.metadata;
  const patch = { metadata: { uid }, status };
  const pods = client.resource(Pod);
  await attempt(pods.status.patch({ namespace, name }, patch, { strategic: true, signal }), "NotFound", "Conflict");
}

/** Ends a Pod: its containers, then its volumes, its directory, and its object (NODE-7, NODE-8). */
async function end(work: PodWork, record: PodRecord): Promise<number | undefined> {
  const { memory, containers } = work;
  const { uid } = record;
  record.isEnding = true;
  if (!(await containers.stop(uid, graceOf(record)))) return undefined;
  await writeEnd(work, record);
  await record.cancelWork();
  let volumes: readonly FoundVolume[];
  try {
    volumes = await tearDown(work, record);
    await removePodDirectory(work, uid, staysInApi(record) ? [LOGS] : []);
  } catch (error) {
    if (work.signal.aborted) return undefined;
    record.why = messageOf(error);
    return waitAfter(record.failures++);
  }
  containers.forget(uid);
  memory.drop(uid, volumes);
  await removeObject(work, record);
  return undefined;
}

/** Whether the object of a Pod stays: then its logs do, too. */
function staysInApi({ pod, isGone }: PodRecord): boolean {
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

/** Writes how containers ended, and why the agent ends the Pod. */
async function writeEnd(work: PodWork, record: PodRecord): Promise<void> {
  const { pod, isGone, end: why } = record;
  if (!pod || isGone || isFinished(pod)) return;
  const ended = work.containers.ended(pod);
  if (!ended && !why) return;
  const none = { init: [], main: [] };
  await writeStatus(work, pod, { ...stateOf(work, ended ?? none, false), end: why, isOver: true });
}

/** Removes the object of a Pod that is being deleted; one with finalizers stays until others remove them. */
async function removeObject({ client, signal }: PodWork, { pod, isGone }: PodRecord): Promise<void> {
  if (!pod || isGone) return;
  const { deletionTimestamp, deletionGracePeriodSeconds, namespace = "", name, uid } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return;
  const options = { uid, gracePeriodSeconds: 0, signal };
  await attempt(client.resource(Pod).delete({ namespace, name }, options), "NotFound", "Conflict");
}
