/**
 * The processes of programs: how each is started, killed, and started again, and its output.
 *
 * @module
 */
import type { Actor } from "../../explore/contract/trace.ts";
import type { Exchange } from "../../server/request/exchange.ts";
import type { Clock } from "../../util/clock.ts";
import { type ProgramLife, ProgramSender, type StaleState } from "./identity.ts";
import { ProgramHost } from "./programs-host.ts";
import { Leases } from "./programs-leases.ts";
import { PORTS, type ProgramCommand, freePorts, portAdvice } from "./programs-process.ts";
import type { Quiet } from "./programs-quiet.ts";
import type { RunContext } from "./world.ts";

/** The end of the output of one start of a program. */
export interface ProgramOutput {
  readonly actor: Actor;
  readonly lines: readonly string[];
}

/** A process of a program with its port; there is a second one while a leadership changes hands. */
export interface Replica {
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

/** A program with its processes. */
export interface Program {
  readonly command: ProgramCommand;
  readonly replicas: Replica[];
  readonly leases: Leases;
  lives: number;
  wasPerturbed: boolean;
}

/** A program that cannot be explored: it does not start, or needs what another one has. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

/** The parts with which the processes of a run are started. */
export interface ReplicasOptions {
  readonly programs: readonly ProgramCommand[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a killed program stays down at most, in ms. */
  readonly restartMillis: number;
  readonly context: RunContext;
  readonly clock: Clock;
  readonly quiet: Quiet;
  /** Called with each request that has come to the port of a replica. */
  readonly seen: (replica: Replica, exchange: Exchange) => void;
}

/** The default pause after a step: a program that is down for longer misses the next actions of the user. */
const LONG_DOWN_MS = 300_000;
const KEPT_LINES = 20;
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 300;

/** The processes of all programs of a run. */
export class Replicas {
  readonly programs: readonly Program[];
  /** The end of the output of each start of each program. */
  readonly output: ProgramOutput[] = [];
  readonly #options: ReplicasOptions;
  /** Replicas that are down until the next step, with the entry of the trace since which they are. */
  readonly #down = new Map<Replica, number>();
  /** Aborted when all programs have been ended for good: no caller waits for them any more. */
  readonly #end = new AbortController();
  readonly #closing: Promise<void>[] = [];
  /** Why nothing can be explored. */
  fault: Error | undefined;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    const { inject } = options.context.cluster.inside;
    this.programs = options.programs.map((command) => ({
      command,
      replicas: [],
      leases: new Leases(inject),
      lives: 0,
      wasPerturbed: false,
    }));
  }

  get all(): readonly Replica[] {
    return this.programs.flatMap(({ replicas }) => replicas);
  }

  /** Aborted when all programs have been ended for good. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  isRunning(actor: Actor): boolean {
    return this.programs.some(({ command, replicas }) => command.name === actor && replicas.some(isRunning));
  }

  of(life: ProgramLife): Replica | undefined {
    return this.all.find(({ sender }) => sender === life && !sender.isOver);
  }

  /** Returns a process that has not been started, with a port. */
  async add(program: Program): Promise<Replica> {
    const { context, env, clock, quiet, seen } = this.#options;
    const { cluster, trace } = context;
    const { command } = program;
    const endpoint = await cluster.listenFor({
      sender: () => replica.sender,
      seen: (exchange) => seen(replica, exchange),
    });
    const kubeconfig = endpoint.env["KUBECONFIG"]!;
    const place = { kubeconfig, ports: await freePorts(PORTS), env, clock };
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
    const host = new ProgramHost(command, place, { clock, quiet, events });
    const sender = new ProgramSender(command.name, -1, () => {});
    const replica: Replica = { program, host, sender, stale: undefined, hasAsked: false, led: false };
    program.replicas.push(replica);
    // It came while everything was stopped.
    if (this.ended.aborted) await host.close();
    return replica;
  }

  kill(life: ProgramLife, downMillis: number, stale?: StaleState): void {
    const replica = this.of(life);
    if (!replica) return;
    const { context, restartMillis } = this.#options;
    replica.stale = stale;
    replica.program.wasPerturbed = true;
    this.#over(replica);
    const isLong = downMillis > LONG_DOWN_MS;
    if (isLong) this.#down.set(replica, context.trace.entries.length);
    this.#closing.push(replica.host.kill(isLong ? undefined : Math.min(downMillis, restartMillis)));
  }

  /** Starts programs that were down until the next step: it has begun, and the user has done it. */
  startThoseOfNextStep(): void {
    const { entries } = this.#options.context.trace;
    for (const [replica, since] of this.#down) {
      if (!entries.slice(since).some((entry) => entry.type === "step" && entry.phase === "begun")) continue;
      this.#down.delete(replica);
      replica.host.start();
    }
  }

  stop(): void {
    if (this.ended.aborted) return;
    this.#end.abort();
    for (const replica of this.all) {
      if (replica.host.isRunning) this.#keep(replica, "ran until the end", replica.host.output);
      this.#closing.push(replica.host.close());
    }
  }

  async closed(): Promise<void> {
    await Promise.all(this.#closing);
  }

  #keep({ sender: { actor, life } }: Replica, how: string, output: readonly string[]): void {
    this.output.push({ actor, lines: [`start ${life + 1}, which ${how}:`, ...output.slice(-KEPT_LINES)] });
  }

  #started(replica: Replica): void {
    const { program, stale } = replica;
    const { context } = this.#options;
    const life = program.lives++;
    const sender: ProgramSender = new ProgramSender(program.command.name, life, () => this.kill(sender, 0), stale);
    replica.sender = sender;
    replica.led = false;
    replica.stale = undefined;
    context.trace.life({ actor: sender.actor, life, event: "started" });
    if (stale) context.stale(sender, stale);
  }

  /** A process gets no response any more. */
  #over({ sender, program }: Replica): void {
    sender.isOver = true;
    this.#options.context.gone(sender);
    // As if its time was over, where no other replica may hold it: nothing is shown by waiting for that.
    if (!program.replicas.some(({ sender: other }) => !other.isOver && other.life >= 0)) void program.leases.release();
  }

  #exited(replica: Replica, detail: string, output: readonly string[]): void {
    const { actor, life } = replica.sender;
    this.#keep(replica, `ended: ${detail}`, output);
    this.#options.context.trace.life({ actor, life, event: "exited", ...lastWords(detail, output) });
    this.#over(replica);
    const advice = portAdvice(actor, output);
    if (advice !== undefined) this.fault = new ProgramError(advice);
  }

  #loops({ program, sender: { actor } }: Replica, detail: string): void {
    const { context } = this.#options;
    context.complain({ type: "crash-loop", actor, detail });
    if (!program.wasPerturbed && context.plan.length === 0)
      this.fault ??= new ProgramError(`${actor} could not be started: ${detail}`);
  }
}

const isRunning = ({ host, sender }: Replica): boolean => host.isRunning && !sender.isOver;

/** The end of the output of a process, in one line. */
function lastWords(detail: string, output: readonly string[]): { readonly detail?: string } {
  const said = output
    .slice(-SHOWN_LINES)
    .map((line) => line.trim())
    .join(" | ")
    .slice(-SHOWN_CHARACTERS);
  const text = [detail, said === "" ? "" : `it had printed: ${said}`].filter(Boolean).join("; ");
  return text === "" ? {} : { detail: text };
}
