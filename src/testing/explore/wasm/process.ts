/**
 * One running program of Go: its instance of WebAssembly under a clock that is passed in, until it ends, is killed, or is copied.
 *
 * @module
 */
import type { Transport } from "../../../client/index.ts";
import type { Clock, Random, Timer } from "../../../util/clock.ts";
import { GoMemory, importsOf } from "./abi.ts";
import { Files, type KeptFiles } from "./files.ts";
import { CONSTRUCTORS, hostObjects } from "./host.ts";
import { type GoExports, type Segment, globalsOf } from "./module.ts";
import { type KeptRequests, Requests } from "./requests.ts";
import { type KeptMemory, keepMemory, restoreMemory } from "./memory.ts";
import { GoFunction, type KeptValues, Values } from "./values.ts";
import { type WasmInstance, type WasmModule, wasm } from "./webassembly.ts";

/** The imports of a process. */
export interface GoProcessParts {
  readonly module: WasmModule;
  /** The initial content of the memory of a process. */
  readonly data: readonly Segment[];
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** The host names of the API server. */
  readonly hosts: ReadonlySet<string>;
  /** Called with each line that the program writes to its standard output and error. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** The initial state of a process. */
interface GoBeginning {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** A process at rest, from which others continue. It is never changed. */
interface KeptProcess {
  readonly memory: KeptMemory;
  readonly globals: readonly unknown[];
  readonly values: KeptValues;
  /** The names of host objects in the table. */
  readonly names: ReadonlyMap<unknown, string>;
  readonly files: KeptFiles;
  readonly requests: KeptRequests;
  /** The time left, in ms, by id. */
  readonly timers: readonly (readonly [number, number])[];
  readonly lastTimer: number;
  readonly nanotime: bigint;
}

/** The program trapped, or read the clock without end. */
export class GoProgramError extends Error {
  override readonly name = "GoProgramError";
}

/** The counter of a new process: zero is no time for Go. */
const FIRST_NANOTIME = 1_000_000_000n;
/** Arguments and environment are stored below the data of the program, which begins here (`cmd/link`). */
const ARGUMENTS = { start: 4096, end: 4096 + 8192 };
/** How often a program may read the steady counter without waiting: a loop until time has passed would never end. */
const MAX_READS_OF_TIME = 20_000_000;
/** So many timers without a request, and nothing from outside: then short tickers are late, and fire once in place of several times. */
const MAX_IDLE_TICKS = 30;
const MAX_TICKLESS_MS = 60_000;
const KEPT_LINES = 20;

/** One start of a program of Go. */
export class GoProcess {
  readonly #parts: GoProcessParts;
  readonly #clock: Clock;
  readonly #instance: WasmInstance;
  readonly #values: Values;
  readonly #files: Files;
  readonly #requests: Requests;
  readonly #memory: GoMemory;
  readonly #go: Record<string, unknown>;
  readonly #global: Record<string, unknown>;
  /** Host objects by name, so that those of a copy replace them. */
  readonly #objects: Readonly<Record<string, unknown>>;
  readonly #timers = new Map<number, { readonly at: number; readonly timer: Timer }>();
  readonly #ended = Promise.withResolvers<number>();
  readonly #lines: string[] = [];
  /** The steady counter of the clock and of the program at the same moment. */
  readonly #zero: { readonly steady: number; readonly nanotime: bigint };
  #last: { readonly steady: number; readonly nanotime: bigint };
  #lastTimer: number;
  #readsOfTime = 0;
  #deadline: number | undefined;
  /** How many timers in a row have led to no request. */
  #idleTicks = 0;
  #unfinished = "";
  #isOver = false;
  #isRunning = false;

  private constructor(parts: GoProcessParts, beginning: KeptProcess | { readonly files: KeptFiles }) {
    const kept = "memory" in beginning ? beginning : undefined;
    const { clock, transport, hosts } = parts;
    this.#parts = parts;
    this.#clock = clock;
    this.#zero = { steady: clock.steady(), nanotime: kept?.nanotime ?? FIRST_NANOTIME };
    this.#last = this.#zero;
    this.#lastTimer = kept?.lastTimer ?? 0;
    this.#files = new Files(beginning.files, (fd, bytes) => this.#write(fd, bytes));
    this.#requests = new Requests(kept?.requests ?? { unsent: [], open: [] }, transport, hosts, (id) =>
      this.#call("wake", id),
    );
    this.#go = { _pendingEvent: null, _makeFuncWrapper: (id: number) => this.#functionOf(id) };
    this.#objects = hostObjects(this.#files);
    this.#global = { ...CONSTRUCTORS, ...this.#objects };
    this.#values = kept ? this.#valuesFrom(kept) : Values.of(this.#global, this.#go);
    const exports = (): GoExports => this.#instance.exports as unknown as GoExports;
    this.#memory = new GoMemory(exports, this.#values);
    this.#instance = new wasm.Instance(parts.module, importsOf(this.#abi(exports), this.#memory));
    // The promise may be of no interest.
    this.#ended.promise.catch(() => {});
    if (kept) this.#restore(kept);
  }

