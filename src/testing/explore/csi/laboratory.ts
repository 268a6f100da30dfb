/**
 * The laboratory of storage drivers: the sidecars of ours in this process, under the virtual clock, between the server and a driver.
 *
 * @module
 */
import type { Laboratory, RunOrder, RunRecord, ScenarioOutline } from "../../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../../explore/contract/plan.ts";
import type { Actor } from "../../../explore/contract/trace.ts";
import { dialectOf } from "../../../meta/dialect.ts";
import type { SidecarSettings } from "../../../sidecars/index.ts";
import type { ClusterOptions } from "../../contract.ts";
import { PreparedScenario } from "../laboratory.ts";
import { type Played, play } from "../play.ts";
import { playableIn } from "../playable.ts";
import type { ProgramCommand } from "../programs-process.ts";
import { QuietWindow } from "../programs-quiet.ts";
import type { Ignored, Scenario } from "../scenario.ts";
import type { RunContext, World } from "../world.ts";
import { ReturnedObjects } from "./call.ts";
import { type CallGate, CsiWorld, type CsiWorldParts } from "./csi-world.ts";
import { defaultScenario, withSnapshots } from "./default-scenario.ts";
import { DriverJudge } from "./driver-judge.ts";
import { ProxiedPrograms } from "./proxied-programs.ts";
import { type DriverProgram, sidecarPrograms, sidecarWorld } from "./sidecar-programs.ts";
import type { DriverSource, DriverSubject } from "./subject.ts";

/** The subject of the exploration; all but the driver has a default. */
export interface CsiLaboratoryOptions {
  readonly source: DriverSource;
  /** The scenario; by default a life of volumes and snapshots with all capabilities of the driver. */
  readonly scenario?: Scenario;
  /** The programs; by default the sidecars of ours that the driver supports, each one by itself. */
  readonly programs?: Readonly<Record<Actor, DriverProgram>>;
  readonly settings?: SidecarSettings;
  /** Sidecars in other processes, in place of ours: real ones. */
  readonly commands?: DriverCommands;
  readonly cluster?: ClusterOptions;
  /** Disposed of with the laboratory: a driver that it has started. */
  readonly held?: AsyncDisposable;
}

/** How sidecars in other processes are run: under the clock of the machine. */
export interface DriverCommands {
  /** `{csi}` is the socket of the driver, `{}` the path of a kubeconfig. */
  readonly programs: readonly ProgramCommand[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a killed program stays down at most, in ms; 500 by default. */
  readonly restartMillis?: number;
}

const RESTART_MS = 500;
/** The pause after each step in real time. */
const PAUSE_MS = 2000;
const VIRTUAL_HOLD_MS = { late: 15_000, overtaken: 5000 };
const REAL_HOLD_MS = { late: 1000, overtaken: 1000 };

/** The laboratory of a storage driver. */
export class CsiLaboratory implements Laboratory {
  readonly scenario: ScenarioOutline;
  readonly perturbations: ReadonlySet<PerturbationType>;
  /** There is one driver. */
  readonly parallel = 1;
  readonly deterministic: boolean;
  /** The checks that this driver does not support, as sentences. */
  readonly notJudged: readonly string[];
  /** The members of objects that are not judged. */
  readonly ignored: readonly Ignored[];
  readonly #prepared: PreparedScenario;
  readonly #source: DriverSource;
  readonly #programs: Programs;
  readonly #held: AsyncDisposable | undefined;

  private constructor(
    prepared: PreparedScenario,
    source: DriverSource,
    programs: Programs,
    { held, startsDriver }: { readonly held: AsyncDisposable | undefined; readonly startsDriver: boolean },
  ) {
    this.#held = held;
    this.#prepared = prepared;
    this.#source = source;
    this.#programs = programs;
    this.scenario = { ...prepared.outline, startsDriver };
    this.notJudged = source.notJudged;
    this.ignored = prepared.scenario.ignore ?? [];
    this.deterministic = programs.holdMillis === VIRTUAL_HOLD_MS;
    const isTimed = programs.holdMillis === REAL_HOLD_MS;
    const kind = isTimed ? "driver over HTTP" : "driver";
    this.perturbations = playableIn(kind, { elects: false, hasNodes: prepared.outline.nodes.length > 0 });
  }

