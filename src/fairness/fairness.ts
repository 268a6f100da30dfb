/**
 * How many requests run at a time, and whose come next: priority and fairness (KEP-1040, APF-9..23).
 *
 * A request is classified by the first schema that matches, which names its level; it takes seats of the level, or waits in
 * one of the level's queues, or is refused. Seats that a level does not need others may use.
 *
 * It knows nothing of HTTP and of the store: it is told of schemas and levels, and asked about requests. Time is passed in.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import type { Clock, Timer } from "../util/clock.ts";
import { type Borrower, currentLimits } from "./borrowing.ts";
import { Classifier } from "./classify.ts";
import { CATCH_ALL, type FlowConfiguration, levelSettings, orderedSchemas } from "./configuration.ts";
import { FlowCounts } from "./counts.ts";
import type { Flow } from "./flow.ts";
import { Level } from "./level.ts";
import { Ticket } from "./ticket.ts";

/** How often seats are lent anew, in ms. */
const PERIOD_MS = 10_000;

/** What it needs. */
export interface FairnessOptions {
  readonly clock: Clock;
  /** Seats of the whole server. */
  readonly seats: number;
  /** Schemas and levels of the beginning; the mandatory ones by default. */
  readonly configuration?: FlowConfiguration | undefined;
}

/** See the head of this file. */
export class Fairness implements Disposable {
  readonly #clock: Clock;
  readonly #seats: number;
  readonly #levels = new Map<string, Level>();
  #flows: readonly Flow[] = [];
  #classifier = new Classifier<Flow>([]);
  #timer: Timer;

  constructor({ clock, seats, configuration = { schemas: [], levels: [] } }: FairnessOptions) {
    this.#clock = clock;
    this.#seats = seats;
    this.configure(configuration);
    this.#timer = this.#tick();
  }

  /** All levels, those that are about to go among them. */
  get levels(): readonly Level[] {
    return [...this.#levels.values()];
  }

  /** All schemas in the order in which they are asked. */
  get flows(): readonly Flow[] {
    return this.#flows;
  }

  /** Takes up schemas and levels as they are now. Who runs runs on; who waits waits on, in a level that goes too (APF-21). */
  configure({ schemas, levels }: FlowConfiguration): void {
    const settings = levelSettings(levels, this.#seats);
    const names = new Set(settings.map(({ name }) => name));
    for (const [name, level] of this.#levels) level.isLeaving = !names.has(name);
    for (const one of settings) {
      const level = this.#levels.get(one.name);
      if (level) level.settings = one;
      else this.#levels.set(one.name, new Level(this.#clock, one));
    }
    this.#forget();
    const counts = new Map(this.#flows.map((flow) => [flow.name, flow]));
    this.#flows = orderedSchemas(schemas).map(({ metadata, spec }) => {
      const name = metadata.name!;
      const level = this.#levelOf(spec.priorityLevelConfiguration?.name ?? "");
      const before = counts.get(name);
      const method = spec.distinguisherMethod?.type;
      return {
        name,
        uid: metadata.uid ?? "",
        rules: spec.rules ?? [],
        distinguisher: method === "ByUser" ? "user" : method === "ByNamespace" ? "namespace" : "none",
        level,
        counts: before?.level === level ? before.counts : new FlowCounts(),
      };
    });
    this.#classifier = new Classifier(this.#flows);
    this.#lend();
  }

  /** The schema that takes a request. */
  classify(identity: Identity, info: RequestInfo): Flow {
    return this.#classifier.find(identity, info) ?? this.#flows.at(-1)!;
  }

  /**
   * A request comes. It runs when this returns, but where its ticket is left waiting.
   *
   * @param width the seats that it would take, before what its level allows
   * @param patience how long it may wait, in ms
   * @throws Refused
   */
  enter(flow: Flow, identity: Identity, info: RequestInfo, width: number, patience: number): Ticket {
    const { level } = flow;
    const seats = width === 1 ? 1 : Math.min(width, level.mostWidth);
    const ticket = new Ticket(flow, identity.user, info, seats, this.#clock.steady());
    level.enter(ticket, patience);
    return ticket;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  #levelOf(name: string): Level {
    const level = this.#levels.get(name);
    return level && !level.isLeaving ? level : this.#levels.get(CATCH_ALL)!;
  }

  #tick(): Timer {
    const again = (): void => {
      for (const level of this.#levels.values()) level.demand.endPeriod(this.#clock.steady());
      this.#forget();
      this.#lend();
      this.#timer = this.#tick();
    };
    return this.#clock.after(PERIOD_MS, again, { owner: "fairness", upkeep: true });
  }

  /** Levels that are told to go do so when nobody is in them. */
  #forget(): void {
    for (const [name, level] of this.#levels) if (level.isLeaving && level.isIdle) this.#levels.delete(name);
  }

  /** Sets the limits by what each level has needed. */
  #lend(): void {
    const levels = [...this.#levels.values()];
    const limits = currentLimits(levels.map(borrowerOf));
    for (const [i, level] of levels.entries()) {
      level.limit = limits[i]!;
      if (level.waiting > 0) level.dispatch();
    }
  }
}

const borrowerOf = ({ settings, demand }: Level): Borrower => ({
  ...settings,
  peak: demand.peak,
  smoothed: demand.smoothed,
});
