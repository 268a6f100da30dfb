/**
 * Programs of other processes, under the clock of the machine: each has a port of its own, by which its requests are known.
 *
 * @module
 */
import { isAside } from "../../explore/aside.ts";
import { ADMIN } from "../../auth/admin.ts";
import type { Actor, TraceEntry } from "../../explore/contract/trace.ts";
import type { Exchange } from "../../server/request/exchange.ts";
import type { Activity } from "../../util/activity.ts";
import { type Clock, newSystemClock, sleep } from "../../util/clock.ts";
import { type FindProgram, type ProgramLife, ProgramSender, type StaleState, programOf } from "./identity.ts";
import type { KeptRequest } from "./interposer.ts";
import { Leases } from "./programs-leases.ts";
import { ProgramHost } from "./programs-host.ts";
import { senderOf } from "../sender.ts";
import { PORTS, type ProgramCommand, freePorts, portAdvice } from "./programs-process.ts";
import { Quiet, type QuietWindow } from "./programs-quiet.ts";
import { staleUrl } from "./stale.ts";
import { refOf } from "./stored.ts";
import type { RunContext, World } from "./world.ts";

/** What all runs of a laboratory share. */
export interface ProgramsSettings {
  readonly programs: readonly ProgramCommand[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a killed program stays down at most, in ms; one that is down for longer than a step lasts stays so until the next one. */
  readonly restartMillis: number;
  readonly window: QuietWindow;
  /** Programs that take part in an election of a leader, as runs have shown. */
  readonly electing: Set<Actor>;
}

/** How long changes may go on after a step, and after the start of the programs, in ms. */
const REST_LIMIT_MS = 20_000;
/** The quiet in the end: nobody waits for a day. After a plan it is shorter, as the clean runs tell how long programs think. */
const QUIET_MS = 2000;
const QUIET_WINDOWS = 3;
/** The usual pause after a step: who is down for longer misses what the user does next. */
const LONG_DOWN_MS = 300_000;
/** How long a new watch, or a retry, is expected: clients wait up to two seconds before either. */
const AGAIN_MS = 3000;
/** How long the second replica of a program may take until it leads: clients try again every two seconds. */
const LEAD_MS = 10_000;
const KEPT_LINES = 20;
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 300;

/** What one start of a program has printed in the end. */
export interface ProgramOutput {
  readonly actor: Actor;
  readonly lines: readonly string[];
}

/** A process of a program with its port; there is a second one while a leadership changes hands. */
interface Replica {
  readonly program: Program;
  readonly host: ProgramHost;
  sender: ProgramSender;
  /** An older state that the next start reads. */
  stale: StaleState | undefined;
  /** Whether it has ever sent a request. */
  hasAsked: boolean;
  /** Whether this start of it has written a Lease. */
  led: boolean;
}

interface Program {
  readonly command: ProgramCommand;
  readonly replicas: Replica[];
  readonly leases: Leases;
  lives: number;
  /** Resolves what is expected after an answer that a perturbation has made. */
  readonly retried: (() => void)[];
  /** Likewise, of watches that have ended, by their path. */
  readonly ended: Map<string, () => void>;
  wasPerturbed: boolean;
}

interface Handover {
  readonly index: number;
  readonly first: Replica;
  readonly second: Replica;
  readonly release: () => void;
  readonly came: () => void;
}

/** A program that cannot be explored: it does not start, or needs what another one has. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

/** See the head of this file. */
export class ProgramsWorld implements World {
  readonly find: FindProgram = programOf;
  readonly #settings: ProgramsSettings;
  readonly #context: RunContext;
  readonly #programs: readonly Program[];
  readonly #clock: Clock = newSystemClock();
  readonly #activity: Activity;
  readonly #quiet: Quiet;
  /** Entries of the trace that were looked at. */
  #read = 0;
  #handover: Handover | undefined;
  /** Replicas that are down until the next step, with the entry of the trace since which they are. */
  readonly #down = new Map<Replica, number>();
  /** Why nothing can be explored. */
  #fault: Error | undefined;
  /** Aborted when all programs have been ended for good: nobody waits for them any more. */
  readonly #end = new AbortController();
  readonly #outputs: ProgramOutput[] = [];
  readonly #closing: Promise<void>[] = [];

