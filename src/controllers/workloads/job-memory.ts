/** The objects that the Job controller follows: Jobs and their Pods, and the keys that their changes concern. */
import { type Key, keyOf } from "../../client/index.ts";
import { Job, Pod } from "../../client/kinds/index.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import { type Informer, type ObjectEvent, type SourceParts, sharedInformer } from "../../runtime/index.ts";
import { controllerUid, ownerKey } from "../../runtime/owners.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { controllerOf } from "../../workloads/common/ownership.ts";
import type { Failures } from "../../workloads/job/backoff.ts";
import { finishedCondition } from "../../workloads/job/ends.ts";
import { BATCH_MS } from "../../workloads/job/plan.ts";
import { isTracked } from "../../workloads/job/pods.ts";
import { freeByLabels } from "./informers.ts";

const JOB_UID = "batch.kubernetes.io/controller-uid";

/** The uid in the selector that the server generates; for a selector of a client, its namespace. */
const selectedUid = ({ metadata, spec }: Job): string =>
  spec.selector?.matchLabels?.[JOB_UID] ?? `in ${metadata.namespace ?? ""}`;

/** The uid in the label of a Pod without a controller. */
const freeOfJob = (pod: Pod): string | undefined => (controllerOf(pod) ? undefined : pod.metadata.labels?.[JOB_UID]);

/** The Jobs by their controller, and by the Pods that they select. */
export const workloadJobs = sharedInformer<Job, "Namespaced", "controller" | "selected">(Job, {
  indexes: { controller: controllerUid, selected: selectedUid },
});

/** The Pods by their controller, and those without one by namespace and labels. */
export const jobPods = sharedInformer<Pod, "Namespaced", "controller" | "free">(Pod, {
  indexes: { controller: controllerUid, free: freeByLabels },
});

/** Whether a Job belongs to another controller (WL-JOB-41). */
export const isManagedElsewhere = ({ spec }: Job): boolean =>
  spec.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";

/**
 * The memory of the Job controller. Keys are `job/NAMESPACE/NAME`, and `pod/NAMESPACE/NAME` for a Pod with the finalizer that no Job
 * counts. A Job that changes is due at once; changes of its Pods and its status are reconciled together after a second (WL-JOB-6).
 */
export class JobMemory implements Disposable {
  readonly jobs: Informer<Job, "Namespaced", "controller" | "selected">;
  readonly pods: Informer<Pod, "Namespaced", "controller" | "free">;
  /** The failures since the last success, by uid. Existing Pods show them, too: a restart loses only the backoff for deleted Pods. */
  readonly failures = new Map<string, Failures>();
  readonly #clock: Clock;
  readonly #add: (key: string) => void;
  readonly #batches = new Map<string, Timer>();
  readonly #subscriptions = new DisposableStack();

  constructor({ own, clock }: SourceParts, add: (key: string) => void) {
    this.#add = add;
    this.#clock = clock;
    this.jobs = own(workloadJobs);
    this.pods = own(jobPods);
    this.#subscriptions.use(this.jobs.on((event) => this.#jobChanged(event)));
    this.#subscriptions.use(this.pods.on((event) => this.#podChanged(event)));
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
    for (const timer of this.#batches.values()) timer.cancel();
    this.#batches.clear();
  }

  /** Clears the due time of a Job that is reconciled now. */
  begins(key: string): void {
    this.#batches.get(key)?.cancel();
    this.#batches.delete(key);
  }

  #jobChanged(event: ObjectEvent<Job>): void {
    const { object: job, type } = event;
    const { uid, generation, deletionTimestamp } = job.metadata;
    if (type === "deleted" || finishedCondition(job)) {
      this.failures.delete(uid);
      for (const pod of this.pods.by("controller", uid)) if (isTracked(pod)) this.#add(podKey(pod));
      return;
    }
    const old = type === "changed" ? event.old.metadata : undefined;
    const isSpecOld = old?.generation === generation && old?.deletionTimestamp === deletionTimestamp;
    if (old && isSpecOld) this.#batch(jobKey(keyOf<"Namespaced">(job)));
    else this.#add(jobKey(keyOf<"Namespaced">(job)));
  }

  #podChanged(event: ObjectEvent<Pod>): void {
    const { object: pod, type } = event;
    const controller = controllerUid(pod);
    const before = type === "changed" ? event.old : undefined;
    if (before && controllerUid(before) !== controller) this.#ownerOf(before);
    if (controller !== undefined) {
      const job = this.#ownerOf(pod);
      if (type !== "deleted" && isTracked(pod) && isOfJob(pod) && (!job || finishedCondition(job)))
        this.#add(podKey(pod));
      return;
    }
    if (type !== "deleted" && isTracked(pod)) this.#add(podKey(pod));
    for (const job of this.#selecting(pod)) this.#batch(jobKey(keyOf<"Namespaced">(job)));
  }

  /** Returns the Job that controls a Pod, which is due when it has not finished. */
  #ownerOf(pod: Pod): Job | undefined {
    const job = this.jobOf(pod);
    if (job && !finishedCondition(job)) this.#batch(jobKey(keyOf<"Namespaced">(job)));
    return job;
  }

  /** Returns the Job that controls a Pod. */
  jobOf(pod: Pod): Job | undefined {
    const key = ownerKey(pod, Job as never) as Key<"Namespaced"> | undefined;
    const job = key && this.jobs.get(key);
    return job?.metadata.uid === controllerUid(pod) ? job : undefined;
  }

  /** The Jobs that select a Pod without a controller. */
  #selecting(pod: Pod): readonly Job[] {
    const uid = freeOfJob(pod);
    const jobs = [
      ...(uid === undefined ? [] : this.jobs.by("selected", uid)),
      ...this.jobs.by("selected", `in ${pod.metadata.namespace ?? ""}`),
    ];
    return jobs.filter((job) => job.metadata.namespace === pod.metadata.namespace && selects(job, pod));
  }

  #batch(key: string): void {
    if (this.#batches.has(key)) return;
    const due = (): void => {
      this.#batches.delete(key);
      this.#add(key);
    };
    this.#batches.set(key, this.#clock.after(BATCH_MS, due));
  }
}

/** Whether the selector of a Job matches a Pod. */
export const selects = ({ spec }: Job, { metadata }: Pod): boolean =>
  spec.selector !== undefined && selectorOf(spec.selector).matches(metadata.labels);

/** Whether the controller of a Pod is a Job, even one that does not exist. */
export const isOfJob = (pod: Pod): boolean => ownerKey(pod, Job as never) !== undefined;

const jobKey = ({ namespace, name }: Key<"Namespaced">): string => `job/${namespace}/${name}`;
const podKey = ({ metadata }: Pod): string => `pod/${metadata.namespace}/${metadata.name}`;
