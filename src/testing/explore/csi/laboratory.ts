/**
 * The laboratory of storage drivers: the sidecars of ours in this process, under the virtual clock, between the server and a driver.
 *
 * @module
 */
import type { Laboratory, RunOrder, RunRecord, ScenarioOutline } from "../../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../../explore/contract/plan.ts";
import type { Actor } from "../../../explore/contract/trace.ts";
import { type Dialect, dialectOf } from "../../../meta/dialect.ts";
import { SIDECARS, type SidecarName, type SidecarSettings, sidecarsOf } from "../../../sidecars/index.ts";
import type { ClusterOptions } from "../../contract.ts";
import { PreparedScenario } from "../laboratory.ts";
import { type Played, play } from "../play.ts";
import type { Scenario } from "../scenario.ts";
import { AnsweredObjects } from "./call.ts";
import { CsiWorld, type DriverProgram } from "./csi-world.ts";
import { defaultScenario } from "./default-scenario.ts";
import { DriverJudge } from "./driver-judge.ts";
import type { DriverSource } from "./subject.ts";

/** What is explored; all but the driver has a default. */
export interface CsiLaboratoryOptions {
  readonly source: DriverSource;
  /** What a user does; by default a life of volumes and snapshots with everything that the driver can. */
  readonly scenario?: Scenario;
  /** The programs; by default the sidecars of ours that the driver supports, each one by itself. */
  readonly programs?: Readonly<Record<Actor, DriverProgram>>;
  readonly settings?: SidecarSettings;
  readonly cluster?: ClusterOptions;
}

const PERTURBATIONS: readonly PerturbationType[] = [
  "crash",
  "answer-lost",
  "refused",
  "slow",
  "repeated",
  "overtaken",
  "lag",
  "gap",
  "stale-restart",
  "resync",
  "bookmark",
  "slow-webhooks",
  "clock-jump",
];

/** The sidecars of ours as programs. */
export function sidecarPrograms(dialect: Dialect, settings: SidecarSettings = {}): Readonly<Record<SidecarName, DriverProgram>> {
  const programs = (Object.keys(SIDECARS) as readonly SidecarName[]).map((name) => {
    const make: DriverProgram = (driver, clock) => sidecarsOf(driver, { dialect, clock, settings, only: [name] });
    return [name, make] as const;
  });
  return Object.fromEntries(programs) as Record<SidecarName, DriverProgram>;
}

/** See the head of this file. */
export class CsiLaboratory implements Laboratory {
  readonly scenario: ScenarioOutline;
  readonly perturbations: ReadonlySet<PerturbationType>;
  readonly parallel = 1;
  readonly deterministic = true;
  /** What cannot be judged of this driver, as sentences. */
  readonly notJudged: readonly string[];
  readonly #prepared: PreparedScenario;
  readonly #source: DriverSource;
  readonly #programs: Readonly<Record<Actor, DriverProgram>>;

  private constructor(prepared: PreparedScenario, source: DriverSource, programs: Readonly<Record<Actor, DriverProgram>>) {
    this.#prepared = prepared;
    this.#source = source;
    this.#programs = programs;
    this.scenario = prepared.outline;
    this.notJudged = source.notJudged;
    this.perturbations = new Set([
      ...PERTURBATIONS,
      ...(prepared.outline.nodes.length > 0 ? (["node-lost"] as const) : []),
    ]);
  }

  /** Prepares the runs of a scenario. @throws DriverError where the driver does not answer, and Error where a start of the scenario is refused */
  static async of({ source, scenario, programs, settings, cluster }: CsiLaboratoryOptions): Promise<CsiLaboratory> {
    const dialect = dialectOf(cluster?.dialect ?? "kubernetes")!;
    await using subject = await source.open(new AnsweredObjects());
    const { driver } = subject;
    const played = scenario ?? defaultScenario(driver, dialect);
    const prepared = await PreparedScenario.of(played, { nodes: 1, controllers: "all", ...cluster });
    const own = programs ?? supported(sidecarPrograms(dialect, settings), driver);
    return new CsiLaboratory(prepared, source, own);
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    await using played = await this.open(order, signal);
    return played.record;
  }

  /** Plays an order; cluster and driver stay as they are then until the result is disposed of. */
  async open(order: RunOrder, signal?: AbortSignal): Promise<Played> {
    await using stack = new AsyncDisposableStack();
    const answered = new AnsweredObjects();
    const subject = stack.use(await this.#source.open(answered));
    let world: CsiWorld | undefined;
    const parts = this.#prepared.partsFor((context) => {
      world = new CsiWorld(context, { subject, answered, programs: this.#programs });
      return world;
    });
    const cpuMillis = (): number => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    };
    const played = stack.use(await play({ ...parts, cpuMillis }, order, signal));
    const record = withDriver(played.record, world!, subject.driver.name, this.scenario.steps.length);
    const kept = stack.move();
    return { record, cluster: played.cluster, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#prepared[Symbol.asyncDispose]();
  }
}

/** The sidecars that have something to do for a driver. */
function supported<P extends Readonly<Record<Actor, DriverProgram>>>(
  programs: P,
  { abilities }: { readonly abilities: ReadonlySet<string> },
): Readonly<Record<Actor, DriverProgram>> {
  const needs: Readonly<Record<string, string>> = {
    provisioner: "CREATE_DELETE_VOLUME",
    resizer: "EXPAND_VOLUME",
    modifier: "MODIFY_VOLUME",
    snapshotter: "CREATE_DELETE_SNAPSHOT",
    "snapshot-controller": "CREATE_DELETE_SNAPSHOT",
  };
  return Object.fromEntries(Object.entries(programs).filter(([name]) => !needs[name] || abilities.has(needs[name])));
}

/** Adds to a record what the driver had when each step was at rest, and what was wrong with that. */
function withDriver(record: RunRecord, { moments, written, met }: CsiWorld, driver: string, quiet: number): RunRecord {
  const judge = new DriverJudge(driver);
  let from = 0;
  const states = record.states.map(({ step, state }) => {
    const rest = record.trace.findIndex((one) => one.type === "step" && one.phase === "quiet" && one.step === step);
    for (const entry of record.trace.slice(from, rest)) {
      if (entry.type === "change" && entry.change === "deleted") judge.deleted(entry.after);
    }
    for (const { seq, id, text } of written) if (seq > from && seq <= rest) judge.wrote(id, text);
    from = rest;
    const has = moments.findLast(({ seq }) => seq <= rest)?.objects ?? [];
    judge.look(state.objects, has);
    if (step === quiet) judge.end(state.objects, has);
    return { step, state: { ...state, driver: has } };
  });
  return {
    ...record,
    states,
    complaints: [...record.complaints, ...judge.complaints],
    met: record.met.map((was, index) => was || met.includes(index)),
  };
}
