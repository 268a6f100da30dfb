/**
 * The laboratory of programs in this process: each run is a fork of one base cluster.
 *
 * @module
 */
import { isMainThread } from "node:worker_threads";
import type {
  Comparison,
  Laboratory,
  RunOrder,
  RunRecord,
  ScenarioOutline,
} from "../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../explore/contract/plan.ts";
import type { Actor } from "../../explore/contract/trace.ts";
import type { Client, Manifest } from "../../client/index.ts";
import { CustomResourceDefinition, Node } from "../../client/kinds/index.ts";
import { type Skipped, operationsOf } from "../../explore/operations/index.ts";
import type { ClusterOptions } from "../contract.ts";
import { isSimulated } from "../../simulation/index.ts";
import { silentLog } from "../../util/log.ts";
import { createTestCluster } from "../cluster.ts";
import type { TestCluster } from "../test-cluster.ts";
import { InProcessWorld } from "./in-process.ts";
import { HOT, type PlayParts, type Played, play } from "./play.ts";
import { playableIn } from "./playable.ts";
import type { InProcessProgram, Scenario, Step } from "./scenario.ts";
import { nameOfStep } from "./steps.ts";
import { BaseRecords } from "./stored.ts";
import type { RunContext, World } from "./world.ts";

/**
 * Kinds whose members are set, unset and changed there and back; the result is compared with an object that was created in the final form.
 */
export type Operations = readonly {
  /** A kind with a CustomResourceDefinition in the start of the scenario. */
  readonly of: { readonly apiVersion: string; readonly kind: string };
  /** The object that is changed; by default one with the required members. */
  readonly example?: Manifest;
}[];

/** Steps and comparisons in addition to those of the user. */
interface OperationSteps {
  readonly steps: readonly Step[];
  readonly comparisons: readonly Comparison[];
  readonly skipped: readonly Skipped[];
}

/** Returns the steps of operations; they follow those of the scenario. @throws Error for a kind without a definition */
async function stepsOf(operations: Operations, client: Client, firstStep: number): Promise<OperationSteps> {
  const all = { steps: [] as Step[], comparisons: [] as Comparison[], skipped: [] as Skipped[] };
  if (operations.length === 0) return all;
  const { items } = await client.resource(CustomResourceDefinition).list();
  for (const { of, example } of operations) {
    const definition = items.find(
      ({ spec }) => spec.names.kind === of.kind && of.apiVersion.startsWith(`${spec.group}/`),
    );
    if (!definition)
      throw new Error(
        `expected a CustomResourceDefinition of ${of.kind} ${of.apiVersion} in the start of the scenario`,
      );
    const made = operationsOf(definition, example, { firstStep: firstStep + all.steps.length });
    all.steps.push(...(made.steps as readonly Step[]));
    all.comparisons.push(...made.comparisons);
    all.skipped.push(...made.skipped);
  }
  return all;
}

/** A scenario with the cluster that its runs begin with. */
export class PreparedScenario implements AsyncDisposable {
  readonly scenario: Scenario;
  readonly steps: readonly Step[];
  readonly outline: ScenarioOutline;
  /** Members for which there are no operations. */
  readonly skipped: readonly Skipped[];
  readonly cluster: TestCluster;
  readonly records: BaseRecords;

  readonly #collects: boolean;

  private constructor(
    scenario: Scenario,
    operations: OperationSteps,
    cluster: TestCluster,
    nodes: readonly string[],
    collects: boolean,
  ) {
    this.scenario = scenario;
    this.#collects = collects;
    this.cluster = cluster;
    this.records = new BaseRecords(cluster.inside.store);
    this.steps = [...scenario.steps, ...operations.steps];
    this.skipped = operations.skipped;
    this.outline = {
      name: scenario.name,
      steps: this.steps.map((step, index) => nameOfStep(step, index)),
      usual: [...scenario.steps.keys()],
      comparisons: operations.comparisons,
      nodes,
    };
  }

