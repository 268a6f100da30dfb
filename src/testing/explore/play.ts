/**
 * Plays one run of a scenario in a world: the steps of the user, the time between them, and the quiet at the end.
 *
 * @module
 */
import { isAside } from "../../explore/aside.ts";
import type { Complaint, RunOrder, RunRecord } from "../../explore/contract/laboratory.ts";
import type { State } from "../../explore/contract/state.ts";
import { NormalNames } from "../../explore/names.ts";
import { type Met, Player, type StepPerturbation } from "../../explore/player.ts";
import type { Filter } from "../../server/index.ts";
import { millisOf } from "../../util/duration.ts";
import { messageOf } from "../../util/error.ts";
import type { TestCluster } from "../test-cluster.ts";
import { Interposer } from "./interposer.ts";
import { TraceRecorder } from "./recorder.ts";
import { RunControllers } from "./run-controllers.ts";
import type { Rule, Scenario, Step } from "./scenario.ts";
import { nameOfStep, perform } from "./steps.ts";
import { type BaseRecords, StoredObjects } from "./stored.ts";
import type { RunContext, World, WorldComplaint } from "./world.ts";

/** The parts with which a run is played. */
export interface PlayParts {
  readonly scenario: Scenario;
  /** All steps, those of operations behind those of the scenario. */
  readonly steps: readonly Step[];
  readonly base: BaseRecords;
  /** Makes a cluster in the state before the scenario, whose requests pass a filter. */
  readonly fork: (seed: number, filter: Filter) => TestCluster;
  readonly world: (context: RunContext) => World;
  /** Whether runs have built-in controllers of their own, as the clusters have few. */
  readonly collects: boolean;
  /** CPU time of the process in ms. */
  readonly cpuMillis?: () => number;
}

/** A run that has been played, and its cluster in the final state. */
export interface Played extends AsyncDisposable {
  readonly record: RunRecord;
  readonly cluster: TestCluster;
}

const PAUSE = "5m";
const QUIET = "24h";
/** How long watches are held, and requests delayed, when everything else is at rest: less than any program waits for its own writes. */
const HOLD_MS = 15_000;
/** After more writes than these meanwhile, a program retries until it sees the stored state: then the watches are released. */
const MAX_HELD_WRITES = 100;
/** How often one key may be handled while the clock stands still, before the watches are released. */
export const HOT = 20;
/** How often in a row that may happen with released watches, before it counts as work without end. */
const MAX_HOT = 5;
/** The number of writes in the quiet after which it ends. */
const MAX_RESTLESS = 500;

/** How time passes. */
interface RestOptions {
  /** Whether the rest of it may be left out. */
  readonly isEnough?: () => boolean;
  /** Whether nothing may be on its way in the end. */
  readonly isPause?: boolean;
}

/** Ends a run before its end. */
class Stopped extends Error {
  readonly why: "write" | "endless";

  constructor(why: Stopped["why"], detail: string) {
    super(detail);
    this.why = why;
  }
}

/** Plays an order; the result must be disposed. */
export async function play(parts: PlayParts, order: RunOrder, signal?: AbortSignal): Promise<Played> {
  const run = new PlayedRun(parts, order, signal);
  try {
    await run.play();
    return run;
  } catch (error) {
    await run[Symbol.asyncDispose]();
    throw error;
  }
}

class PlayedRun implements Played {
  readonly cluster: TestCluster;
  readonly #parts: PlayParts;
  readonly #order: RunOrder;
  readonly #signal: AbortSignal | undefined;
  readonly #trace: TraceRecorder;
  readonly #player: Player;
  readonly #interposer: Interposer;
  readonly #stored: StoredObjects;
  readonly #controllers: RunControllers | undefined;
  readonly #world: World;
  readonly #complaints: Complaint[] = [];
  readonly #states: { readonly step: number; readonly state: State }[] = [];
  /** Rejects when the run cannot continue. */
  readonly #stopped = Promise.withResolvers<never>();
  readonly #cpu: number;
  #step = 0;
  #restless = 0;
  /** Keys that were handled {@link HOT} times, and when. */
  #hot = { at: 0, times: 0 };
  /** Since when a delivery waits while everything else is at rest, and the writes of programs since then. */
  #due: { readonly since: number; readonly writes: () => number } | undefined;
  #record: RunRecord | undefined;

