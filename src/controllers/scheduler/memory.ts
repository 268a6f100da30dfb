import { parseKey } from "../../client/index.ts";
import type { Pod } from "../../client/kinds/index.ts";
import { type SourceParts, type Informer, type ObjectEvent } from "../../runtime/index.ts";
import { addTo, removeFrom } from "../../runtime/sets-by-key.ts";
import { isFinished } from "../../claims/usage.ts";
import { SchedulerState } from "./scheduler-state.ts";
import type { PodInfo } from "./pod-info.ts";
import { observe } from "./observers.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";
import { SCHEDULER, type SchedulerNames } from "./names.ts";
import type { Plan } from "./plan.ts";
import type { Preemption } from "./preempt.ts";
import { type SchedulerSpecs, textOf } from "./specs.ts";
import { topics } from "./topics.ts";
import type { StateSources } from "./view.ts";

/** A Pod with a chosen node, until it is bound. */
export interface Attempt {
  readonly info: PodInfo;
  readonly node: string;
  readonly plan: Plan;
  /** The time of the choice, on the steady clock. */
  readonly since: number;
  isWritten: boolean;
}

/** The reason why a Pod is not scheduled, for its condition. */
export interface Failure {
  readonly uid: string;
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
  readonly preemption?: Preemption | undefined;
  readonly isNominatedNoMore?: boolean;
}

/** The key of the next Pods in the queue. */
export const DECIDE = "decide";

/**
 * The memory of the scheduler: the {@link SchedulerState}, the {@link SchedulingQueue}, and each attempt until it has
 * succeeded or failed.
 *
 * Keys are `decide` for the next Pods in the queue, and `pod/NAMESPACE/NAME` for the binding cycle of one.
 */
export class SchedulerMemory implements Disposable {
  readonly names: SchedulerNames;
  readonly state: SchedulerState;
  readonly queue: SchedulingQueue;
  readonly pods: Informer<Pod, "Namespaced", never>;
  readonly failures = new Map<string, Failure>();
  readonly #attempts = new Map<string, Attempt>();
  /** The Pods that wait for a claim to be bound, by the key of the claim. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #add: (key: string) => void;
  readonly #subscriptions = new DisposableStack();
  readonly #sources: StateSources;

  constructor(specs: SchedulerSpecs, names: SchedulerNames, { own, clock }: SourceParts, add: (key: string) => void) {
    this.names = names;
    this.#add = add;
    this.pods = own(specs.pods);
    this.queue = this.#subscriptions.use(new SchedulingQueue(clock, () => add(DECIDE)));
    const [claims, volumes, classes] = [own(specs.claims), own(specs.volumes), own(specs.classes)];
    const [drivers, capacities, attachments] = [own(specs.drivers), own(specs.capacities), own(specs.attachments)];
    this.#sources = {
      claim: (key) => claims.get(parseKey(key)),
      volume: (name) => volumes.get({ name }),
      storageClass: (name) => classes.get({ name }),
      driver: (name) => drivers.get({ name }),
      capacities: (name) => capacities.by("class", name),
      volumesNaming: (claim) => volumes.by("claim", claim),
      attachmentsOn: (node) => attachments.by("node", node),
    };
    this.state = new SchedulerState(this.#sources, names);
    const observers = {
      state: this.state,
      queue: this.queue,
      names,
      claimChanged: (claim: string) => this.#claimChanged(claim),
      nodeGone: (node: string) => this.#nodeGone(node),
    };
    this.#subscriptions.use(observe(specs, own, observers));
    this.#subscriptions.use(this.pods.on((event) => this.#podChanged(event)));
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  /** The claims and volumes as they are stored. */
  get stored(): Pick<StateSources, "claim" | "volume"> {
    return this.#sources;
  }

  /** Continues with the next Pods in the queue. */
  wake(): void {
    this.#add(DECIDE);
  }

  /** A Pod that this scheduler has to schedule, as in memory. */
  pod(key: string): Pod | undefined {
    const pod = this.pods.get(parseKey(key));
    return pod && isOurs(pod) ? pod : undefined;
  }

  attempt(key: string): Attempt | undefined {
    return this.#attempts.get(key);
  }

