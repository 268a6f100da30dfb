/**
 * The life of a Pod on a simulated node: what a kubelet would report, as a pure function of the Pod, of the reports of its scripts, and of
 * the time. All of its state is in the status, so that another process or a fork continues from there.
 */
import type { Pod } from "../../client/kinds/index.ts";
import { equal } from "../../value/value.ts";
import type { LifeEvent, LifeFacts, LifePlan, PodStatus } from "./contract.ts";
import { Life, type Stop } from "./life.ts";
import { conditionsOf, isFinal, phaseOf } from "./summary.ts";
import { SECOND, textOf, timeIn } from "./times.ts";

const NOTHING: LifePlan = { signals: [], events: [], isOver: false };

/** Why the node ends a Pod. */
interface End {
  readonly reason: string;
  readonly message: string;
}

/** Plans the next step of a Pod. Times of waits are exact; the status has whole seconds. */
export function planLife(pod: Pod, facts: LifeFacts, now: number): LifePlan {
  const deletion = deletionOf(pod);
  if (isFinal(pod.status.phase)) return deletion ? { ...NOTHING, isOver: isToBeRemoved(pod) } : NOTHING;
  const life = new Life(pod, facts, now);
  const { stop, end } = endOf(pod, facts, life, deletion, now);
  if (stop) life.stop(stop);
  else live(life);
  if (life.signals.length > 0) return { ...NOTHING, signals: life.signals, events: life.events.filter(isOfSignal) };
  const isOver = stop !== undefined && !life.isRunning;
  const status = statusOf(life, isOver, end);
  const { againAt, events, annotations } = life;
  const again = againAt === undefined ? {} : { againAt };
  if (isOver && deletion && !end && isToBeRemoved(pod) && !isFinalStatusSeen(pod, facts)) {
    return { ...NOTHING, events, isOver: true };
  }
  // A container that starts within a second shows at once that it runs.
  const isQuiet = pod.status.startTime === undefined && !life.isRemarkable && !stop && facts.mountProblem === undefined;
  if (isQuiet && againAt !== undefined && againAt - now <= SECOND) return { ...NOTHING, ...again };
  if (equal(status, pod.status) && Object.keys(annotations).length === 0) {
    // A kubelet repeats the Event of each mount that failed.
    const told = events.filter(({ reason }) => reason === "FailedMount");
    return { ...NOTHING, ...again, events: told, isOver: isOver && deletion !== undefined && isToBeRemoved(pod) };
  }
  return { signals: [], events, isOver: false, ...again, status, annotations };
}

function live(life: Life): void {
  if (life.facts.mountProblem === undefined) return life.live();
  life.events.push({ type: "Warning", reason: "FailedMount", note: life.facts.mountProblem, isUsual: false });
}

/** Whether an Event reports a signal: others are reported with the status. */
const isOfSignal = ({ reason, note }: LifeEvent): boolean =>
  reason === "Killing" || /^(Liveness|Startup) probe/.test(note);

/** The deletion of a Pod, which ends all of its containers. */
function deletionOf({ metadata }: Pod): Stop | undefined {
  const until = timeIn(metadata.deletionTimestamp);
  if (until === undefined) return undefined;
  return { at: until - (metadata.deletionGracePeriodSeconds ?? 0) * SECOND, until };
}

/** Whether the Pod must still be removed; one with finalizers is removed once. */
const isToBeRemoved = ({ metadata }: Pod): boolean => metadata.deletionGracePeriodSeconds !== 0;

/** Whether the end of a Pod may be read before it is removed: the result of its script, or by a controller that counts. */
const isFinalStatusSeen = (pod: Pod, facts: LifeFacts): boolean =>
  (pod.metadata.finalizers ?? []).length > 0 ||
  pod.spec.restartPolicy !== "Always" ||
  (pod.spec.containers ?? []).some(({ image = "" }) => facts.isScripted(image));

function endOf(
  pod: Pod,
  facts: LifeFacts,
  life: Life,
  deletion: Stop | undefined,
  now: number,
): { readonly stop?: Stop; readonly end?: End } {
  if (facts.eviction !== undefined) {
    life.events.push({ type: "Warning", reason: "Evicted", note: facts.eviction, isUsual: false });
    return { stop: { at: now, until: now }, end: { reason: "Evicted", message: facts.eviction } };
  }
  const seconds = pod.spec.activeDeadlineSeconds;
  const deadline = seconds === undefined ? Infinity : life.admittedAt + seconds * SECOND;
  if (deadline <= now && (!deletion || deadline < deletion.at)) {
    const grace = (pod.spec.terminationGracePeriodSeconds ?? 30) * SECOND;
    const note = "Pod was active on the node longer than the specified deadline";
    if (pod.status.reason !== "DeadlineExceeded") {
      life.events.push({ type: "Normal", reason: "DeadlineExceeded", note, isUsual: false });
    }
    return { stop: { at: deadline, until: deadline + grace }, end: { reason: "DeadlineExceeded", message: note } };
  }
  if (deletion) return { stop: deletion };
  if (deadline < Infinity) life.requeueAt(deadline);
  return {};
}

/** The status after a look. */
function statusOf(life: Life, isEnded: boolean, end: End | undefined): PodStatus {
  const { pod, facts, now } = life;
  const init = [...life.init.values()];
  // As a kubelet sorts them.
  const main = [...life.main.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const isSetUp = facts.mountProblem === undefined;
  const summarised = { init, main, isSetUp, isEnded };
  const phase = end && isEnded ? "Failed" : phaseOf(pod, summarised);
  const { startTime, ...before } = pod.status;
  const { generation } = pod.metadata;
  const hasAddress = isSetUp || pod.status.podIP !== undefined;
  return {
    ...before,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    ...(isEnded ? end : {}),
    conditions: conditionsOf(pod, phase, summarised, now),
    hostIP: facts.node.hostIP,
    hostIPs: [{ ip: facts.node.hostIP }],
    ...(hasAddress && facts.podIP !== "" ? { podIP: facts.podIP, podIPs: [{ ip: facts.podIP }] } : {}),
    startTime: startTime ?? textOf(life.admittedAt),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: main,
  };
}