  constructor(parts: PlayParts, order: RunOrder, signal: AbortSignal | undefined) {
    this.#parts = parts;
    this.#order = order;
    this.#signal = signal;
    this.#cpu = parts.cpuMillis?.() ?? 0;
    const names = new NormalNames();
    this.#player = new Player(order.plan, names);
    this.#stopped.promise.catch(() => {});
    signal?.addEventListener("abort", this.#cancel);
    const filter: Filter = {
      name: "explore",
      enter: (...args) => this.#interposer.filter.enter!(...args),
      decoded: (...args) => this.#interposer.filter.decoded!(...args),
      handled: (...args) => this.#interposer.filter.handled!(...args),
      leave: (...args) => this.#interposer.filter.leave!(...args),
    };
    this.cluster = parts.fork(order.seed, filter);
    const { clock } = this.cluster;
    this.#trace = new TraceRecorder(clock);
    const { store } = this.cluster.inside;
    this.#stored = new StoredObjects({
      store,
      base: parts.base,
      trace: this.#trace,
      names,
      changed: (seq, object) => {
        this.#controllers?.see(object);
        this.#judgeAlways(seq);
      },
    });
    this.#controllers = parts.collects ? new RunControllers(this.cluster.inside, clock, order.seed) : undefined;
    if (this.#controllers) for (const object of parts.base.owned) this.#controllers.see(object);
    this.#world = parts.world({
      cluster: this.cluster,
      trace: this.#trace,
      seed: order.seed,
      plan: order.plan,
      complain: (complaint) => this.#complain(complaint),
      gone: (program) => this.#interposer.gates.forget(program),
      stale: (program, { index }) => this.#interposer.gates.holdStale(index, program),
    });
    this.#interposer = new Interposer({
      player: this.#player,
      trace: this.#trace,
      clock,
      find: (request) => this.#world.find(request),
      stored: () => this.#stored,
      kill: (...args) => this.#world.kill(...args),
      leadChanges: (...args) => this.#world.leadChanges(...args),
      delays: (millis) => this.#world.delays(millis),
      resend: (request) => this.#world.resend(request),
      beforeWrite: order.beforeWrite,
      stop: (why, detail) => this.#stopped.reject(new Stopped(why, detail)),
    });
  }

  readonly #cancel = (): void => this.#stopped.reject(this.#signal!.reason);

  get record(): RunRecord {
    return this.#record!;
  }

  async play(): Promise<void> {
    let isStopped = false;
    try {
      this.#signal?.throwIfAborted();
      await this.#playAll();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      isStopped = true;
      if (error.why === "endless") this.#add({ type: "unsettled", step: this.#step, detail: error.message });
    }
    // Where a write is waited for, the programs are paused at that point.
    if (!isStopped || this.#order.beforeWrite === undefined) this.#world.stop();
    const cpu = this.#parts.cpuMillis?.();
    this.#record = {
      order: this.#order,
      trace: [...this.#trace.entries],
      states: this.#states,
      complaints: this.#complaints,
      met: this.#player.met,
      restlessWrites: this.#restless,
      ...(cpu !== undefined && { cpuMillis: cpu - this.#cpu }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal?.removeEventListener("abort", this.#cancel);
    this.#interposer.close();
    this.#stored[Symbol.dispose]();
    this.#controllers?.[Symbol.dispose]();
    await this.#world[Symbol.asyncDispose]();
    await this.cluster.close();
  }

  async #playAll(): Promise<void> {
    const { scenario, steps } = this.#parts;
    const pause = millisOf(scenario.pause ?? PAUSE);
    this.#step = -1;
    await this.#settle(() => this.#world.begin());
    await this.#restFor(0);
    for (const index of this.#order.steps ?? scenario.steps.keys()) {
      this.#step = index;
      const step = steps[index];
      if (!step) throw new RangeError(`expected a step of ${scenario.name} (0 to ${steps.length - 1}), got ${index}`);
      await this.#playStep(step, pause);
    }
    if (this.#order.brief) return;
    this.#step = steps.length;
    this.#trace.step(this.#step, "the quiet at the end", "begun");
    await this.#quiet(this.#world.quietMillis(millisOf(scenario.quiet ?? QUIET)));
    this.#rested("the quiet at the end");
  }

  async #playStep(step: Step, pause: number): Promise<void> {
    const name = nameOfStep(step, this.#step);
    this.#trace.step(this.#step, name, "begun");
    for (const met of this.#player.step(this.#step, "begun")) await this.#disturb(met);
    try {
      await this.#unlessStopped(perform(step, this.cluster, (time) => this.#restFor(millisOf(time))));
    } catch (error) {
      if (error instanceof Stopped || this.#signal?.aborted) throw error;
      this.#add({ type: "step-failed", step: this.#step, detail: messageOf(error) });
    }
    await this.#restFor(0);
    // A program that does not see a change may retry again and again: it is judged after it has seen the change.
    const isBeyond = this.#interposer.gates.isBeyond(this.#step);
    await this.#restFor(isBeyond ? Math.min(pause, HOLD_MS) : pause, { isPause: true });
    for (const met of this.#player.step(this.#step, "quiet")) {
      await this.#disturb(met);
      await this.#restFor(pause, { isPause: true });
    }
    this.#rested(name);
  }

  async #disturb({ index, perturbation }: Met<StepPerturbation>): Promise<void> {
    if (perturbation.type === "clock-jump") {
      this.#trace.perturbation(index, "begun", `the clock jumps by ${perturbation.byMillis} ms`);
      await this.#settle(() => this.#world.jump(perturbation.byMillis));
      return;
    }
    const { node, forMillis } = perturbation;
    this.#trace.perturbation(index, "begun", `node ${node} is lost`);
    await this.#settle(() => this.cluster.simulation.lose({ node }));
    const restore = (): void => {
      this.#trace.perturbation(index, "ended", `node ${node} comes back`);
      void this.cluster.simulation.restore({ node }).catch(() => {});
    };
    this.cluster.clock.after(forMillis, restore, { owner: `the return of node ${node}` });
  }

  /** Lets everything come to rest, and a time pass. */
  async #restFor(millis: number, { isEnough = () => false, isPause = false }: RestOptions = {}): Promise<void> {
    const { clock } = this.cluster;
    const end = clock.steady() + millis;
    const isRunning = (actor: string): boolean => this.#world.isRunning(actor);
    while (!isEnough()) {
      await this.#settle(() => this.#world.rest());
      if (this.#world.goOn()) continue;
      const now = clock.steady();
      const isDue = this.#interposer.isDue(this.#step, isRunning);
      this.#due = isDue ? (this.#due ?? { since: now, writes: this.#countWrites() }) : undefined;
      const held = this.#due ? this.#due.since + HOLD_MS - now : Infinity;
      const isTrying = (this.#due?.writes() ?? 0) > MAX_HELD_WRITES;
      if ((isTrying || held <= 0 || (isPause && now >= end)) && this.#interposer.release(this.#step, isRunning))
        continue;
      if (now >= end) return;
      await this.#settle(() => this.#world.pass(Math.min(end - now, held)));
    }
  }

  /** The quiet in the end: in its second half programs should not write. */
  async #quiet(millis: number): Promise<void> {
    for (const isCounted of [false, true]) {
      const count = this.#countWrites();
      await this.#restFor(millis / 2, { isEnough: () => count() > MAX_RESTLESS, isPause: true });
      if (isCounted || count() > MAX_RESTLESS) this.#restless = count();
      // Work without end is no different after some more hours.
      if (this.#restless > MAX_RESTLESS) return;
    }
  }

  /** Counts the writes of programs from now on, each once. */
  #countWrites(): () => number {
    let [seen, writes] = [this.#trace.entries.length, 0];
    return () => {
      writes += this.#writesSince(seen);
      seen = this.#trace.entries.length;
      return writes;
    };
  }

  #writesSince(seq: number): number {
    let count = 0;
    for (let i = seq; i < this.#trace.entries.length; i++) {
      const entry = this.#trace.entries[i]!;
      if (entry.type !== "change" || entry.actor === "user" || entry.actor === "cluster") continue;
      if (!isAside(entry.object, entry.after)) count++;
    }
    return count;
  }

  /** Waits until everything is at rest; records errors of programs, and ends the run where it cannot continue. */
  async #settle(work: () => Promise<void>): Promise<void> {
    try {
      await this.#unlessStopped(work());
    } catch (error) {
      const detail = messageOf(error);
      const { name } = error as Error;
      if (name === "ReconcileFailed") this.#add({ type: "failed", actor: "cluster", step: this.#step, detail });
      else if (name === "HotLoop" && (this.#interposer.gates.releaseAll() || this.#mayGoOn()))
        await this.#settle(() => this.#world.rest());
      else if (name === "NotSettled" || name === "HotLoop") throw new Stopped("endless", detail);
      else throw error;
    }
  }

  /** Whether work without end may still end. */
  #mayGoOn(): boolean {
    const at = this.cluster.clock.steady();
    this.#hot = { at, times: this.#hot.at === at ? this.#hot.times + 1 : 1 };
    return this.#hot.times < MAX_HOT;
  }

  #unlessStopped<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#stopped.promise]);
  }

  #rested(name: string): void {
    this.#trace.step(this.#step, name, "quiet");
    this.#states.push({ step: this.#step, state: this.#stored.state() });
    for (const rule of this.#parts.scenario.eventually ?? []) {
      const detail = failureOf(rule, this.#stored);
      if (detail !== undefined) this.#add({ type: "eventually", rule: rule.name, step: this.#step, detail });
    }
  }

  #judgeAlways(seq: number): void {
    for (const rule of this.#parts.scenario.always ?? []) {
      if (this.#complaints.some((one) => one.type === "always" && one.rule === rule.name)) continue;
      const detail = failureOf(rule, this.#stored);
      if (detail !== undefined) this.#add({ type: "always", rule: rule.name, seq, detail });
    }
  }

  #complain(complaint: WorldComplaint): void {
    this.#add("actor" in complaint ? { ...complaint, step: this.#step } : complaint);
  }

  /** A program that fails in each step fails once. */
  #add(complaint: Complaint): void {
    const textOf = (one: Complaint): string => JSON.stringify("actor" in one ? { ...one, step: undefined } : one);
    const text = textOf(complaint);
    if (!this.#complaints.some((one) => textOf(one) === text)) this.#complaints.push(complaint);
  }
}

/** Why a rule does not hold; undefined where it does. */
function failureOf(rule: Rule, stored: StoredObjects): string | undefined {
  try {
    const holds = rule.holds(stored);
    return holds === true ? undefined : holds === false ? `it does not hold` : holds;
  } catch (error) {
    return `it throws: ${messageOf(error)}`;
  }
}
