import type { Pod } from "../../client/kinds/index.ts";
import { addTo, removeFrom } from "../../runtime/sets-by-key.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { Heap, type HeapItem } from "../../util/heap.ts";

/** The backoff after the first failure, which doubles, and its maximum. */
const INITIAL_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 4000;
/** After this time an unschedulable Pod becomes active in any case. */
const MAX_UNSCHEDULABLE_MS = 300_000;

interface Waiting extends HeapItem {
  readonly key: string;
  priority: number;
  readonly since: string;
  failures: number;
  /** Whether a preemption makes space for it; then it has no backoff. */
  isNominated: boolean;
  /** The end of its backoff on the steady clock. */
  until: number;
  waitsFor: readonly string[];
  timer: Timer | undefined;
  state: "active" | "inFlight" | "backoff" | "unschedulable";
}

const isFirst = (a: Waiting, b: Waiting): boolean =>
  a.priority === b.priority ? (a.since === b.since ? a.key < b.key : a.since < b.since) : a.priority > b.priority;

/**
 * The queue of Pods that need a node: active ones by priority, then age; Pods in backoff after a failure; and
 * unschedulable Pods that wait for a change (SCHED-4).
 *
 *     add ─► active ─► pop ─► addUnschedulable ─► (a topic that it waits for changes) ─► backoff ─► active
 */
export class SchedulingQueue implements Disposable {
  readonly #clock: Pick<Clock, "steady" | "after">;
  readonly #onActive: () => void;
  readonly #all = new Map<string, Waiting>();
  readonly #active = new Heap<Waiting>(isFirst);
  readonly #waitingFor = new Map<string, Set<Waiting>>();
  #changes = 0;

  /** @param onActive called when a Pod becomes active */
  constructor(clock: Pick<Clock, "steady" | "after">, onActive: () => void) {
    this.#clock = clock;
    this.#onActive = onActive;
  }

  [Symbol.dispose](): void {
    for (const one of this.#all.values()) one.timer?.cancel();
    this.#all.clear();
  }

  /** The number of notifications so far, for {@link addUnschedulable}. */
  get changes(): number {
    return this.#changes;
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }

  /** Whether a Pod was popped and its result is not known yet. */
  isInFlight(key: string): boolean {
    return this.#all.get(key)?.state === "inFlight";
  }

  /** Adds a Pod; one that is there keeps its state. */
  add(key: string, { metadata, spec, status }: Pod): void {
    const known = this.#all.get(key);
    if (known) {
      known.isNominated = !!status?.nominatedNodeName;
      return;
    }
    const waiting: Waiting = {
      key,
      priority: spec.priority ?? 0,
      since: metadata.creationTimestamp,
      failures: 0,
      isNominated: !!status?.nominatedNodeName,
      until: 0,
      waitsFor: [],
      timer: undefined,
      state: "inFlight",
      heapIndex: -1,
    };
    this.#all.set(key, waiting);
    this.#enqueue(waiting);
  }

  /** Removes a Pod. */
  drop(key: string): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#leave(waiting);
    this.#all.delete(key);
  }

  /** Removes and returns the first active Pod; it is in flight until its result is known. */
  pop(): string | undefined {
    const { first } = this.#active;
    if (!first) return undefined;
    this.#leave(first);
    first.state = "inFlight";
    return first.key;
  }

  /**
   * Adds an unschedulable Pod: it becomes active after its backoff when a topic that it waits for changes.
   *
   * @param since {@link changes} when it was popped: later changes may not have been seen
   */
  addUnschedulable(key: string, waitsFor: readonly string[], since: number): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#startBackoff(waiting);
    if (since !== this.#changes) {
      this.#backOff(waiting);
      return;
    }
    waiting.state = "unschedulable";
    waiting.waitsFor = [...new Set(waitsFor)];
    for (const topic of waiting.waitsFor) addTo(this.#waitingFor, topic, waiting);
    this.#wait(waiting, MAX_UNSCHEDULABLE_MS);
  }

  /** Retries a failed Pod after its backoff. */
  retry(key: string): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#startBackoff(waiting);
    this.#backOff(waiting);
  }

  /** Activates an unschedulable Pod that has changed itself. */
  activate(key: string): void {
    const waiting = this.#all.get(key);
    if (waiting?.state === "unschedulable") this.#backOff(waiting);
  }

  /** Activates the Pods that wait for a topic. */
  notify(topic: string): void {
    this.#changes++;
    for (const waiting of this.#waitingFor.get(topic) ?? []) this.#backOff(waiting);
  }

  #startBackoff(waiting: Waiting): void {
    const pause = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** Math.min(waiting.failures, 10));
    waiting.failures++;
    waiting.until = this.#clock.steady() + pause;
  }

  /** Activates a Pod at the end of its backoff. */
  #backOff(waiting: Waiting): void {
    this.#leave(waiting);
    const left = waiting.isNominated ? 0 : waiting.until - this.#clock.steady();
    if (left <= 0) {
      this.#enqueue(waiting);
      return;
    }
    waiting.state = "backoff";
    this.#wait(waiting, left);
  }

  #enqueue(waiting: Waiting): void {
    waiting.state = "active";
    this.#active.add(waiting);
    this.#onActive();
  }

  #wait(waiting: Waiting, millis: number): void {
    const work = (): void => {
      this.#leave(waiting);
      this.#enqueue(waiting);
    };
    waiting.timer = this.#clock.after(millis, work, { owner: "scheduler" });
  }

  /** Removes a Pod from all waits. */
  #leave(waiting: Waiting): void {
    this.#active.delete(waiting);
    waiting.timer?.cancel();
    waiting.timer = undefined;
    for (const topic of waiting.waitsFor) removeFrom(this.#waitingFor, topic, waiting);
    waiting.waitsFor = [];
  }
}
