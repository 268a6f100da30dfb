/**
 * API priority and fairness: how many requests run at a time, and which ones are next (KEP-1040, APF-9..23).
 *
 * The first schema that matches a request names its level; the request takes seats of the level, waits in one of its queues,
 * or is refused. Levels may borrow the unused seats of others.
 *
 * It knows neither HTTP nor the store: callers pass in schemas, levels, requests and time.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import { assert } from "../util/assert.ts";
import type { Clock, Timer } from "../util/clock.ts";
import { type Borrower, currentLimits } from "./borrowing.ts";
import { Classifier } from "./classify.ts";
import { CATCH_ALL, type FlowConfiguration, levelSettings, orderedSchemas } from "./configuration.ts";
import { FlowCounts } from "./counts.ts";
import type { Flow } from "./flow.ts";
import { Level } from "./level.ts";
import { Ticket } from "./ticket.ts";

/** How often the limits of levels are adjusted. */
const PERIOD_MS = 10_000;

/** What {@link Fairness} is built from. */
export interface FairnessOptions {
  readonly clock: Clock;
  /** The number of seats of the server. */
  readonly seats: number;
  /** The first schemas and levels; the mandatory ones by default. */
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

  /** All levels, with those that are draining. */
  get levels(): readonly Level[] {
    return [...this.#levels.values()];
  }

  /** All schemas in the order of precedence. */
  get flows(): readonly Flow[] {
    return this.#flows;
  }

  /** Applies schemas and levels. Requests that run or wait stay in their levels, also in deleted ones (APF-21). */
  configure({ schemas, levels }: FlowConfiguration): void {
    const settings = levelSettings(levels, this.#seats);
    const names = new Set(settings.map(({ name }) => name));
    for (const [name, level] of this.#levels) level.isDraining = !names.has(name);
    for (const one of settings) {
      const level = this.#levels.get(one.name);
      if (level) level.settings = one;
      else this.#levels.set(one.name, new Level(this.#clock, one));
    }
    this.#deleteDrained();
    const flows = new Map(this.#flows.map((flow) => [flow.name, flow]));
    this.#flows = orderedSchemas(schemas).map(({ metadata, spec }) => {
      const { name = "" } = metadata;
      const level = this.#levelOf(spec.priorityLevelConfiguration?.name ?? "");
      const before = flows.get(name);
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
    this.#adjustLimits();
  }

  /** Returns the schema of a request. */
  classify(identity: Identity, info: RequestInfo): Flow {
    const flow = this.#classifier.find(identity, info) ?? this.#flows.at(-1);
    assert(flow, "the mandatory schemas are there");
    return flow;
  }

  /**
   * Admits a request, which runs at once unless its ticket is waiting.
   *
   * @param width its seats, which its level may limit
   * @param maxWaitMs how long it may wait
   * @throws Refused
   */
  enter(flow: Flow, identity: Identity, info: RequestInfo, width: number, maxWaitMs: number): Ticket {
    const { level } = flow;
    const seats = width === 1 ? 1 : Math.min(width, level.maxWidth);
    const ticket = new Ticket(flow, identity.user, info, seats, this.#clock.steady());
    level.enter(ticket, maxWaitMs);
    return ticket;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  #levelOf(name: string): Level {
    const named = this.#levels.get(name);
    const level = named && !named.isDraining ? named : this.#levels.get(CATCH_ALL);
    assert(level, "the mandatory levels are there");
    return level;
  }

  #tick(): Timer {
    const endPeriod = (): void => {
      for (const level of this.#levels.values()) level.demand.endPeriod(this.#clock.steady());
      this.#deleteDrained();
      this.#adjustLimits();
      this.#timer = this.#tick();
    };
    return this.#clock.after(PERIOD_MS, endPeriod, { owner: "fairness", upkeep: true });
  }

  #deleteDrained(): void {
    for (const [name, level] of this.#levels) if (level.isDraining && level.isIdle) this.#levels.delete(name);
  }

  /** Sets the limits by the demand of each level. */
  #adjustLimits(): void {
    const levels = [...this.#levels.values()];
    const limits = currentLimits(levels.map(borrowerOf));
    for (const [i, level] of levels.entries()) {
      level.limit = limits[i] ?? level.limit;
      if (level.waiting > 0) level.dispatch();
    }
  }
}

const borrowerOf = ({ settings, demand }: Level): Borrower => ({
  ...settings,
  peak: demand.peak,
  smoothed: demand.smoothed,
});