  constructor(settings: ProgramsSettings, context: RunContext) {
    this.#settings = settings;
    this.#context = context;
    this.#activity = context.cluster.inside.activity;
    this.#quiet = new Quiet(this.#clock, settings.window, () => this.#isBusy());
    const inject = context.cluster.inside.inject;
    this.#programs = settings.programs.map((command) => {
      return {
        command,
        replicas: [],
        leases: new Leases(inject),
        lives: 0,
        retried: [],
        ended: new Map(),
        wasPerturbed: false,
      };
    });
  }

  async begin(): Promise<void> {
    const replicas = await Promise.all(this.#programs.map((program) => this.#replica(program)));
    for (const { host } of replicas) host.start();
    await this.rest();
    if (replicas.some(({ hasAsked }) => hasAsked) || this.#context.plan.length > 0) return;
    const names = this.#programs.map(({ command }) => command.name).join(" and ");
    throw new ProgramError(
      `expected ${names} to send a request to the server, found none: {} in an argument is the path of a kubeconfig, which stands in KUBECONFIG as well`,
    );
  }

  isRunning(actor: Actor): boolean {
    return this.#programs.some(({ command, replicas }) => command.name === actor && replicas.some(isRunning));
  }

  kill(life: ProgramLife, downMillis: number, stale?: StaleState): void {
    const replica = this.#replicaOf(life);
    if (!replica) return;
    replica.stale = stale;
    replica.program.wasPerturbed = true;
    this.#over(replica);
    const isLong = downMillis > LONG_DOWN_MS;
    if (isLong) this.#down.set(replica, this.#context.trace.entries.length);
    this.#closing.push(replica.host.kill(isLong ? undefined : Math.min(downMillis, this.#settings.restartMillis)));
  }

  async leadChanges(life: ProgramLife, index: number): Promise<void> {
    const first = this.#replicaOf(life);
    if (!first || this.#handover || !first.program.leases.isElected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    first.host.pause();
    first.program.wasPerturbed = true;
    const came = this.#quiet.expect(LEAD_MS);
    this.#context.trace.perturbation(index, "begun", `another replica of ${life.actor} takes over`);
    // As if its time was over: the paused one does not renew it.
    await first.program.leases.release();
    const second = await this.#replica(first.program);
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
      .then((answer) => answer.text())
      .then(ended, ended);
  }

  delays(millis: number): () => void {
    return this.#quiet.delay(millis);
  }

  async rest(): Promise<void> {
    this.#startThoseOfNextStep();
    const rest = await this.#quiet.rest(REST_LIMIT_MS, this.#end.signal);
    if (this.#fault) throw this.#fault;
    if (rest === "restless") throw new StillWriting(this.#context.trace.entries, this.#activity);
    for (const { replicas } of this.#programs) for (const { host } of replicas) host.rested();
  }

  /** Starts programs that were down until the next step: it has begun, and the user has done it. */
  #startThoseOfNextStep(): void {
    const { entries } = this.#context.trace;
    for (const [replica, since] of this.#down) {
      if (!entries.slice(since).some((entry) => entry.type === "step" && entry.phase === "begun")) continue;
      this.#down.delete(replica);
      replica.host.start();
    }
  }

  goOn(): boolean {
    const handover = this.#handover;
    if (!handover) return false;
    this.#handover = undefined;
    const { trace } = this.#context;
    const { first, second, index } = handover;
    handover.came();
    const { actor, life } = first.sender;
    // The request is handled, and the first one goes on with its answer until it renews its Lease.
    handover.release();
    first.host.resume();
    this.#quiet.stir();
    trace.perturbation(index, "ended", `the first replica of ${actor} goes on`);
    if (second.led) trace.life({ actor, life, event: "not leading" });
    return true;
  }

  async pass(millis: number): Promise<void> {
    await sleep(this.#clock, millis, this.#end.signal, { holds: true });
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
    return this.#end.signal.aborted;
  }

  /** Programs stand still where they are. */
  pause(): void {
    for (const { replicas } of this.#programs) for (const { host } of replicas) host.pause();
  }

  /** What each start of each program has printed in the end. */
  get output(): readonly ProgramOutput[] {
    return this.#outputs;
  }

  stop(): void {
    if (this.isStopped) return;
    this.#end.abort();
    for (const replica of this.#programs.flatMap(({ replicas }) => replicas)) {
      if (replica.host.isRunning) this.#keep(replica, "ran until the end", replica.host.output);
      this.#closing.push(replica.host.close());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all(this.#closing);
  }

  /** A process that has not been started, with a port. */
  async #replica(program: Program): Promise<Replica> {
    const { cluster, trace } = this.#context;
    const { command } = program;
    const endpoint = await cluster.listenFor({
      sender: () => replica.sender,
      seen: (exchange) => this.#seen(replica, exchange),
    });
    const { env } = this.#settings;
    const kubeconfig = endpoint.env["KUBECONFIG"]!;
    const place = { kubeconfig, ports: await freePorts(PORTS), env, clock: this.#clock };
    const events = {
      started: () => this.#started(replica),
      killed: (output: readonly string[]) => {
        const { actor, life } = replica.sender;
        this.#keep(replica, "was killed", output);
        trace.life({ actor, life, event: "killed", ...lastWords("", output) });
      },
      exited: (detail: string, output: readonly string[]) => this.#exited(replica, detail, output),
      loops: (detail: string) => this.#loops(replica, detail),
    };
    const host = new ProgramHost(command, place, { clock: this.#clock, quiet: this.#quiet, events });
    const sender = new ProgramSender(command.name, -1, () => {});
    const replica: Replica = { program, host, sender, stale: undefined, hasAsked: false, led: false };
    program.replicas.push(replica);
    // It came while everything was stopped.
    if (this.isStopped) await host.close();
    return replica;
  }

  #keep({ sender: { actor, life } }: Replica, how: string, output: readonly string[]): void {
    this.#outputs.push({ actor, lines: [`start ${life + 1}, which ${how}:`, ...output.slice(-KEPT_LINES)] });
  }

  #replicaOf(life: ProgramLife): Replica | undefined {
    return this.#programs.flatMap(({ replicas }) => replicas).find(({ sender }) => sender === life && !sender.isOver);
  }

  #started(replica: Replica): void {
    const { program, stale } = replica;
    const { trace } = this.#context;
    const life = program.lives++;
    const sender: ProgramSender = new ProgramSender(program.command.name, life, () => this.kill(sender, 0), stale);
    replica.sender = sender;
    replica.led = false;
    replica.stale = undefined;
    trace.life({ actor: sender.actor, life, event: "started" });
    if (stale) this.#context.stale(sender, stale);
  }

  /** No answer reaches a process any more. */
  #over({ sender, program }: Replica): void {
    sender.isOver = true;
    this.#context.gone(sender);
    // As if its time was over, where no other replica may hold it: nothing is shown by waiting for that.
    if (!program.replicas.some(({ sender: other }) => !other.isOver && other.life >= 0)) void program.leases.release();
  }

  #exited(replica: Replica, detail: string, output: readonly string[]): void {
    const { actor, life } = replica.sender;
    this.#keep(replica, `ended: ${detail}`, output);
    this.#context.trace.life({ actor, life, event: "exited", ...lastWords(detail, output) });
    this.#over(replica);
    const advice = portAdvice(actor, output);
    if (advice !== undefined) this.#fault = new ProgramError(advice);
  }

  #loops({ program, sender: { actor } }: Replica, detail: string): void {
    this.#context.complain({ type: "crash-loop", actor, detail });
    if (!program.wasPerturbed && this.#context.plan.length === 0)
      this.#fault ??= new ProgramError(`${actor} could not be started: ${detail}`);
  }

  /** A request has come to the port of a replica. */
  #seen(replica: Replica, exchange: Exchange): void {
    const { program, host } = replica;
    const { method, url } = exchange;
    const sender = senderOf(exchange.connection) as ProgramSender;
    // What a dead process has sent still comes.
    if (sender.isOver) return;
    host.seen();
    replica.hasAsked = true;
    if (sender.stale) {
      (exchange as { -readonly [M in "url"]: string }).url = staleUrl(method, url, sender.stale.revision);
    }
    if (program.leases.seen(method, url)) {
      if (method === "GET") return;
      this.#settings.electing.add(program.command.name);
      if (!replica.led) this.#context.trace.life({ actor: sender.actor, life: sender.life, event: "leading" });
      replica.led = true;
      if (this.#handover?.second === replica) this.#handover.came();
      return;
    }
    this.#absorb();
    for (const came of program.retried.splice(0)) came();
    if (isWatch(url)) this.#watches(program, sender, exchange);
    else exchange.onOver(this.#quiet.request(method !== "GET"));
  }

  /** A watch that ends while its program runs is opened anew. */
  #watches(program: Program, sender: ProgramSender, exchange: Exchange): void {
    const path = exchange.url.slice(0, exchange.url.indexOf("?"));
    program.ended.get(path)?.();
    this.#quiet.stir();
    exchange.onOver(() => {
      if (sender.isOver || this.isStopped) return;
      program.ended.get(path)?.();
      program.ended.set(path, this.#quiet.expect(AGAIN_MS));
    });
  }

  #isBusy(): boolean {
    this.#absorb();
    return this.#activity.count > 0;
  }

  /** Looks at what has happened since the last look. */
  #absorb(): void {
    const { entries } = this.#context.trace;
    for (; this.#read < entries.length; this.#read++) {
      const entry = entries[this.#read]!;
      if (stirs(entry)) this.#quiet.stir();
      if (entry.type !== "request" || entry.perturbation === undefined) continue;
      const program = this.#programs.find(({ command }) => command.name === entry.actor);
      if (program && this.isRunning(entry.actor)) program.retried.push(this.#quiet.expect(AGAIN_MS));
    }
  }
}

const isRunning = ({ host, sender }: Replica): boolean => host.isRunning && !sender.isOver;

/** `?watch=true`, as clients write it. */
const isWatch = (url: string): boolean => /[?&]watch=(true|1)(&|$)/.test(url);

/** Whether an entry shows that something happens; Leases are renewed for ever. */
function stirs(entry: TraceEntry): boolean {
  if (entry.type === "change") return !isAside(refOf(entry.after), entry.after);
  // What was held goes on, or ends.
  if (entry.type === "perturbation") return true;
  return entry.type === "delivery" && entry.object.kind !== "Lease" && entry.object.kind !== "Event";
}

/** What a process has printed last, in one line. */
function lastWords(detail: string, output: readonly string[]): { readonly detail?: string } {
  const said = output
    .slice(-SHOWN_LINES)
    .map((line) => line.trim())
    .join(" | ")
    .slice(-SHOWN_CHARACTERS);
  const text = [detail, said === "" ? "" : `it had printed: ${said}`].filter(Boolean).join("; ");
  return text === "" ? {} : { detail: text };
}

/** Programs go on writing, or the server has work without end. */
class StillWriting extends Error {
  override readonly name = "NotSettled";

  constructor(entries: readonly TraceEntry[], activity: Activity) {
    const writes = entries.flatMap((entry) => {
      if (entry.type !== "change" || !stirs(entry)) return [];
      const { actor, change, object } = entry;
      return [
        `  ${actor} ${change} ${object.kind} ${object.namespace === undefined ? "" : `${object.namespace}/`}${object.name}`,
      ];
    });
    const work = activity
      .list()
      .slice(0, 5)
      .map(({ what }) => `  ${what}`);
    super(
      `expected rest within ${REST_LIMIT_MS / 1000} s, found more work; the last changes:\n${[...writes.slice(-5), ...work].join("\n")}`,
    );
  }
}
