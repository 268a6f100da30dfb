/**
 * The laboratory of programs in other processes: any program that takes a kubeconfig.
 * Each run is a fork of one base cluster, with ports and processes of its own, under the clock of the machine. So the same order does not
 * always give the same run, a wait of the scenario takes real time, and the quiet at the end is two seconds instead of a day.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import type { Laboratory, RunOrder, RunRecord, ScenarioOutline } from "../../explore/contract/laboratory.ts";
import type { Perturbation, PerturbationType } from "../../explore/contract/plan.ts";
import type { Actor } from "../../explore/contract/trace.ts";
import { millisOf } from "../../util/duration.ts";
import { Semaphore } from "../../util/semaphore.ts";
import { type Operations, PreparedScenario } from "./laboratory.ts";
import { type Played, play } from "./play.ts";
import { playableIn } from "./playable.ts";
import type { ProgramCommand } from "./programs-process.ts";
import { QuietWindow } from "./programs-quiet.ts";
import type { ProgramOutput } from "./programs-replicas.ts";
import { ProgramsWorld } from "./programs-world.ts";
import type { Scenario } from "./scenario.ts";

/** How programs are explored. */
export interface ProgramsOptions {
  readonly programs: readonly ProgramCommand[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The number of concurrent runs; by default the number of CPUs. */
  readonly workers?: number | undefined;
  /**
   * How long a killed program stays down, in ms; 500 by default. A program that would be down for minutes stays down until the next step.
   */
  readonly restartMillis?: number | undefined;
  readonly operations?: Operations;
}

/** A run that has been played, with its programs. */
export interface PlayedPrograms extends Played {
  readonly world: ProgramsWorld;
}

const RESTART_MS = 500;
/** The longest pause after a step that a scenario gets. */
const MAX_PAUSE_MS = 10_000;
/** The pause after each step of a plan that is played again: a program may have waited before it tried again. */
const PATIENCE_MS = 2000;
/** The longest delay of a response, and of a webhook. */
const MAX_SLOW_MS = 3000;
/** How often in a row a request is refused at most: work queues double the time before a retry, from 5 ms to more than a second here. */
const MAX_REFUSALS = 8;

/** The laboratory of programs in other processes. */
export class ProgramsLaboratory implements Laboratory {
  readonly scenario: ScenarioOutline;
  readonly parallel: number;
  readonly deterministic = false;
  readonly #prepared: PreparedScenario;
  readonly #options: ProgramsOptions;
  readonly #window = new QuietWindow();
  /** Each run starts processes: more than requested at once would delay all of them. */
  readonly #slots: Semaphore;
  readonly #electing = new Set<Actor>();
  readonly #played = new Set<string>();
  readonly #outputs = new WeakMap<RunRecord, readonly ProgramOutput[]>();

  private constructor(prepared: PreparedScenario, options: ProgramsOptions) {
    this.#prepared = prepared;
    this.#options = options;
    this.scenario = prepared.outline;
    this.parallel = options.workers ?? availableParallelism();
    this.#slots = new Semaphore(this.parallel);
  }

  /** Prepares the runs of a scenario. @throws Error where its start is refused */
  static async of(scenario: Scenario, options: ProgramsOptions): Promise<ProgramsLaboratory> {
    return new ProgramsLaboratory(
      await PreparedScenario.of(scenario, { clock: "system" }, options.operations),
      options,
    );
  }

  /** A leadership can change where a run has shown that a program elects one. */
  get perturbations(): ReadonlySet<PerturbationType> {
    return playableIn("over HTTP", { elects: this.#electing.size > 0, hasNodes: this.scenario.nodes.length > 0 });
  }

  /** Plays an order, as soon as fewer than {@link ProgramsLaboratory.parallel} are played. */
  run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    return this.#slots.run(async () => {
      await using played = await this.open(order, signal);
      this.#outputs.set(played.record, played.world.output);
      return played.record;
    }, signal);
  }

  /** Members whose operations are not tried, and why. */
  get skipped(): PreparedScenario["skipped"] {
    return this.#prepared.skipped;
  }

  /** Returns a perturbation that lasts no longer than can be waited for in real time. */
  asPlayed(perturbation: Perturbation): Perturbation {
    switch (perturbation.type) {
      case "refused":
        return { ...perturbation, times: Math.min(perturbation.times, MAX_REFUSALS) };
      case "slow":
      case "slow-webhooks":
        return { ...perturbation, byMillis: Math.min(perturbation.byMillis, MAX_SLOW_MS) };
      default:
        return perturbation;
    }
  }

  /** The output of programs in a run. */
  outputOf(record: RunRecord): readonly ProgramOutput[] {
    return this.#outputs.get(record) ?? [];
  }

  /** Plays an order; cluster and programs keep their state until the result is disposed, where it stops before a write. */
  async open(order: RunOrder, signal?: AbortSignal): Promise<PlayedPrograms> {
    const { programs, env, restartMillis = RESTART_MS } = this.#options;
    const settings = { programs, env, restartMillis, window: this.#window, electing: this.#electing };
    let world: ProgramsWorld | undefined;
    const parts = this.#prepared.partsFor((context) => (world = new ProgramsWorld(settings, context)));
    const scenario = { ...parts.scenario, pause: this.#pauseOf(order) };
    const plan = order.plan.map((one) => this.asPlayed(one));
    const played = await play({ ...parts, scenario }, { ...order, plan }, signal);
    // A run that has ended has stopped its programs.
    if (order.beforeWrite !== undefined && !world!.isStopped) world!.pause();
    if (order.plan.length === 0) this.#window.learn(world!.longestPause);
    return {
      record: { ...played.record, order },
      cluster: played.cluster,
      world: world!,
      [Symbol.asyncDispose]: () => played[Symbol.asyncDispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prepared[Symbol.asyncDispose]();
  }

  #pauseOf({ plan, steps }: RunOrder): number {
    const { pause = 0 } = this.#prepared.scenario;
    const asked = Math.min(MAX_PAUSE_MS, millisOf(pause));
    const key = JSON.stringify([plan, steps]);
    const isAgain = plan.length > 0 && this.#played.has(key);
    this.#played.add(key);
    return isAgain ? Math.max(asked, PATIENCE_MS) : asked;
  }
}