  /** Begins an attempt; it counts from now on (SCHED-35). */
  begin(attempt: Attempt): void {
    const { info, node, plan } = attempt;
    this.failures.delete(info.key);
    this.#attempts.set(info.key, attempt);
    this.state.assume(info, node, plan);
    for (const claim of info.claims) addTo(this.#waiting, claim, info.key);
    this.#add(`pod/${info.key}`);
  }

  /** Records why a Pod is not scheduled. */
  fail(key: string, failure: Failure): void {
    this.failures.set(key, failure);
    this.#add(`pod/${key}`);
  }

  /** Ends a failed attempt and retries after a backoff (SCHED-6, SCHED-32). */
  retry(key: string, message: string): void {
    const attempt = this.#attempts.get(key);
    if (!attempt) return;
    this.#abandon(key);
    this.queue.retry(key);
    this.fail(key, { uid: attempt.info.uid, reason: "SchedulerError", message });
  }

  /** Drops a failed attempt: only what is stored counts from now on. */
  #abandon(key: string): void {
    const attempt = this.#end(key);
    if (!attempt) return;
    const pod = this.pods.get(parseKey(key));
    this.state.dropPod(attempt.info.uid);
    if (pod) this.state.setPod(pod);
    this.queue.notify(topics.podDeleted);
  }

  /** Removes an attempt; the Pod stays on its node in the state. */
  #end(key: string): Attempt | undefined {
    const attempt = this.#attempts.get(key);
    if (!attempt) return undefined;
    this.#attempts.delete(key);
    for (const claim of attempt.info.claims) removeFrom(this.#waiting, claim, key);
    this.state.forgetPlan(attempt.plan);
    return attempt;
  }

  #claimChanged(claim: string): void {
    for (const key of this.#waiting.get(claim) ?? []) this.#add(`pod/${key}`);
  }

  #nodeGone(node: string): void {
    for (const [key, attempt] of this.#attempts) if (attempt.node === node) this.#add(`pod/${key}`);
  }

  #podChanged(event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    const key = textOf(pod);
    const attempt = this.#attempts.get(key);
    const isGone = event.type === "deleted";
    if (attempt && (isGone || attempt.info.uid !== pod.metadata.uid || !isOurs(pod))) {
      if (isGone || !pod.spec.nodeName) this.#abandon(key);
      else this.#end(key);
    }
    this.#count(event);
    if (isGone || !isOurs(pod)) this.#forget(key);
    else if (isGated(pod)) {
      this.queue.drop(key);
      this.#add(`pod/${key}`);
    } else if (!this.#attempts.has(key)) this.#queue(key, event);
  }

  #forget(key: string): void {
    this.queue.drop(key);
    this.failures.delete(key);
  }

  #queue(key: string, event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    const isAnother = event.type === "changed" && event.old.metadata.uid !== pod.metadata.uid;
    if (isAnother) this.queue.drop(key);
    const isKnown = this.queue.has(key);
    this.queue.add(key, pod);
    if (isKnown && event.type === "changed" && relevantFieldsOf(event.old) !== relevantFieldsOf(pod))
      this.queue.activate(key);
  }

  /** Updates the node of a Pod, and notifies Pods that this may help. */
  #count(event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    const { uid } = pod.metadata;
    const before = this.state.nodeOf(uid);
    const isThere = event.type !== "deleted" && !!pod.spec.nodeName && !isFinished(pod);
    if (isThere) this.state.setPod(pod);
    else if (!this.#attempts.has(textOf(pod))) this.state.dropPod(uid);
    if (before !== undefined && this.state.nodeOf(uid) !== before) this.queue.notify(topics.podDeleted);
    const isOther =
      event.type === "changed" && JSON.stringify(event.old.metadata.labels) !== JSON.stringify(pod.metadata.labels);
    const isNew = event.type !== "changed" || !event.old.spec.nodeName;
    if (isThere && (isNew || isOther)) this.queue.notify(topics.podAdded);
  }
}

/** Whether this scheduler has to find a node for a Pod (SCHED-1, SCHED-11). */
export const isOurs = ({ metadata, spec, status }: Pod): boolean =>
  (spec.schedulerName ?? SCHEDULER) === SCHEDULER &&
  !spec.nodeName &&
  metadata.deletionTimestamp === undefined &&
  !isFinished({ status } as Pod);

/** Whether a Pod has scheduling gates (SCHED-5). */
export const isGated = ({ spec }: Pod): boolean => (spec.schedulingGates ?? []).length > 0;

/** The fields of a Pod whose change matters here, except its status. */
const relevantFieldsOf = ({ metadata, spec }: Pod): string =>
  JSON.stringify([metadata.generation, metadata.labels, spec.schedulingGates]);
