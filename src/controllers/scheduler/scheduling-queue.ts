/**
 * The Pods that need a node: those whose turn it is, the most important first, then the oldest; those that pause after a failure;
 * and those that wait for something to change (SCHED-4).
 *
 *     add ─► ready ─► pop ─► addUnschedulable ─► (something that it waitsFor changes) ─► pausing ─► ready
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { Heap, type Placed } from "../../util/heap.ts";

/** The pause after the first failure, which doubles, and the longest one. */
const INITIAL_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 4000;
/** After so long a Pod is looked at whatever has happened: no change may be overlooked for ever. */
const MAX_UNSCHEDULABLE_MS = 300_000;

interface Waiting extends Placed {
  readonly key: string;
  priority: number;
  readonly since: string;
  failures: number;
  /** Whether Pods go to make room for it: it does not pause then. */
  isNominated: boolean;
  /** Before this time of the steady clock it pauses. */
  until: number;
  waitsFor: readonly string[];
  timer: Timer | undefined;
  state: "active" | "inFlight" | "backoff" | "unschedulable";
}

const isFirst = (a: Waiting, b: Waiting): boolean =>
  a.priority === b.priority ? (a.since === b.since ? a.key < b.key : a.since < b.since) : a.priority > b.priority;

/** See the head of this file. */
export class SchedulingQueue implements Disposable {
  readonly #clock: Pick<Clock, "steady" | "after">;
  readonly #onActive: () => void;
  readonly #all = new Map<string, Waiting>();
  readonly #active = new Heap<Waiting>(isFirst);
  /** Who waitsFor what. */
  readonly #waitingFor = new Map<string, Set<Waiting>>();
  #changes = 0;

  /** @param onActive called when it is somebody's turn */
  constructor(clock: Pick<Clock, "steady" | "after">, onActive: () => void) {
    this.#clock = clock;
    this.#onActive = onActive;
  }

  [Symbol.dispose](): void {
    for (const one of this.#all.values()) one.timer?.cancel();
    this.#all.clear();
  }

  /** How many changes somebody might have heeded: who decides remembers it, for {@link addUnschedulable}. */
  get changes(): number {
    return this.#changes;
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }

  /** Whether a Pod was taken, and it was not told yet what came of it. */
  isInFlight(key: string): boolean {
    return this.#all.get(key)?.state === "inFlight";
  }

  /** Lets a Pod wait for its turn; one that is there already waits as it did. */
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
      place: -1,
    };
    this.#all.set(key, waiting);
    this.#enqueue(waiting);
  }

  /** Forgets a Pod. */
  drop(key: string): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#leave(waiting);
    this.#all.delete(key);
  }

  /** The Pod whose turn it is; it is neither ready nor parked until it is told what came of it. */
  pop(): string | undefined {
    const { first } = this.#active;
    if (!first) return undefined;
    this.#leave(first);
    first.state = "inFlight";
    return first.key;
  }

  /**
   * A Pod fits nowhere: it is called when something changes that it waitsFor, after a pause.
   *
   * @param since {@link changes} when it was taken: what has changed since then may not have been seen
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
    for (const topic of waiting.waitsFor) {
      const waiters = this.#waitingFor.get(topic) ?? new Set<Waiting>();
      this.#waitingFor.set(topic, waiters.add(waiting));
    }
    this.#wait(waiting, MAX_UNSCHEDULABLE_MS);
  }

  /** What was decided about a Pod could not be done: it is called after a pause. */
  retry(key: string): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#startBackoff(waiting);
    this.#backOff(waiting);
  }

  /** Calls a Pod that has changed itself. */
  activate(key: string): void {
    const waiting = this.#all.get(key);
    if (waiting?.state === "unschedulable") this.#backOff(waiting);
  }

  /** Something has changed: who waitsFor it is called. */
  notify(topic: string): void {
    this.#changes++;
    for (const waiting of this.#waitingFor.get(topic) ?? []) this.#backOff(waiting);
  }

  #startBackoff(waiting: Waiting): void {
    const pause = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** Math.min(waiting.failures, 10));
    waiting.failures++;
    waiting.until = this.#clock.steady() + pause;
  }

  /** Calls a Pod, if it still pauses at the end of its pause. */
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

  /** Takes a Pod from wherever it waits. */
  #leave(waiting: Waiting): void {
    this.#active.delete(waiting);
    waiting.timer?.cancel();
    waiting.timer = undefined;
    for (const topic of waiting.waitsFor) {
      const waiters = this.#waitingFor.get(topic);
      waiters?.delete(waiting);
      if (waiters?.size === 0) this.#waitingFor.delete(topic);
    }
    waiting.waitsFor = [];
  }
}