  /** Stores the start of a scenario. @throws ApplyError where an object of it is refused */
  static async of(
    scenario: Scenario,
    options: ClusterOptions = {},
    operations: Operations = [],
  ): Promise<PreparedScenario> {
    const { nodes = options.nodes } = scenario;
    const cluster = await createTestCluster({
      controllers: nodes === undefined ? USUAL_CONTROLLERS : "all",
      log: silentLog,
      ...options,
      ...(nodes !== undefined && { nodes }),
    });
    try {
      if (scenario.start) await cluster.apply(...scenario.start);
      await cluster.settled();
      const added = await stepsOf(operations, cluster.client(), scenario.steps.length);
      const names = nodes === undefined ? [] : await simulatedNodes(cluster.client());
      const collects = nodes === undefined && options.controllers === undefined;
      return new PreparedScenario(scenario, added, cluster, names, collects);
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** The parts with which a run is played. */
  partsFor(world: (context: RunContext) => World): PlayParts {
    return {
      scenario: this.scenario,
      steps: this.steps,
      base: this.records,
      fork: (seed, filter) => this.cluster.fork({ seed, filters: [filter], isPatient: true, settings: RUN_SETTINGS }),
      world,
      collects: this.#collects,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
  }
}

/** A run ends before anything could go wrong in its cache; finalizers that hold its objects are removed soon. */
const RUN_SETTINGS = { checks: false, hot: HOT };

/** Only these can be removed: later ones would have nothing to follow. */
const simulatedNodes = async (client: Client): Promise<readonly string[]> =>
  (await client.resource(Node).list()).items.filter(isSimulated).map(({ metadata: { name } }) => name);

/** Without nodes: namespaces and their content; runs have a collector of their own. */
const USUAL_CONTROLLERS: readonly string[] = ["namespace", "event-expiry"];

/** The laboratory of programs in this process. */
export class InProcessLaboratory implements Laboratory {
  readonly scenario: ScenarioOutline;
  readonly parallel = 1;
  readonly deterministic = true;
  readonly #prepared: PreparedScenario;
  readonly #parts: PlayParts;
  /** Whether a program with leader election was passed. */
  readonly #elects: boolean;
  /** Programs that take part in an election by themselves, as runs have shown. */
  readonly #electing = new Set<Actor>();

  private constructor(prepared: PreparedScenario, programs: Readonly<Record<Actor, InProcessProgram>>) {
    this.#prepared = prepared;
    this.scenario = prepared.outline;
    this.#elects = Object.values(programs).some((one) => "controllers" in one && one.leaderElection === true);
    this.#parts = {
      ...prepared.partsFor((context) => new InProcessWorld(programs, context, this.#electing)),
      cpuMillis: () => {
        // Other threads play other runs.
        const { user, system } = isMainThread ? process.cpuUsage() : process.threadCpuUsage();
        return (user + system) / 1000;
      },
    };
  }

  /** Prepares the runs of a scenario. @throws Error where its start is refused */
  static async of(
    scenario: Scenario,
    programs: Readonly<Record<Actor, InProcessProgram>>,
    options?: ClusterOptions,
    operations?: Operations,
  ): Promise<InProcessLaboratory> {
    return new InProcessLaboratory(await PreparedScenario.of(scenario, options, operations), programs);
  }

  /** A leadership can change also where a run has shown that a program elects one by itself. */
  get perturbations(): ReadonlySet<PerturbationType> {
    const elects = this.#elects || this.#electing.size > 0;
    return playableIn("in process", { elects, hasNodes: this.scenario.nodes.length > 0 });
  }

  /** Members for which there are no operations. */
  get skipped(): readonly Skipped[] {
    return this.#prepared.skipped;
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    await using played = await this.open(order, signal);
    return played.record;
  }

  /** Plays an order; the cluster keeps its final state until the result is disposed. */
  open(order: RunOrder, signal?: AbortSignal): Promise<Played> {
    return play(this.#parts, order, signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#prepared[Symbol.asyncDispose]();
  }
}
