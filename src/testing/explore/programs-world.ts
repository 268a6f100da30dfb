/**
 * Programs of other processes, under the clock of the machine: each has a port of its own, by which its requests are known.
 *
 * @module
 */
import { ADMIN } from "../../auth/admin.ts";
import type { Actor } from "../../explore/contract/trace.ts";
import { type Clock, newSystemClock, sleep } from "../../util/clock.ts";
import { type FindProgram, type ProgramLife, ProgramSender, type StaleState, programOf } from "./identity.ts";
import type { KeptRequest } from "./interposer.ts";
import type { ProgramCommand } from "./programs-process.ts";
import { Quiet, type QuietWindow } from "./programs-quiet.ts";
import { ProgramError, type ProgramOutput, type Replica, Replicas } from "./programs-replicas.ts";
import { WatchedPrograms } from "./programs-watched.ts";
import type { RunContext, World } from "./world.ts";

/** The parts that all runs of a laboratory share. */
export interface ProgramsSettings {
  readonly programs: readonly ProgramCommand[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a killed program stays down at most, in ms; a program that is down for longer than the step stays down until the next one. */
  readonly restartMillis: number;
  readonly window: QuietWindow;
  /** Programs that take part in an election of a leader, as runs have shown. */
  readonly electing: Set<Actor>;
}

/** How long changes may continue after a step, and after the start of the programs, in ms. */
const REST_LIMIT_MS = 20_000;
/** The quiet at the end, instead of a day. After a plan it is shorter, since the clean runs show how long programs need to react. */
const QUIET_MS = 2000;
const QUIET_WINDOWS = 3;
/** How long the second replica of a program may take until it leads: clients retry every two seconds. */
const LEAD_MS = 10_000;

interface Handover {
  readonly index: number;
  readonly first: Replica;
  readonly second: Replica;
  readonly release: () => void;
  readonly came: () => void;
}

/** The world of programs in other processes. */
export class ProgramsWorld implements World {
  readonly find: FindProgram = programOf;
  readonly #settings: ProgramsSettings;
  readonly #context: RunContext;
  readonly #clock: Clock = newSystemClock();
  readonly #quiet: Quiet;
  readonly #replicas: Replicas;
  readonly #watched: WatchedPrograms;
  #handover: Handover | undefined;

  constructor(settings: ProgramsSettings, context: RunContext) {
    this.#settings = settings;
    this.#context = context;
    this.#quiet = new Quiet(this.#clock, settings.window, () => this.#watched.isBusy());
    this.#replicas = new Replicas({
      ...settings,
      context,
      clock: this.#clock,
      quiet: this.#quiet,
      seen: (replica, exchange) => this.#watched.seen(replica, exchange),
    });
    this.#watched = new WatchedPrograms({
      programs: settings.programs,
      context,
      quiet: this.#quiet,
      electing: settings.electing,
      isRunning: (actor) => this.isRunning(actor),
      isStopped: () => this.isStopped,
      leads: (replica) => {
        if (this.#handover?.second === replica) this.#handover.came();
      },
    });
  }

  async begin(): Promise<void> {
    const replicas = await Promise.all(this.#replicas.programs.map((program) => this.#replicas.add(program)));
    for (const { host } of replicas) host.start();
    await this.rest();
    if (replicas.some(({ hasAsked }) => hasAsked) || this.#context.plan.length > 0) return;
    const names = this.#replicas.programs.map(({ command }) => command.name).join(" and ");
    throw new ProgramError(
      `expected ${names} to send a request to the server, found none: {} in an argument is the path of a kubeconfig, which is in KUBECONFIG as well`,
    );
  }

  isRunning(actor: Actor): boolean {
    return this.#replicas.isRunning(actor);
  }

  kill(life: ProgramLife, downMillis: number, stale?: StaleState): void {
    this.#replicas.kill(life, downMillis, stale);
  }

  async leadChanges(life: ProgramLife, index: number): Promise<void> {
    const first = this.#replicas.of(life);
    if (!first || this.#handover || !first.program.leases.isElected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    first.host.pause();
    first.program.wasPerturbed = true;
    const came = this.#quiet.expect(LEAD_MS);
    this.#context.trace.perturbation(index, "begun", `another replica of ${life.actor} takes over`);
    // As if its time was over: the paused one does not renew it.
    await first.program.leases.release();
    const second = await this.#replicas.add(first.program);
    second.host.start();
    this.#handover = { index, first, second, release: resolve, came };
    await promise;
  }

  resend({ method, url, headers, body, program }: KeptRequest): void {
    const connection = new ProgramSender(program.actor, program.life, () => {});
    connection.isOver = true;
    const sent = { method, url, headers, identity: ADMIN, connection, ...(body !== undefined && { body }) };
    const ended = this.#quiet.request(true);
    void this.#context.cluster.inside
      .inject(sent)
      .then((response) => response.text())
      .then(ended, ended);
  }

  delays(millis: number): () => void {
    return this.#quiet.delay(millis);
  }

  async rest(): Promise<void> {
    this.#replicas.startThoseOfNextStep();
    const rest = await this.#quiet.rest(REST_LIMIT_MS, this.#replicas.ended);
    if (this.#replicas.fault) throw this.#replicas.fault;
    if (rest === "restless") throw this.#watched.stillWriting(REST_LIMIT_MS);
    for (const { host } of this.#replicas.all) host.rested();
  }

  goOn(): boolean {
    const handover = this.#handover;
    if (!handover) return false;
    this.#handover = undefined;
    const { trace } = this.#context;
    const { first, second, index } = handover;
    handover.came();
    const { actor, life } = first.sender;
    // The request is handled, and the first replica continues with its response until it renews its Lease.
    handover.release();
    first.host.resume();
    this.#quiet.stir();
    trace.perturbation(index, "ended", `the first replica of ${actor} continues`);
    if (second.led) trace.life({ actor, life, event: "not leading" });
    return true;
  }

  async pass(millis: number): Promise<void> {
    await sleep(this.#clock, millis, this.#replicas.ended, { holds: true });
  }

  async jump(): Promise<void> {
    await this.rest();
  }

  quietMillis(asked: number): number {
    const { plan } = this.#context;
    return Math.min(asked, plan.length === 0 ? QUIET_MS : QUIET_WINDOWS * this.#settings.window.millis, QUIET_MS);
  }

  /** The longest pause of a program before a write, in ms: what its quiet is judged by. */
  get longestPause(): number {
    return this.#quiet.longestPause;
  }

  /** Whether all programs have been ended for good. */
  get isStopped(): boolean {
    return this.#replicas.ended.aborted;
  }

  /** Programs are paused. */
  pause(): void {
    for (const { host } of this.#replicas.all) host.pause();
  }

  /** The end of the output of each start of each program. */
  get output(): readonly ProgramOutput[] {
    return this.#replicas.output;
  }

  stop(): void {
    this.#replicas.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#replicas.closed();
  }
}
