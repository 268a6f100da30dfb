/**
 * One start of a container with a script, on the time of the cluster.
 * The time of the script begins when the container was started. As long as it lies in the past, as in a fork, sleeps resolve at once: the
 * script is replayed. Then it follows the clock. A script counts as activity from each step to the end of the pass of the event loop, so
 * that one that waits for other work does not delay the cluster.
 */
import type { Pod } from "../../client/kinds/index.ts";
import { type Clock, type Timer, seededRandom } from "../../util/clock.ts";
import { type Duration, millisOf } from "../../util/duration.ts";
import type { Slice } from "../../util/loop.ts";
import { messageOf } from "../../util/error.ts";
import type {
  ContainerRequest,
  ContainerResponse,
  ExecResult,
  ExitOptions,
  ImageScript,
  ScriptContext,
  SimulationHost,
  Usage,
  VolumeFiles,
} from "../contract.ts";
import type { Container, Exit, ProbeResult, ProbeKind, ScriptFacts } from "../life/contract.ts";
import { type Probe, periodOf, probeTimeAfter, thresholdOf } from "../life/probes.ts";
import { fnv1aOfText } from "../../util/fnv.ts";
import { SECOND } from "../life/times.ts";
import { LogOfStart } from "./log-book.ts";

/** The parts of a run. */
export interface RunParts extends SimulationHost {
  readonly pod: Pod;
  readonly container: Container;
  readonly script: ImageScript;
  readonly startedAt: number;
  readonly attempt: number;
  readonly seed: number;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: Readonly<Record<string, VolumeFiles>>;
  /** Called where the facts have changed. */
  readonly changed: () => void;
  readonly failed: (error: unknown) => void;
}

/** SIGTERM of a script that does not read it. */
const TERMINATED = 143;
const KILLED = 137;
/** Sleeps of no time that are no endless loop. */
const MAX_IDLE_SLEEPS = 10_000;
/** Sleeps of a replay; after these the script continues at the current time. A container may claim that it was started in the year 1. */
const MAX_REPLAYED_SLEEPS = 1_000_000;
const TAIL_LINES = 80;
const TAIL_CHARACTERS = 2048;

/** One start of a container with a script. */
export class ScriptRun {
  readonly log = new LogOfStart();
  readonly startedAt: number;
  readonly attempt: number;
  readonly pod: Pod;
  readonly container: Container;
  usage: Usage | undefined;
  readonly #parts: RunParts;
  readonly #clock: Clock;
  readonly #terminated = new AbortController();
  readonly #timers = new Set<Timer>();
  readonly #random: () => number;
  readonly #probes = new Map<ProbeKind, ProbeResult>();
  #exec: ((command: readonly string[], stdin?: string) => ExecResult | Promise<ExecResult>) | undefined;
  #http: ((request: ContainerRequest) => ContainerResponse | Promise<ContainerResponse>) | undefined;
  #ports: ((port: number) => boolean | Promise<boolean>) | undefined;
  /** The time of the script. */
  #time: number;
  #exit: Exit | undefined;
  #ready = false;
  #readySince: number;
  #hasSaid = false;
  #terminatedAt: number | undefined;
  /** When SIGTERM comes while the script is replayed. */
  #terminateAt: number | undefined;
  #asksForEnd = false;
  #isOver = false;
  #step: (() => void) | undefined;
  #idleSleeps = 0;
  #replayedSleeps = 0;
  /** A long replay lets others run. */
  readonly #slice: Slice;
  #pauses = 0;
  #isPaused = false;
  /** Whether it was called, or the clock has resumed it: its current step is no replay. */
  #isLive = false;

  constructor(parts: RunParts) {
    const { startedAt, pod, container, attempt, clock, seed } = parts;
    this.#parts = parts;
    this.#clock = clock;
    this.startedAt = startedAt;
    this.attempt = attempt;
    this.pod = pod;
    this.container = container;
    this.#time = startedAt;
    this.#slice = clock.loop.slice();
    this.#readySince = startedAt;
    const random = seededRandom(fnv1aOfText(`${seed} ${pod.metadata.uid} ${container.name} ${attempt}`));
    this.#random = () => random.next();
  }

