/**
 * Programs of other languages as processes: each is started in a process group of its own, and killed with it.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import type { Clock } from "../../util/clock.ts";

/** How a program is started. */
export interface ProgramCommand {
  /** Its name in reports: the name of the file by default. */
  readonly name: string;
  /** `{}` is the path of a kubeconfig, `{port1}` to `{port4}` are free ports; in any argument, also as a part of it. */
  readonly command: readonly [string, ...string[]];
}

/** How a process ended by itself. */
export interface ProcessEnd {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Why it could not be started. */
  readonly error?: string;
}

/** The input of a process. */
export interface ProcessPlace {
  readonly kubeconfig: string;
  readonly ports: readonly number[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the machine. */
  readonly clock: Pick<Clock, "after">;
}

/** The maximum number of ports of a program. */
export const PORTS = 4;
/** The lines of output of one life that are kept, and the length of one. */
const MAX_LINES = 200;
const MAX_LINE = 2000;
/** How long the output of an ended process is read: a process in another group may hold it open. */
const OUTPUT_MS = 1000;

/** Returns a command with its placeholders replaced. */
export const filledCommand = (
  [file, ...args]: readonly [string, ...string[]],
  { kubeconfig, ports }: Pick<ProcessPlace, "kubeconfig" | "ports">,
): readonly [string, ...string[]] => {
  const filled = (text: string): string =>
    ports.reduce((done, port, i) => done.replaceAll(`{port${i + 1}}`, String(port)), text.replaceAll("{}", kubeconfig));
  return [filled(file), ...args.map(filled)];
};

/** Processes that run: they end with this one, however it ends itself. */
const running = new Set<ProgramProcess>();
const endAll = (): void => {
  for (const one of running) void one.kill();
};

/** A running process with its output. */
export class ProgramProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #leftOut = 0;
  #isOver = false;
  /** Resolves when it has ended and its output was read. */
  readonly ended: Promise<ProcessEnd>;

  constructor({ command }: ProgramCommand, place: ProcessPlace) {
    const [file, ...args] = filledCommand(command, place);
    const ports = Object.fromEntries(place.ports.map((port, i) => [`KEELSON_PORT_${i + 1}`, String(port)]));
    const env = { ...place.env, ...ports, KUBECONFIG: place.kubeconfig };
    // In a group of its own: its children are killed with it, and a signal of the terminal does not reach it.
    this.#child = spawn(file, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    if (running.size === 0) process.on("exit", endAll);
    running.add(this);
    this.ended = new Promise((resolve) => {
      const end = (found: ProcessEnd): void => {
        this.#isOver = true;
        if (running.delete(this) && running.size === 0) process.off("exit", endAll);
        resolve(found);
      };
      this.#child.on("error", (error) => end({ code: undefined, signal: undefined, error: error.message }));
      this.#child.on("exit", (code, signal) => {
        this.#isOver = true;
        // Its children hold its output open.
        this.#signal("SIGKILL");
        const late = place.clock.after(OUTPUT_MS, () => this.#closeOutput(), { holds: true });
        this.#child.on("close", () => {
          late.cancel();
          end({ code: code ?? undefined, signal: signal ?? undefined });
        });
      });
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) this.#keepLines(stream);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The last lines that it has printed, the oldest first. */
  get output(): readonly string[] {
    return this.#leftOut === 0 ? this.#lines : [`(${this.#leftOut} lines before)`, ...this.#lines];
  }

  /** Ends it and all its children, as `kill -9` does; resolves when they have ended. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    await this.ended;
  }

  /** Stands still until {@link ProgramProcess.resume}, as a machine that is too busy does. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The whole group has ended.
    }
  }

  #closeOutput(): void {
    this.#child.stdout!.destroy();
    this.#child.stderr!.destroy();
  }

  #keepLines(stream: NodeJS.ReadableStream): void {
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!.slice(0, MAX_LINE);
      for (const line of lines) this.#keep(line);
    });
    stream.on("end", () => {
      if (rest !== "") this.#keep(rest);
    });
  }

  #keep(line: string): void {
    this.#lines.push(line.slice(0, MAX_LINE));
    if (this.#lines.length <= MAX_LINES) return;
    this.#lines.shift();
    this.#leftOut++;
  }
}

/** Finds ports that no program uses. Another program may take one before it is used. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(0, "127.0.0.1", resolve);
      });
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise<unknown>((resolve) => server.close(resolve))));
  return ports;
}

/** The messages of programs whose port is in use. */
const PORT_TAKEN = ["address already in use", "EADDRINUSE", "Address already in use", "Only one usage of each socket"];

/** A hint where a program has ended because its port is in use; undefined where its output does not say so. */
export function portAdvice(name: string, output: readonly string[]): string | undefined {
  const line = output.findLast((one) => PORT_TAKEN.some((text) => one.includes(text)));
  if (line === undefined) return undefined;
  return (
    `${name} needs a port that is taken (${line.trim()}): switch the port off (--metrics-bind-address=0, ` +
    `--health-probe-bind-address=0), give it a free one ({port1} to {port${PORTS}} in its arguments, KEELSON_PORT_1 in its ` +
    "environment), or explore with --workers 1"
  );
}
