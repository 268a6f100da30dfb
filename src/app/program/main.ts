/**
 * The program: reads the command line and runs the command.
 *
 * @module
 */
import { existsSync, fstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { CommanderError } from "commander";
import type { DirectoryInfo } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import { createProgram } from "../../cli/program.ts";
import { FEATURES } from "../../drivers/directory/settings.ts";
import { StoreError } from "../../storage/contract.ts";
import { systemClock } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { renewCertificates, shownCertificates } from "../certificates/certificates.ts";
import { awake } from "../process/awake.ts";
import { DataDirectory, replaceFile } from "../storage/data-directory.ts";
import { addUser, revokeUser, shownUsers } from "../authentication/user-file.ts";
import { firstSignal } from "../process/first-signal.ts";
import { serveFlags } from "../options/flags.ts";
import { OptionError } from "../options/error.ts";
import type { ServeOptions } from "../options/options.ts";
import type { RawOptions } from "../options/sources.ts";
import { announcement } from "./announce.ts";
import { readOptions } from "./read-options.ts";
import type { RunningServer } from "../start/server.ts";
import { storeFiles } from "../storage/store-files.ts";
import { stderrLog } from "../logs/log.ts";
import { takeUncaught } from "../process/uncaught.ts";
import { UnusedMemory } from "../../util/unused-memory.ts";
import { YoungGeneration } from "../memory/young-generation.ts";
import { VERSION } from "../process/version.ts";

/** Exit codes: a mistake of the user, a store that has failed, and one whose files have gone. */
const EXIT_USAGE = 2;
const EXIT_STORE = 70;
const EXIT_GONE = 72;

/** Runs the program with the arguments after its name. */
export async function main(args: readonly string[]): Promise<void> {
  // Who reads may have read enough: `keelson serve --help | head -1`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const output: ErrorOutput = { say: sayText };
  const exit = { done: 0, failed: 1 };
  const program = createProgram({
    version: VERSION,
    flags: serveFlags(),
    serve: (flags, file) => serve(flags, file, print, output),
    async run({ command, ...options }) {
      const { runCommand } = await import("../../testing/run-command.ts");
      return runCommand(command, options);
    },
    async driver(request) {
      const { runDriver } = await import("../csi/driver-program.ts");
      await runDriver(request);
    },
    driverFeatures: FEATURES,
    async node(request, connection) {
      const { runNode } = await import("../node/run-node.ts");
      await runNode(request, connection);
    },
    async csi(request) {
      const { runCsi } = await import("../csi/csi-program.ts");
      await runCsi(request);
    },
    info: async (dataDir) => describe(new DataDirectory(await dataDirOf(dataDir))),
    async kubeconfig(dataDir) {
      const directory = new DataDirectory(await dataDirOf(dataDir));
      const text = directory.read("admin.kubeconfig");
      if (text === undefined)
        throw new OptionError(`expected ${directory.file("admin.kubeconfig")} to exist; start a server there first`);
      return text;
    },
    async envtest(path) {
      const { makeEnvtestDirectory } = await import("../envtest/directory.ts");
      return makeEnvtestDirectory(path, process.env["PATH"] ?? "");
    },
    files: storeFiles(systemClock),
    certificates: {
      show: async (dataDir) => shownCertificates(new DataDirectory(await dataDirOf(dataDir))),
      renew: async (dataDir, renew, sans) =>
        renewCertificates(new DataDirectory(await dataDirOf(dataDir)), { renew, sans }, systemClock),
    },
    users: {
      add: async (dataDir, user) => addUser(new DataDirectory(await dataDirOf(dataDir)), user, systemClock),
      list: async (dataDir) => shownUsers(new DataDirectory(await dataDirOf(dataDir))),
      revoke: async (dataDir, name) => revokeUser(new DataDirectory(await dataDirOf(dataDir)), name, systemClock),
      write: async (file, text) => replaceFile(file, text, { mode: 0o600 }),
    },
    async judgeDefinitions(definitions) {
      const { judgeDefinitions } = await import("./judge-definitions.ts");
      return judgeDefinitions(definitions);
    },
    print,
    terminal: {
      env: process.env,
      input: process.stdin,
      isTerminal: process.stdout.isTTY && process.stderr.isTTY,
      // Some terminals do not know it and say 0.
      columns: process.stdout.columns || undefined,
      tell: (text) => void process.stderr.write(text),
    },
    exit,
    clock: systemClock,
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    process.exitCode = exit.done;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.exitCode = tell(error, exit.failed, output);
  }
}

/** Where errors go that end the program: to standard error, as text until a server logs JSON. */
interface ErrorOutput {
  say: (message: string) => void;
}

const sayText = (message: string): void => void process.stderr.write(`keelson: ${message}\n`);

/** Errors that say themselves what is wrong: of the store, of a command, of a server that was asked. */
const TOLD: ReadonlySet<string> = new Set([
  "StoreError",
  "CliError",
  "KubeconfigError",
  "StatusError",
  "TransportError",
  "ApplyError",
]);

/** Prints an error as its kind deserves it, and answers the exit code. */
function tell(error: Error, failed: number, { say }: ErrorOutput): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  const usage = error instanceof OptionError || (error instanceof CliError && error.usage);
  // What the operating system refuses says itself what and where; a stack helps only with our own mistakes.
  const known = usage || TOLD.has(error.name) || "syscall" in error;
  say((known ? error.message : error.stack) ?? String(error));
  return usage ? EXIT_USAGE : failed;
}

async function serve(
  flags: RawOptions,
  file: string | undefined,
  print: (text: string) => void,
  output: ErrorOutput,
): Promise<void> {
  const unknown: string[] = [];
  const options = await readOptions(flags, file, (name, nearest) => void unknown.push(name + nearest));
  const log = stderrLog(options, systemClock);
  if (options.logFormat === "json") output.say = (message) => log.error("the program ends", { error: message });
  const isFirstStart = !options.dev && new DataDirectory(options.dataDir).describe() === undefined;
  const { runServer } = await import("../start/server.ts");
  const isLogged = options.logFormat === "json" || !process.stderr.isTTY;
  if (isLogged) logStart(options, log);
  if (unknown.length > 0) log.warn("variables of the environment are not options, and say nothing", { names: unknown });
  const server = await awake(runServer(options, { log }));
  const storeIsWrong = takeUncaught(server.faults);
  // Before anything is printed: who reads "ready" may stop the server with the next breath. Until here a signal ends the
  // process as it is, which a start survives as it survives a crash.
  const stopped = firstSignal();
  if (isLogged) logReady(server, log);
  if (options.logFormat === "text") {
    // The clock of the process began with the process, so this is what a user waits for.
    const millis = performance.now();
    const lines = announcement(server, { options, isFirstStart, isLogged: isLogged && outputsAreOne(), millis });
    if (lines.length > 0) print(lines.join("\n"));
  }
  await runUntil(stopped, Promise.race([server.failed, storeIsWrong]), server, { log, output });
}

/** What is to be run, and how; a terminal is shown the {@link announcement} in place of this. */
function logStart({ dataDir, store, said }: ServeOptions, log: Log): void {
  const { "data-dir": _, store: __, ...options } = said;
  log.info("starting", { version: VERSION, node: process.version, pid: process.pid, dataDir, store, options });
}

/** Whether both outputs go to one place, where what is printed would stand between the lines of the log. */
function outputsAreOne(): boolean {
  const [output, log] = [process.stdout.fd, process.stderr.fd].map((fd) => fstatSync(fd, { bigint: true }));
  return output!.dev === log!.dev && output!.ino === log!.ino;
}

function logReady({ url, dialect, kubeconfigFile }: RunningServer, log: Log): void {
  log.info("ready", { url, dialect: dialect.name, kubeconfig: kubeconfigFile, millis: Math.round(performance.now()) });
}

/** Runs until it is to be stopped or the store fails, and ends the process. */
async function runUntil(
  stopped: Promise<NodeJS.Signals>,
  failed: Promise<Error>,
  server: RunningServer,
  { log, output }: { readonly log: Log; readonly output: ErrorOutput },
): Promise<void> {
  using _memory = new UnusedMemory(systemClock);
  using _young = new YoungGeneration();
  const why = await Promise.race([stopped, failed]);
  if (why instanceof Error) {
    output.say(`the store has failed and the process ends: ${why.message}`);
    const gone = why.cause instanceof StoreError && why.cause.code === "gone";
    process.exit(gone ? EXIT_GONE : EXIT_STORE);
  }
  log.info("stopping", { why });
  const began = systemClock.steady();
  await awake(server.close()).catch((error: unknown) => {
    output.say(`the server did not close as it should: ${String(error)}`);
    process.exit(1);
  });
  log.info("stopped", { millis: Math.round(systemClock.steady() - began) });
  process.exit(0);
}

/** Where `serve` would keep its data. */
async function dataDirOf(given: string | undefined): Promise<string> {
  const unknown = (name: string, nearest: string): void => sayText(`unknown environment variable ${name}${nearest}`);
  return (await readOptions(given === undefined ? {} : { "data-dir": given }, undefined, unknown)).dataDir;
}

function describe(directory: DataDirectory): DirectoryInfo {
  const known = directory.describe();
  const running = directory.running();
  const alive = running && isAlive(running.pid) ? running : undefined;
  const kubeconfig = directory.file("admin.kubeconfig");
  return {
    path: directory.path,
    version: VERSION,
    dialect: known?.dialect,
    format: known?.format,
    kubeconfig: existsSync(kubeconfig) ? kubeconfig : undefined,
    running: alive,
    storeBytes: sizeOf(directory.store),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const sizeOf = (directory: string): number =>
  existsSync(directory)
    ? readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
    : 0;