  /** Starts the script. @param terminateAt when SIGTERM was sent, if it was */
  start(terminateAt?: number): void {
    this.#terminateAt = terminateAt;
    this.#counted();
    const { script, failed } = this.#parts;
    const run = async (): Promise<void> => script(this.#context());
    void run().then(
      () => this.#end({ at: this.#time, code: 0 }),
      (error: unknown) => {
        if (this.#isOver) return;
        this.log.write(this.#time, error instanceof Error ? (error.stack ?? error.message) : String(error));
        failed(error);
        this.#end({ at: this.#time, code: 1, message: messageOf(error) });
      },
    );
    for (const kind of ["startup", "readiness", "liveness"] as const) this.#startProbe(kind);
    void this.#postStart();
  }

  /** Runs the hook after the start; the container ends where it fails. */
  async #postStart(): Promise<void> {
    const hook = this.container.lifecycle?.postStart;
    if (!hook) return;
    // A script defines in its first step which requests it handles.
    await Promise.resolve();
    let problem: string | undefined;
    try {
      if (hook.exec) {
        const { code = 0, stderr = "" } = (await this.exec(hook.exec.command ?? [])) ?? {};
        if (code !== 0) problem = `exit code ${code}: ${stderr}`;
      } else if (hook.httpGet) {
        const { status = 200 } = (await this.#get(hook.httpGet)) ?? {};
        if (status >= 400) problem = `status ${status}`;
      }
    } catch (error) {
      problem = messageOf(error);
    }
    if (problem === undefined) return;
    const warning = { reason: "FailedPostStartHook", note: `PostStartHook failed: ${problem}` };
    this.#end({ at: this.#time, code: KILLED, warning });
  }

  /** Resolves when the script waits for the clock or for others, and its facts are up to date. */
  async caughtUp(): Promise<void> {
    for (let pass = 0; pass < 2;) {
      const before = this.#time;
      const pauses = this.#pauses;
      // oxlint-disable-next-line no-await-in-loop -- each pass lets the script take its steps
      await this.#clock.loop.pass();
      if (this.#isOver) return;
      // A replay that takes long is not over.
      if (this.#isPaused || this.#pauses > pauses) continue;
      if (this.#time === before) return;
      pass++;
    }
  }

  /** The reports of the script so far. */
  get facts(): ScriptFacts {
    return {
      exit: this.#exit,
      ready: this.#ready,
      readySince: this.#readySince,
      terminatedAt: this.#terminatedAt,
      ...(this.#probes.size === 0 ? {} : { probes: Object.fromEntries(this.#probes) }),
      ...(this.#exit && this.#exit.code !== 0 ? { tail: this.log.tail(TAIL_LINES, TAIL_CHARACTERS) } : {}),
    };
  }

  /** Whether the current step of the script was done already by a time, when it was called before. */
  isReplaying(until: number): boolean {
    return !this.#isLive && this.#time <= until;
  }

  /** Sends SIGTERM after the hook of the container, which may sleep. */
  terminate(at: number): void {
    if (this.#isOver || this.#terminatedAt !== undefined) return;
    this.#terminatedAt = at;
    void this.#preStop().then(() => this.#signal(at));
  }

  async #preStop(): Promise<void> {
    const hook = this.container.lifecycle?.preStop;
    try {
      if (hook?.exec) await this.exec(hook.exec.command ?? []);
      else if (hook?.httpGet) await this.#get(hook.httpGet);
    } catch (error) {
      this.#parts.failed(error);
    }
  }

  /** Sends SIGKILL. */
  killAt(at: number): void {
    if (this.#isOver) return;
    this.#exit = { at, code: KILLED };
    this.kill();
  }

  /** Ends the script at once, and without an end of its container. */
  kill(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.log.end();
  }

  /** Whether the script handles commands. */
  get handlesCommands(): boolean {
    return this.#exec !== undefined;
  }

  /** Runs a command; undefined where the script handles none. */
  async exec(command: readonly string[], stdin?: string): Promise<ExecResult | undefined> {
    const exec = this.#exec;
    if (!exec || this.#isOver) return undefined;
    this.#catchUp();
    return await exec(command, stdin);
  }

  /** Sends a request; undefined where the script handles none. */
  async request(request: ContainerRequest): Promise<ContainerResponse | undefined> {
    const http = this.#http;
    if (!http || this.#isOver) return undefined;
    this.#catchUp();
    return await http(request);
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#parts.env;
  }

  get mounts(): Readonly<Record<string, VolumeFiles>> {
    return this.#parts.mounts;
  }

  #context(): ScriptContext {
    // oxlint-disable-next-line no-this-alias -- the getter of the context
    const run = this;
    const { env, mounts } = this.#parts;
    return {
      pod: this.pod,
      container: this.container.name,
      image: this.container.image ?? "",
      env,
      mounts,
      attempt: this.attempt,
      get terminated() {
        run.#asksForEnd = true;
        return run.#terminated.signal;
      },
      random: this.#random,
      now: () => this.#time,
      ready: async ({ after = 0 } = {}) => {
        this.#hasSaid = true;
        if (millisOf(after) > 0) await this.#sleep(after);
        this.#say(true);
      },
      notReady: () => {
        this.#hasSaid = true;
        this.#say(false);
      },
      sleep: (time) => this.#sleep(time),
      untilTerminated: () => {
        this.#asksForEnd = true;
        if (!this.#hasSaid) this.#say(true);
        return this.#untilTerminated();
      },
      exit: (code, options) => this.#leave(code, options),
      log: (text) => void (this.#isOver || this.log.write(this.#time, text)),
      metrics: (usage) => void (this.usage = usage),
      on: {
        exec: (handler) => void (this.#exec = handler),
        http: (handler) => void (this.#http = handler),
        probe: (handler) => void (this.#ports = handler),
      },
    };
  }

  #say(ready: boolean): void {
    if (this.#isOver || this.#ready === ready) return;
    this.#ready = ready;
    this.#readySince = this.#time;
    this.#parts.changed();
  }

  async #leave(code: number, { reason, message }: ExitOptions = {}): Promise<never> {
    this.#end({ at: this.#time, code, reason, message });
    return await new Promise<never>(() => {});
  }

  #end(exit: Exit): void {
    if (this.#isOver) return;
    this.#exit = exit;
    this.kill();
    this.#parts.changed();
  }

  /** The time of the script is that of the cluster. */
  #catchUp(): void {
    this.#isLive = true;
    this.#time = Math.max(this.#time, this.#clock.now());
    this.#counted();
  }

  /** Counts a step of the script until the end of the pass of the event loop. */
  #counted(): void {
    if (this.#step) return;
    const { container, pod, activity } = this.#parts;
    const end = activity?.begin(`script of ${container.image ?? ""} in ${pod.metadata.name}`);
    if (!end) return;
    this.#step = end;
    const over = async (): Promise<void> => {
      await this.#clock.loop.pass();
      this.#step = undefined;
      end();
    };
    void over();
  }

  async #sleep(time: Duration): Promise<void> {
    const target = this.#time + millisOf(time);
    this.#idleSleeps = target > this.#time ? 0 : this.#idleSleeps + 1;
    if (this.#idleSleeps > MAX_IDLE_SLEEPS) {
      throw new Error(`expected a script to sleep, found ${MAX_IDLE_SLEEPS} sleeps of no time one after the other`);
    }
    const terminateAt = this.#terminateAt;
    if (terminateAt !== undefined && terminateAt <= target) {
      this.#time = Math.max(this.#time, terminateAt);
      this.#terminateAt = undefined;
      this.#terminatedAt = terminateAt;
      this.#signal(terminateAt);
      await Promise.resolve();
    }
    if (this.#isOver) return await new Promise<never>(() => {});
    const now = this.#clock.now();
    if (target > now) {
      await new Promise<void>((resolve) => this.#after(target - now, resolve));
    } else if (++this.#replayedSleeps > MAX_REPLAYED_SLEEPS) {
      this.#time = Math.max(this.#time, now);
      return;
    } else await this.#replayPause();
    this.#time = Math.max(this.#time, target);
  }

  /** Pauses where a replay has taken long. */
  async #replayPause(): Promise<void> {
    const pause = this.#slice.pause();
    if (!pause) return;
    this.#pauses++;
    this.#isPaused = true;
    await pause;
    this.#isPaused = false;
    if (this.#isOver) await new Promise<never>(() => {});
  }

  async #untilTerminated(): Promise<void> {
    const { signal } = this.#terminated;
    if (this.#terminateAt !== undefined && !signal.aborted) {
      this.#time = Math.max(this.#time, this.#terminateAt);
      this.#terminatedAt = this.#terminateAt;
      this.#terminateAt = undefined;
      this.#signal(this.#time);
    }
    if (signal.aborted) return;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  #signal(at: number): void {
    if (this.#isOver) return;
    this.#time = Math.max(this.#time, at);
    this.#counted();
    this.#terminated.abort();
    if (!this.#asksForEnd) this.#end({ at: this.#time, code: TERMINATED });
    else this.#parts.changed();
  }

  #after(millis: number, work: () => void): void {
    const timer = this.#clock.after(
      millis,
      () => {
        this.#timers.delete(timer);
        this.#isLive = true;
        this.#counted();
        work();
      },
      { owner: "scripts of simulated Pods" },
    );
    this.#timers.add(timer);
  }

  /** Probes of a handler run with their period; others follow from the reports of the script. */
  #startProbe(kind: ProbeKind): void {
    const { startupProbe, readinessProbe, livenessProbe } = this.container;
    const probe = { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe }[kind];
    if (!probe) return;
    let inRow = 0;
    let last: boolean | undefined;
    const next = (at: number): void => {
      const now = this.#clock.now();
      // Those that a machine has slept through are left out.
      const due = at < now ? probeTimeAfter(probe, this.startedAt, now) : at;
      this.#after(due - now, () => void ask(due));
    };
    const ask = async (at: number): Promise<void> => {
      if (
        kind !== "startup" &&
        startupProbe &&
        this.#probes.get("startup")?.outcome === undefined &&
        this.#handles(startupProbe)
      ) {
        return next(at + periodOf(probe));
      }
      if (kind === "startup" && this.#probes.get("startup")?.outcome === true) return;
      if (!this.#handles(probe)) return next(at + periodOf(probe));
      const { ok, message } = await this.#ask(kind, probe);
      if (this.#isOver) return;
      inRow = ok === last ? inRow + 1 : 1;
      last = ok;
      const before = this.#probes.get(kind)?.outcome;
      if (before === undefined && !this.#probes.has(kind)) this.#probes.set(kind, { outcome: undefined });
      if (inRow >= thresholdOf(probe, ok) && before !== ok) {
        this.#probes.set(kind, { outcome: ok, ...(ok ? {} : { message }) });
        this.#parts.changed();
      }
      next(at + periodOf(probe));
    };
    // A script without a handler when it first waits has none: no timer for it.
    const first = async (): Promise<void> => {
      await this.#clock.loop.pass();
      if (this.#isOver || !this.#handles(probe)) return;
      this.#probes.set(kind, { outcome: undefined });
      next(probeTimeAfter(probe, this.startedAt, this.#clock.now()));
    };
    void first();
  }

  #handles({ exec, httpGet }: Probe): boolean {
    if (exec) return this.#exec !== undefined;
    return httpGet ? this.#http !== undefined : this.#ports !== undefined;
  }

  async #ask(kind: ProbeKind, probe: Probe): Promise<{ readonly ok: boolean; readonly message: string }> {
    const late = Promise.withResolvers<{ readonly ok: boolean; readonly message: string }>();
    const timer = this.#clock.after(Math.max(1, probe.timeoutSeconds ?? 1) * SECOND, () =>
      late.resolve({ ok: false, message: "command timed out" }),
    );
    this.#timers.add(timer);
    try {
      return await Promise.race([this.#probe(kind, probe), late.promise]);
    } finally {
      timer.cancel();
      this.#timers.delete(timer);
    }
  }

  async #probe(kind: ProbeKind, { exec, httpGet, tcpSocket, grpc }: Probe): Promise<{ ok: boolean; message: string }> {
    try {
      if (exec) {
        const { code = 0, stdout = "", stderr = "" } = (await this.exec(exec.command ?? [])) ?? {};
        return { ok: code === 0, message: stderr || stdout };
      }
      if (httpGet) {
        const { status = 200 } = (await this.#get(httpGet, kind)) ?? {};
        return { ok: status >= 200 && status < 400, message: `HTTP probe failed with statuscode: ${status}` };
      }
      this.#catchUp();
      const port = this.#portOf(tcpSocket?.port ?? grpc?.port ?? 0);
      return { ok: (await this.#ports?.(port)) ?? true, message: `dial tcp port ${port}: connect: connection refused` };
    } catch (error) {
      this.#parts.failed(error);
      return { ok: false, message: messageOf(error) };
    }
  }

  #get(
    { path, port, httpHeaders }: NonNullable<Probe["httpGet"]>,
    probe?: ProbeKind,
  ): Promise<ContainerResponse | undefined> {
    const headers = Object.fromEntries((httpHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
    return this.request({ method: "GET", path: path || "/", port: this.#portOf(port), headers, body: "", probe });
  }

  #portOf(port: number | string): number {
    if (typeof port === "number") return port;
    return this.container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
  }
}
