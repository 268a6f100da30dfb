/**
 * Programs of this process, under the virtual clock of the cluster.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { ADMIN } from "../../auth/admin.ts";
import type { Actor } from "../../explore/contract/trace.ts";
import type { Client, Transport } from "../../client/index.ts";
import type { Controller } from "../../runtime/index.ts";
import { KillSwitch } from "../../runtime/kill-switch.ts";
import { ActivityCount, runCounted } from "../../util/activity.ts";
import { type Clock, type Timer, seededRandom } from "../../util/clock.ts";
import { messageOf } from "../../util/error.ts";
import { VirtualClock, boundTo, inside } from "../clock.ts";
import { Run } from "../run.ts";
import { writesLease } from "./programs-leases.ts";
import { type FindProgram, type ProgramLife, ProgramSender, type StaleState, programOf } from "./identity.ts";
import type { KeptRequest } from "./interposer.ts";
import { Pause } from "./pause.ts";
import type { InProcessProgram, ProgramContext } from "./scenario.ts";
import { staleUrl } from "./stale.ts";
import type { RunContext, World } from "./world.ts";

/** A program that ends by itself starts again after 10 s, doubling, as a container does. */
const RESTART_MS = 10_000;
const MAX_RESTART_MS = 300_000;
/** So many ends in one row are a crash loop. */
const CRASH_LOOP = 5;
/** A program that lived so long has not ended in a row. */
const HEALTHY_MS = 600_000;
const QUIET_OF_ELECTIONS_MS = 600_000;

/** Renewals are most of what an election costs. */
const ELECTION = { leaseDuration: "60s", renewDeadline: "40s", retryPeriod: "10s" } as const;

/** One start of a program. */
interface Life {
  readonly sender: ProgramSender;
  readonly pause: Pause;
  readonly startedAt: number;
  /** Whether it leads, where it takes part in an election. */
  readonly leading: () => boolean;
  readonly kill: () => void;
}

/** A program with its starts. */
interface Program {
  readonly actor: Actor;
  readonly program: InProcessProgram;
  readonly lives: Set<Life>;
  started: number;
  /** How often it has ended by itself without a pause. */
  ends: number;
  restart: Timer | undefined;
}

/** A leadership that changes hands. */
interface Handover {
  readonly index: number;
  readonly first: Life;
  /** Once it has started. */
  other: Life | undefined;
  readonly release: () => void;
  state: "waits" | "responded" | "done";
}

/** Names of controllers that take part in elections where the plan requires one. */
const elects = (program: InProcessProgram): boolean => "controllers" in program && program.leaderElection === true;

/** The laboratory of controllers of this process. */
export class InProcessWorld implements World {
  readonly find: FindProgram = programOf;
  readonly #context: RunContext;
  readonly #programs: readonly Program[];
  readonly #hasElections: boolean;
  /** Programs that take part in an election by themselves, as runs have shown. */
  readonly #electing: Set<Actor>;
  readonly #outside = AsyncLocalStorage.snapshot();
  #handover: Handover | undefined;
  #isStopped = false;

