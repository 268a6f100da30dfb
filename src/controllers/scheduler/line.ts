/**
 * The Pods that need a node: those whose turn it is, the most important first, then the oldest; those that pause after a failure;
 * and those that wait for something to change (SCHED-4).
 *
 *     add ─► ready ─► take ─► park ─► (something that it heeds changes) ─► pausing ─► ready
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { Heap, type Placed } from "../../util/heap.ts";

/** The pause after the first failure, which doubles, and the longest one. */
const FIRST_MS = 1000;
const MOST_MS = 4000;
/** After so long a Pod is looked at whatever has happened: no change may be overlooked for ever. */
const ANYWAY_MS = 300_000;

interface Waiting extends Placed {
  readonly key: string;
  priority: number;
  readonly since: string;
  failures: number;
  /** Whether Pods go to make room for it: it does not pause then. */
  isNominated: boolean;
  /** Before this time of the steady clock it pauses. */
  until: number;
  heeds: readonly string[];
  timer: Timer | undefined;
  state: "ready" | "taken" | "pausing" | "parked";
}

const isFirst = (a: Waiting, b: Waiting): boolean =>
  a.priority === b.priority ? (a.since === b.since ? a.key < b.key : a.since < b.since) : a.priority > b.priority;

/** See the head of this file. */
export class Line implements Disposable {
  readonly #clock: Pick<Clock, "steady" | "after">;
  readonly #isReady: () => void;
  readonly #all = new Map<string, Waiting>();
  readonly #ready = new Heap<Waiting>(isFirst);
  /** Who heeds what. */
  readonly #heeding = new Map<string, Set<Waiting>>();
  #changes = 0;

  /** @param isReady called when it is somebody's turn */
  constructor(clock: Pick<Clock, "steady" | "after">, isReady: () => void) {
    this.#clock = clock;
    this.#isReady = isReady;
  }

  [Symbol.dispose](): void {
    for (const one of this.#all.values()) one.timer?.cancel();
    this.#all.clear();
  }

  /** How many changes somebody might have heeded: who decides remembers it, for {@link park}. */
  get changes(): number {
    return this.#changes;
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }

  /** Whether a Pod was taken, and it was not told yet what came of it. */
  isTaken(key: string): boolean {
    return this.#all.get(key)?.state === "taken";
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
      heeds: [],
      timer: undefined,
      state: "taken",
      place: -1,
    };
    this.#all.set(key, waiting);
    this.#call(waiting);
  }

  /** Forgets a Pod. */
  drop(key: string): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#leave(waiting);
    this.#all.delete(key);
  }

  /** The Pod whose turn it is; it is neither ready nor parked until it is told what came of it. */
  take(): string | undefined {
    const { first } = this.#ready;
    if (!first) return undefined;
    this.#leave(first);
    first.state = "taken";
    return first.key;
  }

  /**
   * A Pod fits nowhere: it is called when something changes that it heeds, after a pause.
   *
   * @param since {@link changes} when it was taken: what has changed since then may not have been seen
   */
  park(key: string, heeds: readonly string[], since: number): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#fail(waiting);
    if (since !== this.#changes) {
      this.#pause(waiting);
      return;
    }
    waiting.state = "parked";
    waiting.heeds = [...new Set(heeds)];
    for (const topic of waiting.heeds) {
      const heeding = this.#heeding.get(topic) ?? new Set<Waiting>();
      this.#heeding.set(topic, heeding.add(waiting));
    }
    this.#wait(waiting, ANYWAY_MS);
  }

  /** What was decided about a Pod could not be done: it is called after a pause. */
  retry(key: string): void {
    const waiting = this.#all.get(key);
    if (!waiting) return;
    this.#fail(waiting);
    this.#pause(waiting);
  }

  /** Calls a Pod that has changed itself. */
  call(key: string): void {
    const waiting = this.#all.get(key);
    if (waiting?.state === "parked") this.#pause(waiting);
  }

  /** Something has changed: who heeds it is called. */
  tell(topic: string): void {
    this.#changes++;
    for (const waiting of this.#heeding.get(topic) ?? []) this.#pause(waiting);
  }

  #fail(waiting: Waiting): void {
    const pause = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(waiting.failures, 10));
    waiting.failures++;
    waiting.until = this.#clock.steady() + pause;
  }

  /** Calls a Pod, if it still pauses at the end of its pause. */
  #pause(waiting: Waiting): void {
    this.#leave(waiting);
    const left = waiting.isNominated ? 0 : waiting.until - this.#clock.steady();
    if (left <= 0) {
      this.#call(waiting);
      return;
    }
    waiting.state = "pausing";
    this.#wait(waiting, left);
  }

  #call(waiting: Waiting): void {
    waiting.state = "ready";
    this.#ready.add(waiting);
    this.#isReady();
  }

  #wait(waiting: Waiting, millis: number): void {
    const work = (): void => {
      this.#leave(waiting);
      this.#call(waiting);
    };
    waiting.timer = this.#clock.after(millis, work, { owner: "scheduler" });
  }

  /** Takes a Pod from wherever it waits. */
  #leave(waiting: Waiting): void {
    this.#ready.delete(waiting);
    waiting.timer?.cancel();
    waiting.timer = undefined;
    for (const topic of waiting.heeds) {
      const heeding = this.#heeding.get(topic);
      heeding?.delete(waiting);
      if (heeding?.size === 0) this.#heeding.delete(topic);
    }
    waiting.heeds = [];
  }
}