  /** Starts a program; it runs until it waits. */
  static start(parts: GoProcessParts, { args, env, files }: GoBeginning): GoProcess {
    const process = new GoProcess(parts, { files: Files.of(files) });
    for (const { offset, bytes } of parts.data) process.#memory.bytes(offset, bytes.length).set(bytes);
    const { argc, argv } = process.#passArguments(args, env);
    process.#enter(() => process.#exports.run(argc, argv));
    return process;
  }

  /**
   * Continues a copy of a process. Its steady counter continues, its timers have their remaining time, its watches end and its other open
   * requests fail, as connections do not outlive a process.
   */
  static continue(parts: GoProcessParts, kept: KeptProcess): GoProcess {
    const process = new GoProcess(parts, kept);
    process.#requests.flush();
    for (const id of process.#requests.ended) process.#call("wake", id);
    return process;
  }

  /** Resolves to the exit code. Rejects with a GoProgramError where the program trapped; never where it was killed. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  /** The last lines that it wrote. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Bytes of its memory. */
  get memoryBytes(): number {
    return this.#exports.mem.buffer.byteLength;
  }

  /** Calls the function that the overlay has set under a name in the global object; does nothing where there is none, or it is over. */
  signal(name: "start"): void {
    this.#call(name);
  }

  /** Returns a copy of the process. @throws Error with its last lines where it runs or is over */
  keep(): KeptProcess {
    if (this.#isOver || this.#isRunning) {
      throw new Error(["expected a program that waits, got one that is over, or runs", ...this.#lines].join("\n"));
    }
    const now = this.#clock.steady();
    const names = new Map<unknown, string>([
      [this.#go, "go"],
      [this.#global, "global"],
    ]);
    for (const [name, object] of Object.entries(this.#objects)) names.set(object, name);
    for (const name of FUNCTIONS) if (this.#global[name]) names.set(this.#global[name], name);
    return {
      memory: keepMemory(this.#exports.mem),
      globals: globalsOf(this.#instance).map((global) => global.value as unknown),
      values: this.#values.keep(),
      names,
      files: this.#files.keep(),
      requests: this.#requests.keep(),
      timers: [...this.#timers].map(([id, { at }]) => [id, Math.max(0, at - now)]),
      lastTimer: this.#lastTimer,
      nanotime: this.#nanotime(),
    };
  }

  /** Ends it as `kill -9` does: none of it runs any more. */
  kill(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const { timer } of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#requests.close();
  }

  get #exports(): GoExports {
    return this.#instance.exports as unknown as GoExports;
  }

  #abi(exports: () => GoExports): Parameters<typeof importsOf>[0] {
    return {
      exports,
      values: this.#values,
      requests: this.#requests,
      nanotime: () => {
        if (++this.#readsOfTime > MAX_READS_OF_TIME) {
          throw new GoProgramError(
            "the program reads the clock without end: it waits in a loop for time to pass, and the clock stands still",
          );
        }
        return this.#nanotime();
      },
      now: () => this.#clock.now(),
      setTimer: (ms) => this.#setTimer(++this.#lastTimer, this.#delayOf(ms)),
      setDeadline: (ms) => (this.#deadline = ms),
      clearTimer: (id) => {
        this.#timers.get(id)?.timer.cancel();
        this.#timers.delete(id);
      },
      fillRandom: (bytes) => {
        for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(this.#parts.random.next() * 256);
      },
      onWrite: (fd, bytes) => this.#write(fd, bytes),
      onExit: (code) => {
        this.kill();
        this.#ended.resolve(code);
      },
    };
  }

  #nanotime(): bigint {
    const steady = this.#clock.steady();
    if (steady !== this.#last.steady) {
      const micros = Math.floor((steady - this.#zero.steady) * 1000);
      this.#last = { steady, nanotime: this.#zero.nanotime + BigInt(micros) * 1000n };
    }
    return this.#last.nanotime;
  }

  /** How long a timer waits: where many in a row led to nothing, until another event than a short tick is due. */
  #delayOf(ms: number): number {
    const deadline = this.#deadline;
    this.#deadline = undefined;
    if (deadline === undefined || this.#idleTicks < MAX_IDLE_TICKS) return ms;
    return Math.max(ms, deadline < 0 ? MAX_TICKLESS_MS : Math.min(deadline, MAX_TICKLESS_MS));
  }

  #setTimer(id: number, ms: number): number {
    const tick = (): void => {
      const last = this.#requests.count;
      this.#idleTicks++;
      this.#enter(() => this.#exports.resume());
      if (this.#requests.count !== last) this.#idleTicks = 0;
    };
    const timer = this.#clock.after(ms, tick, { owner: "a program of Go" });
    this.#timers.set(id, { at: this.#clock.steady() + ms, timer });
    return id;
  }

  /** Runs the program until it waits, then sends its requests. */
  #enter(work: () => void): void {
    if (this.#isOver) return;
    this.#readsOfTime = 0;
    this.#isRunning = true;
    try {
      work();
    } catch (error) {
      this.kill();
      const reason = error instanceof Error ? error.message : String(error);
      this.#ended.reject(new GoProgramError(`the program trapped: ${reason}`, { cause: error }));
    } finally {
      this.#isRunning = false;
    }
    if (!this.#isOver) this.#requests.flush();
  }

  #call(name: string, ...args: readonly unknown[]): void {
    this.#idleTicks = 0;
    const called = this.#global[name];
    if (typeof called === "function") Reflect.apply(called, undefined, args);
  }

  /** A function of the program, which can be called while it waits. */
  #functionOf(id: number): GoCallable {
    const go = this.#go;
    const enter = (): void => this.#enter(() => this.#exports.resume());
    const callable = function (this: unknown, ...args: unknown[]): unknown {
      const event: { id: number; this: unknown; args: unknown[]; result?: unknown } = { id, this: this, args };
      go["_pendingEvent"] = event;
      enter();
      return event.result;
    };
    return Object.assign(callable, { of: new GoFunction(id) });
  }

  #valuesFrom({ values, names }: KeptProcess): Values {
    const own: Record<string, unknown> = { ...this.#objects, go: this.#go, global: this.#global };
    return Values.from(values, (value) => {
      const name = names.get(value);
      const callable = isCallable(value) ? this.#functionOf(value.of.id) : undefined;
      if (callable && name !== undefined) this.#global[name] = callable;
      return callable ?? (name === undefined ? value : own[name]);
    });
  }

  #restore({ memory, globals, timers }: KeptProcess): void {
    restoreMemory(this.#exports.mem, memory);
    this.#memory.reset();
    for (const [index, global] of globalsOf(this.#instance).entries()) global.value = globals[index];
    for (const [id, left] of timers) this.#setTimer(id, left);
  }

  /** Writes arguments and environment where Go reads them. */
  #passArguments(args: readonly string[], env: Readonly<Record<string, string>>): { argc: number; argv: number } {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const pointers: number[] = [];
    let offset = ARGUMENTS.start;
    for (const text of [...args, undefined, ...variables.toSorted(), undefined]) {
      const bytes = Buffer.from(text === undefined ? "" : `${text}\0`);
      pointers.push(text === undefined ? 0 : offset);
      if (offset + bytes.length > ARGUMENTS.end) throw new RangeError(TOO_LONG);
      this.#memory.bytes(offset, bytes.length).set(bytes);
      offset += Math.ceil(bytes.length / 8) * 8;
    }
    if (offset + pointers.length * 8 > ARGUMENTS.end) throw new RangeError(TOO_LONG);
    for (const [index, pointer] of pointers.entries()) this.#memory.setInt64(offset + index * 8, pointer);
    return { argc: args.length, argv: offset };
  }

  #write(fd: number, bytes: Uint8Array): void {
    if (fd !== 1 && fd !== 2) return;
    const lines = (this.#unfinished + Buffer.from(bytes).toString()).split("\n");
    this.#unfinished = lines.pop()!;
    for (const line of lines) {
      this.#lines.push(line);
      if (this.#lines.length > KEPT_LINES) this.#lines.shift();
      this.#parts.onLine?.(line);
    }
  }
}

type GoCallable = ((...args: unknown[]) => unknown) & { readonly of: GoFunction };
const isCallable = (value: unknown): value is GoCallable =>
  typeof value === "function" && "of" in value && value.of instanceof GoFunction;

const TOO_LONG = "expected arguments and environment of a program of Go to have 8 KiB together, got more";
/** The functions that the overlay sets. */
const FUNCTIONS = ["wake", "start"];