  /** @param electing learns which programs take part in an election by themselves */
  constructor(
    programs: Readonly<Record<Actor, InProcessProgram>>,
    context: RunContext,
    electing: Set<Actor> = new Set(),
  ) {
    this.#context = context;
    this.#electing = electing;
    this.#hasElections = context.plan.some(({ type }) => type === "lead-changes");
    this.#programs = Object.entries(programs).map(([actor, program]) => {
      return { actor, program, lives: new Set(), started: 0, ends: 0, restart: undefined };
    });
  }

  async begin(): Promise<void> {
    for (const program of this.#programs) {
      const started = await this.#start(program);
      if (started instanceof Error) {
        throw new Error(`${program.actor} could not be started: ${messageOf(started)}`, { cause: started });
      }
    }
  }

  isRunning(actor: Actor): boolean {
    return (this.#programs.find((one) => one.actor === actor)?.lives.size ?? 0) > 0;
  }

  kill(life: ProgramLife, downMillis: number, stale?: StaleState): void {
    const program = this.#programs.find(({ actor }) => actor === life.actor);
    const found = [...(program?.lives ?? [])].find(({ sender }) => sender === life);
    if (!program || !found) return;
    this.#end(program, found);
    this.#context.trace.life({ actor: life.actor, life: life.life, event: "killed" });
    this.#startLater(program, downMillis, stale);
  }

  leadChanges(life: ProgramLife, index: number): Promise<void> {
    const program = this.#programs.find(({ actor }) => actor === life.actor);
    const first = [...(program?.lives ?? [])].find(({ sender }) => sender === life);
    if (!program || !first?.leading() || this.#handover) return Promise.resolve();
    first.pause.pause();
    const { promise, resolve } = Promise.withResolvers<void>();
    const handover: Handover = { index, first, other: undefined, release: resolve, state: "waits" };
    // The second replica is no part of the request.
    void this.#outside(() => this.#start(program)).then((other) => {
      if (!(other instanceof Error)) handover.other = other;
    });
    this.#handover = handover;
    this.#context.trace.perturbation(index, "begun", `another replica of ${life.actor} takes over`);
    return promise;
  }

  resend({ method, url, headers, body, program }: KeptRequest): void {
    const connection = new ProgramSender(program.actor, program.life, () => {});
    connection.isOver = true;
    const sent = { method, url, headers, identity: ADMIN, connection, ...(body !== undefined && { body }) };
    void this.#context.cluster.inside.inject(sent).then(
      (response) => response.text(),
      () => undefined,
    );
  }

  delays(): () => void {
    // Rest is until the virtual clock moves, and it moves on to the end of the delay.
    return () => {};
  }

  async rest(): Promise<void> {
    await this.#context.cluster.settled();
  }

  goOn(): boolean {
    const handover = this.#handover;
    if (!handover) return false;
    const { trace } = this.#context;
    const { first, other } = handover;
    const { actor, life } = first.sender;
    if (handover.state === "waits") {
      if (!other?.leading()) return false;
      if (elects(this.#programs.find((one) => one.actor === actor)!.program)) this.#leads(other.sender);
      handover.state = "responded";
      // The request is handled, and the first replica acts on its response before it knows the current time.
      first.pause.resumeRequests();
      handover.release();
      return true;
    }
    if (handover.state === "done") return false;
    handover.state = "done";
    first.pause.resumeTimers();
    trace.perturbation(handover.index, "ended", `the first replica of ${actor} continues`);
    trace.life({ actor, life, event: "not leading" });
    return true;
  }

  async pass(millis: number): Promise<void> {
    await this.#context.cluster.clock.next({ within: millis });
  }

  async jump(millis: number): Promise<void> {
    const { clock } = this.#context.cluster;
    if (clock instanceof VirtualClock) clock.manual.advance(millis);
    await this.rest();
  }

  quietMillis(asked: number): number {
    // A renewal every two seconds of a day would cost more than all else.
    return this.#hasElections || this.#electing.size > 0 ? Math.min(asked, QUIET_OF_ELECTIONS_MS) : asked;
  }

  stop(): void {
    this.#isStopped = true;
    for (const program of this.#programs) {
      program.restart?.cancel();
      for (const life of program.lives) this.#end(program, life);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
  }

  /** Starts a program once more; resolves to the reason where it cannot be started. */
  async #start(program: Program, stale?: StaleState): Promise<Life | Error> {
    const { actor } = program;
    const { trace, cluster } = this.#context;
    const number = program.started++;
    const sender: ProgramSender = new ProgramSender(actor, number, () => this.kill(sender, RESTART_MS), stale);
    trace.life({ actor, life: number, event: "started" });
    if (stale) this.#context.stale(sender, stale);
    const pause = new Pause();
    const own = program.program;
    const mayPause = this.#hasElections && ("main" in own || elects(own));
    const clock = mayPause ? pause.clock(cluster.clock) : cluster.clock;
    const startedAt = clock.steady();
    const parts = { sender, pause, startedAt };
    if ("main" in own) {
      const life = this.#startMain(program, own.main, parts, clock);
      program.lives.add(life);
      return life;
    }
    let run: Run | undefined;
    const life = { ...parts, leading: () => run?.leading === true, kill: () => run?.kill() };
    program.lives.add(life);
    // Without a plan that changes it there is one replica, and no election.
    if (elects(own) && !this.#hasElections) this.#leads(sender);
    try {
      run = this.#runOf(program, [own.controllers()].flat() as readonly Controller[], parts, clock);
      await run.begin();
      return life;
    } catch (error) {
      if (sender.isOver) return life;
      this.#ended(program, life, messageOf(error));
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  #runOf(
    { actor, program }: Program,
    controllers: readonly Controller[],
    { sender, pause }: Pick<Life, "sender" | "pause">,
    clock: Clock,
  ): Run {
    const { cluster, seed } = this.#context;
    const { run } = cluster.inside;
    const isElected = elects(program) && this.#hasElections;
    const options = isElected ? { leaderElection: { lease: { namespace: "default", name: actor }, ...ELECTION } } : {};
    const parts = {
      ...run,
      clock,
      // Other numbers after each start, as a new process has.
      seed: (seed + sender.life) >>> 0,
      client: (_sender: unknown, _identity: unknown, userAgent: string) =>
        this.#client(sender, userAgent, isElected ? pause : undefined),
      onFailure: ({ controller, key, error }: { controller: string; key: string; error: unknown }): void => {
        const detail = `${controller} ${key}: ${String(error)}`;
        this.#context.complain({ type: "failed", actor, detail });
      },
    };
    return new Run(parts, controllers, options);
  }

  #startMain(
    program: Program,
    main: (context: ProgramContext) => Promise<void>,
    parts: Pick<Life, "sender" | "pause" | "startedAt">,
    own: Clock,
  ): Life {
    const killSwitch = new KillSwitch();
    // Counts nothing: readers of its watches wait while a request of it does.
    const count = new ActivityCount(() => () => {});
    const clock = boundTo(waitedFor(killSwitch.clock(own), count));
    const random = seededRandom((this.#context.seed + parts.sender.life) >>> 0);
    const over = new AbortController();
    let isLeading = false;
    const through = (transport: Transport): Transport => {
      const alive = killSwitch.transport(transport);
      return (request) => {
        if (!isLeading && writesLease(request.method, request.path)) {
          isLeading = true;
          this.#electing.add(program.actor);
          this.#leads(parts.sender);
        }
        return alive(request);
      };
    };
    const pause = this.#hasElections ? parts.pause : undefined;
    const client = this.#client(parts.sender, program.actor, pause).with({ clock, through });
    const kill = (): void => {
      killSwitch.kill();
      // A program that is killed while the run continues is not notified.
      if (this.#isStopped) over.abort();
    };
    const life: Life = { ...parts, leading: () => isLeading, kill };
    const ended = (detail: string): void => this.#ended(program, life, detail);
    // The program is in the set of lives when it ends.
    const run = (): Promise<void> =>
      inside(program.actor, async () => main({ client, clock, signal: over.signal, random }));
    void runCounted(count, run).then(
      () => ended("it returned"),
      (error: unknown) => ended(error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    );
    return life;
  }

  #client(sender: ProgramSender, userAgent: string, pause?: Pause): Client {
    const { cluster } = this.#context;
    const { run } = cluster.inside;
    const { stale } = sender;
    const through = (transport: Transport): Transport => {
      const own: Transport = stale
        ? (request) => transport({ ...request, path: staleUrl(request.method, request.path, stale.revision) })
        : transport;
      return pause ? pause.transport(own) : own;
    };
    const client = run.client(sender, ADMIN, userAgent);
    return stale || pause ? client.with({ through }) : client;
  }

  #leads({ actor, life }: ProgramSender): void {
    this.#context.trace.life({ actor, life, event: "leading" });
  }

  /** A program has ended by itself. */
  #ended(program: Program, life: Life, detail: string): void {
    if (!program.lives.has(life)) return;
    const { trace, cluster, complain } = this.#context;
    this.#end(program, life);
    const { actor } = program;
    trace.life({ actor, life: life.sender.life, event: "exited", detail });
    program.ends = cluster.clock.steady() - life.startedAt > HEALTHY_MS ? 1 : program.ends + 1;
    if (program.ends === CRASH_LOOP) complain({ type: "crash-loop", actor, detail });
    this.#startLater(program, Math.min(RESTART_MS * 2 ** (program.ends - 1), MAX_RESTART_MS));
  }

  #end(program: Program, life: Life): void {
    program.lives.delete(life);
    life.sender.isOver = true;
    life.kill();
    this.#context.gone(life.sender);
  }

  #startLater(program: Program, millis: number, stale?: StaleState): void {
    if (this.#isStopped) return;
    const start = (): void => void this.#start(program, stale);
    program.restart = this.#context.cluster.clock.after(millis, start, { owner: `the restart of ${program.actor}` });
  }
}

/** A clock whose timers hold up the readers of watches that set them: one that handles an event may wait before it reads on. */
const waitedFor = (clock: Clock, count: ActivityCount): Clock => ({
  loop: clock.loop,
  now: () => clock.now(),
  steady: () => clock.steady(),
  after: (millis, work, options) => {
    if (!count.isFollowed) return clock.after(millis, work, options);
    count.pause();
    let isOver = false;
    const over = (): void => {
      if (!isOver) count.resume();
      isOver = true;
    };
    const timer = clock.after(
      millis,
      () => {
        over();
        work();
      },
      options,
    );
    return {
      cancel: () => {
        over();
        timer.cancel();
      },
    };
  },
});