  /**
   * Prepares the runs of a scenario.
   *
   * @throws DriverError where the driver does not respond
   * @throws ApplyError where an object of the start is refused
   */
  static async of(options: CsiLaboratoryOptions): Promise<CsiLaboratory> {
    const { source, scenario, programs, commands, settings, cluster, held } = options;
    const dialect = dialectOf(cluster?.dialect ?? "kubernetes")!;
    await using subject = await source.open(new ReturnedObjects());
    const played = scenario ?? defaultScenario(subject.driver, dialect, subject.node);
    const prepared = await PreparedScenario.of(withSnapshots(played, dialect), {
      nodes: 1,
      controllers: "all",
      ...cluster,
      ...(commands && { clock: "system" }),
    });
    return new CsiLaboratory(
      prepared,
      source,
      commands ? programsOf(commands) : sidecars(programs ?? sidecarPrograms(subject.driver, dialect, settings)),
      { held, startsDriver: subject.restart !== undefined },
    );
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    await using played = await this.open(order, signal);
    return played.record;
  }

  /** Plays an order; cluster and driver keep their state until the result is disposed of. */
  async open(order: RunOrder, signal?: AbortSignal): Promise<Played> {
    await using stack = new AsyncDisposableStack();
    const returned = new ReturnedObjects();
    const subject = stack.use(await this.#source.open(returned));
    const { holdMillis, pauseMillis, worldOf } = this.#programs;
    let world: CsiWorld | undefined;
    const parts = this.#prepared.partsFor((context) => {
      const programs = (own: RunContext, gate: CallGate): World => worldOf(subject, { context: own, gate });
      world = new CsiWorld(context, { subject, returned, programs, holdMillis });
      return world;
    });
    const cpuMillis = (): number => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    };
    const scenario = pauseMillis === undefined ? parts.scenario : { ...parts.scenario, pause: pauseMillis };
    const played = stack.use(
      await play({ ...parts, scenario, ...(this.deterministic && { cpuMillis }) }, order, signal),
    );
    const record = withDriver(played.record, world!, subject.driver.name, this.scenario.steps.length);
    const kept = stack.move();
    return { record, cluster: played.cluster, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prepared[Symbol.asyncDispose]();
    await this.#held?.[Symbol.asyncDispose]();
  }
}

/** How programs are run. */
interface Programs {
  readonly worldOf: (subject: DriverSubject, parts: { readonly context: RunContext; readonly gate: CallGate }) => World;
  readonly holdMillis: CsiWorldParts["holdMillis"];
  /** The time after each step, where it is not that of the scenario. */
  readonly pauseMillis?: number;
}

const sidecars = (programs: Readonly<Record<Actor, DriverProgram>>): Programs => ({
  worldOf: ({ driver }, parts) => sidecarWorld(programs, driver, parts),
  holdMillis: VIRTUAL_HOLD_MS,
});

function programsOf({ programs, env, restartMillis = RESTART_MS }: DriverCommands): Programs {
  const settings = { programs, env, restartMillis, window: new QuietWindow(), electing: new Set<Actor>() };
  return {
    worldOf({ endpoint }, parts) {
      if (endpoint === undefined)
        throw new Error("expected a driver at a socket, which programs of other processes can call");
      return ProxiedPrograms.open(settings, endpoint, parts);
    },
    holdMillis: REAL_HOLD_MS,
    pauseMillis: PAUSE_MS,
  };
}

/** Adds the state of the driver at each rest to a record, and its faults. */
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
