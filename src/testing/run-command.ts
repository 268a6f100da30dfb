import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { stripVTControlCharacters } from "node:util";
import type { Log, LogFacts } from "../util/log.ts";
import { createCluster } from "./cluster.ts";
import { controlRoutes } from "./control.ts";
import type { Endpoint } from "./endpoint.ts";

/** The options of a command. */
export interface RunCommandOptions {
  /** Files and folders to apply first. */
  readonly fixtures?: readonly string[];
  /** `kubernetes` by default. */
  readonly dialect?: "kubernetes" | "neutral";
  /** Whether the command may mark, reset and disturb the cluster over HTTP: see `control.ts`. */
  readonly control?: boolean;
  /** Whether the cluster stays after the command, until a signal. */
  readonly keep?: boolean;
}

/** The environment and the output of a command; those of the process by default. */
export interface RunCommandContext {
  /** Prints a text on standard error. */
  readonly tell?: (text: string) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Signals that end a kept cluster. */
const ENDS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** The exit codes of a shell for a missing command, and for one that cannot be run. */
const EXIT_NOT_FOUND = 127;
const EXIT_CANNOT_RUN = 126;
const EXIT_SIGNAL = 128;
/** The log of the server is shown if the command fails. */
const MAX_LOG_LINES = 1000;

/**
 * Starts a throw-away cluster, runs a command with KUBECONFIG and further variables, and resolves to its exit code, or 128 plus the
 * signal that ended it, or 127 if it does not exist. The log of the server is shown unless the code is 0.
 *
 * @throws ApplyError if a fixture is refused; the command is not run then
 */
export async function runCommand(
  command: readonly [string, ...string[]],
  { fixtures = [], dialect = "kubernetes", control = false, keep = false }: RunCommandOptions = {},
  { tell = (text) => void process.stderr.write(text), env = process.env }: RunCommandContext = {},
): Promise<number> {
  const log = new BufferedLog();
  await using cluster = await createCluster({
    dialect,
    clock: "system",
    log,
    ...(control ? { routes: controlRoutes } : {}),
  });
  await cluster.apply(...fixtures);
  await cluster.settled();
  await using endpoint = await cluster.listen();
  const code = await exitCode(command, { ...env, ...endpoint.env }, tell);
  if (code !== 0) log.show(tell);
  if (keep) await untilSignal(endpoint, tell);
  return code;
}

async function exitCode(
  [file, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  tell: (text: string) => void,
): Promise<number> {
  const child = spawn(file, args, { stdio: "inherit", env });
  const forward = passSignals(child);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => resolve(code ?? EXIT_SIGNAL + constants.signals[signal!]));
    });
  } catch (error) {
    tell(`keelson: ${file} could not be run: ${(error as Error).message}\n`);
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
  } finally {
    forward.stop();
  }
}

/** Forwards the signals of this process to the child, which decides when it ends. */
function passSignals(child: ChildProcess): { stop(): void } {
  const handlers = SIGNALS.map((signal) => {
    const pass = (): void => {
      // A terminal sends it to the whole process group; many programs end at once after a second one.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    };
    process.on(signal, pass);
    return { signal, pass };
  });
  return {
    stop() {
      for (const { signal, pass } of handlers) process.off(signal, pass);
    },
  };
}

async function untilSignal({ env, url }: Endpoint, tell: (text: string) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ENDS) process.once(signal, resolve);
  // The handlers are set before this is printed, as a reader may interrupt at once.
  tell(`keelson: the cluster stays at ${url} until it is interrupted\nexport KUBECONFIG=${env["KUBECONFIG"]!}\n`);
  await promise;
  for (const signal of ENDS) process.off(signal, resolve);
}

/** A log in memory, which is shown on demand. */
class BufferedLog implements Log {
  readonly #lines: string[] = [];
  error = (message: string, facts?: LogFacts): void => this.#add("error", message, facts);
  warn = (message: string, facts?: LogFacts): void => this.#add("warn", message, facts);
  info = (message: string, facts?: LogFacts): void => this.#add("info", message, facts);
  debug = (): void => {};

  show(tell: (text: string) => void): void {
    if (this.#lines.length > 0) tell(`keelson: the log of the server:\n${this.#lines.join("")}`);
  }

  #add(level: string, message: string, facts: LogFacts = {}): void {
    const text = Object.entries(facts).map(([name, fact]) => ` ${name}=${JSON.stringify(fact)}`);
    this.#lines.push(`  ${level}: ${stripVTControlCharacters(message)}${text.join("")}\n`);
    if (this.#lines.length > MAX_LOG_LINES) this.#lines.shift();
  }
}
