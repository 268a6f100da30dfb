/**
 * The laboratory of programs in this process: each run is a fork of one base cluster.
 *
 * @module
 */
import type { Comparison, Laboratory, RunOrder, RunRecord, ScenarioOutline } from "../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../explore/contract/plan.ts";
import type { Actor } from "../../explore/contract/trace.ts";
import type { ApiObject } from "../../client/index.ts";
import { Node } from "../../client/kinds/index.ts";
import type { ClusterOptions } from "../contract.ts";
import { createTestCluster } from "../cluster.ts";
import type { TestCluster } from "../test-cluster.ts";
import { InProcessWorld } from "./in-process.ts";
import { type PlayParts, type Played, play } from "./play.ts";
import type { InProcessProgram, Scenario, Step } from "./scenario.ts";
import { nameOfStep } from "./steps.ts";
import { BaseRecords } from "./stored.ts";
import type { RunContext, World } from "./world.ts";

/** Steps and comparisons beside those of the user. */
export interface Operations {
  readonly steps: readonly Step[];
  /** Their indexes begin behind the steps of the scenario. */
  readonly comparisons: readonly Comparison[];
}

/** A scenario with the cluster that its runs begin with. */
export class PreparedScenario implements AsyncDisposable {
  readonly scenario: Scenario;
  readonly steps: readonly Step[];
  readonly outline: ScenarioOutline;
  readonly cluster: TestCluster;
  readonly records: BaseRecords;

  private constructor(scenario: Scenario, operations: Operations, cluster: TestCluster, nodes: readonly string[]) {
    this.scenario = scenario;
    this.cluster = cluster;
    this.records = new BaseRecords(cluster.inside.store);
    this.steps = [...scenario.steps, ...operations.steps];
    this.outline = {
      name: scenario.name,
      steps: this.steps.map((step, index) => nameOfStep(step, index)),
      usual: [...scenario.steps.keys()],
      comparisons: operations.comparisons,
      nodes,
    };
  }

  /** Stores what a scenario begins with. @throws ApplyError where something of it is refused */
  static async of(
    scenario: Scenario,
    options: ClusterOptions = {},
    operations: Operations = { steps: [], comparisons: [] },
  ): Promise<PreparedScenario> {
    const { nodes = options.nodes } = scenario;
    const cluster = await createTestCluster({
      controllers: nodes === undefined ? USUAL_CONTROLLERS : "all",
      ...options,
      ...(nodes !== undefined && { nodes }),
    });
    try {
      if (scenario.start) await cluster.apply(...scenario.start);
      await cluster.settled();
      const names = nodes === undefined ? [] : (await cluster.client().resource(Node).list()).items.map(nameOf);
      return new PreparedScenario(scenario, operations, cluster, names);
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** What a run is played with. */
  partsFor(world: (context: RunContext) => World): PlayParts {
    return {
      scenario: this.scenario,
      steps: this.steps,
      base: this.records,
      fork: (seed, filter) => this.cluster.fork({ seed, filters: [filter] }),
      world,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
  }
}

const nameOf = ({ metadata: { name } }: ApiObject): string => name;

/** Without nodes: namespaces, their content, and owners that are gone. */
const USUAL_CONTROLLERS: readonly string[] = ["namespace", "event-expiry", "garbage-collector"];

/** The perturbations of programs in this process. */
const PERTURBATIONS: readonly PerturbationType[] = [
  "crash",
  "answer-lost",
  "refused",
  "slow",
  "lag",
  "gap",
  "stale-restart",
  "resync",
  "bookmark",
  "slow-webhooks",
  "clock-jump",
  "overtaken",
];

/** The laboratory of programs in this process. */
export class InProcessLaboratory implements Laboratory {
  readonly scenario: ScenarioOutline;
  readonly perturbations: ReadonlySet<PerturbationType>;
  readonly parallel = 1;
  readonly deterministic = true;
  readonly #prepared: PreparedScenario;
  readonly #parts: PlayParts;

  private constructor(prepared: PreparedScenario, programs: Readonly<Record<Actor, InProcessProgram>>) {
    this.#prepared = prepared;
    this.scenario = prepared.outline;
    const hasElections = Object.values(programs).some((one) => "controllers" in one && one.leaderElection === true);
    this.perturbations = new Set([
      ...PERTURBATIONS,
      ...(hasElections ? (["lead-changes"] as const) : []),
      ...(prepared.outline.nodes.length > 0 ? (["node-lost"] as const) : []),
    ]);
    this.#parts = {
      ...prepared.partsFor((context) => new InProcessWorld(programs, context)),
      cpuMillis: () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      },
    };
  }

  /** Prepares the runs of a scenario. @throws Error where what it begins with is refused */
  static async of(
    scenario: Scenario,
    programs: Readonly<Record<Actor, InProcessProgram>>,
    options?: ClusterOptions,
    operations?: Operations,
  ): Promise<InProcessLaboratory> {
    return new InProcessLaboratory(await PreparedScenario.of(scenario, options, operations), programs);
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    await using played = await this.open(order, signal);
    return played.record;
  }

  /** Plays an order; the cluster stays as it is then until the result is disposed. */
  open(order: RunOrder, signal?: AbortSignal): Promise<Played> {
    return play(this.#parts, order, signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#prepared[Symbol.asyncDispose]();
  }
}
