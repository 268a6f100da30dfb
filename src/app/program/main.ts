import { existsSync, fstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DirectoryInfo } from "../../cli/actions.ts";
import { createProgram } from "../../cli/program.ts";
import { FEATURES } from "../../drivers/directory/settings.ts";
import { StoreError } from "../../storage/contract.ts";
import { systemClock } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { renewCertificates, shownCertificates } from "../certificates/certificates.ts";
import { keepAlive } from "../process/keep-alive.ts";
import { DataDirectory, writeNamedFile } from "../storage/data-directory.ts";
import { addUser, revokeUser, shownUsers } from "../authentication/user-file.ts";
import { firstSignal } from "../process/first-signal.ts";
import { serveFlags } from "../options/flags.ts";
import { OptionError } from "../options/error.ts";
import type { ServeOptions } from "../options/options.ts";
import type { RawOptions } from "../options/sources.ts";
import { ChangingLine, IN_LOG, progressDisplay } from "../../cli/progress-line.ts";
import { type ProgressDisplay, progressOn } from "../../util/progress.ts";
import { announcement } from "./announce.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { ignoreClosedOutput, printError, reportError } from "./report-error.ts";
import { readOptions } from "./read-options.ts";
import type { RunningServer } from "../start/server.ts";
import { storeFiles } from "../storage/store-files.ts";
import { stderrLog } from "../logs/log.ts";
import { handleUncaught } from "../process/uncaught.ts";
import { KUBERNETES_MINOR } from "../../server/documents/version.ts";
import { UnusedMemory } from "../../util/unused-memory.ts";
import { YoungGeneration } from "../memory/young-generation.ts";
import { VERSION } from "../process/version.ts";
import { codeOf } from "../../util/error.ts";

/** Runs the program with the arguments after its name. */
export async function main(args: readonly string[]): Promise<void> {
  ignoreClosedOutput();
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const output: ErrorOutput = { print: printError };
  const exit = { done: 0, failed: 1 };
  const program = createProgram({
    version: VERSION,
    kubernetesMinor: KUBERNETES_MINOR,
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
    async settings({ flags, config }, onUnknown) {
      const options = await readOptions(flags, config, onUnknown);
      const { bind, port, store, etcd } = options;
      return { dataDir: options.dataDir, bind, port, store, etcdServers: etcd?.servers ?? [] };
    },
    async upgradeState(dataDir) {
      const { upgradeState } = await import("../storage/upgrade-state.ts");
      return upgradeState(await dataDirOf(dataDir));
    },
    async etcdState({ flags, config }, timeoutMillis) {
      const { etcdState } = await import("../storage/etcd-state.ts");
      return etcdState(await readOptions(flags, config, () => {}), timeoutMillis);
    },
    async kubeconfig(dataDir) {
      const directory = new DataDirectory(await dataDirOf(dataDir));
      const text = directory.read("admin.kubeconfig");
      if (text === undefined)
        throw new OptionError(
          `expected ${directory.file("admin.kubeconfig")} to exist; name another data directory with --data-dir, or start a server there first`,
        );
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
      write: async (file, text) => writeNamedFile(file, text, 0o600),
    },
    async validateDefinitions(definitions) {
      const { validateDefinitions } = await import("./validate-definitions.ts");
      return validateDefinitions(definitions);
    },
    async testPolicies(paths, options) {
      const { testPolicies } = await import("./test-policies.ts");
      return testPolicies(paths, options);
    },
    explorer: {
      explore: async (...call) => (await import("./explore.ts")).explorer.explore(...call),
      replay: async (...call) => (await import("./explore.ts")).explorer.replay(...call),
      until: async (...call) => (await import("./explore.ts")).explorer.until(...call),
    },
    print,
    terminal: {
      env: process.env,
      input: process.stdin,
      isTerminal: process.stdout.isTTY && process.stderr.isTTY,
      // Some terminals report 0.
      columns: process.stdout.columns || undefined,
      errorColumns,
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
    process.exitCode = reportError(error, exit.failed, output.print);
  }
}

/** Prints errors that end the program: as text, or as JSON once a server logs JSON. */
interface ErrorOutput {
  print: (message: string) => void;
}

async function serve(
  flags: RawOptions,
  file: string | undefined,
  print: (text: string) => void,
  output: ErrorOutput,
): Promise<void> {
  const unknown: string[] = [];
  const options = await readOptions(flags, file, (name, nearest) => void unknown.push(name + nearest));
  // The progress of a long start is the last line of standard error, with the log above it.
  const line = new ChangingLine((text) => void process.stderr.write(text));
  const log = stderrLog(options, systemClock, (text) => line.write(text));
  if (options.logFormat === "json") output.print = (message) => log.error("the program ends", { error: message });
  const isFirstStart = DataDirectory.isCreatedBy(options);
  const { runServer } = await import("../start/server.ts");
  const isLogged = options.logFormat === "json" || !process.stderr.isTTY;
  if (isLogged) logStart(options, log);
  if (unknown.length > 0) log.warn("unknown environment variables are ignored", { names: unknown });
  const progress = progressOn(systemClock, startDisplay(isLogged, log, line));
  const server = await keepAlive(runServer(options, { log, progress }).finally(() => progress.end()));
  const storeIsWrong = handleUncaught(server.faults);
  // Before anything is printed: a program that reads "ready" may stop the server at once. Until here a signal ends the process
  // without a shutdown, which is safe, as a crash is.
  const stopped = firstSignal();
  if (isLogged) logReady(server, log);
  if (options.logFormat === "text") {
    // Milliseconds since the start of the process.
    const millis = performance.now();
    const [, program] = process.argv;
    const lines = announcement(server, { options, isFirstStart, isLogged: isLogged && isOneOutput(), program, millis });
    if (lines.length > 0) print(lines.join("\n"));
  }
  await runUntil(stopped, Promise.race([server.failed, storeIsWrong]), server, { log, output });
}

/** The width of standard error; undefined where it is no terminal. */
const errorColumns = (): number | undefined =>
  process.stderr.isTTY ? process.stderr.columns || DEFAULT_COLUMNS : undefined;

const DEFAULT_COLUMNS = 80;

/** Shows a long start: as a line of a terminal, or in the log. */
function startDisplay(isLogged: boolean, log: Log, line: ChangingLine): ProgressDisplay {
  if (!isLogged) return progressDisplay({ line, columns: errorColumns });
  return {
    ...IN_LOG,
    show: ({ what, unit, done, total }) => log.info(what, total === undefined ? {} : { [`${unit}s`]: done, of: total }),
    done: () => {},
  };
}

/** Logs the start; a terminal gets the {@link announcement} instead. */
function logStart({ dataDir, store, nonDefaults }: ServeOptions, log: Log): void {
  const { "data-dir": _, store: __, ...options } = nonDefaults;
  log.info("starting", { version: VERSION, node: process.version, pid: process.pid, dataDir, store, options });
}

/** Whether standard output and the log go to the same file. */
function isOneOutput(): boolean {
  const [output, log] = ([process.stdout.fd, process.stderr.fd] as const).map((fd) => fstatSync(fd, { bigint: true }));
  return output?.dev === log?.dev && output?.ino === log?.ino;
}

function logReady({ url, dialect, kubeconfigFile }: RunningServer, log: Log): void {
  log.info("ready", { url, dialect: dialect.name, kubeconfig: kubeconfigFile, millis: Math.round(performance.now()) });
}

/** Runs until a signal or a failure of the store, and ends the process. */
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
    output.print(`the store has failed and the process ends: ${why.message}`);
    const gone = why.cause instanceof StoreError && why.cause.code === "gone";
    process.exit(gone ? EXIT_CODES.gone : EXIT_CODES.store);
  }
  log.info("stopping", { why });
  const began = systemClock.steady();
  await keepAlive(server.close()).catch((error: unknown) => {
    output.print(`the server could not be closed: ${String(error)}`);
    process.exit(1);
  });
  log.info("stopped", { millis: Math.round(systemClock.steady() - began) });
  process.exit(0);
}

/** Returns the data directory that `serve` would use. */
async function dataDirOf(given: string | undefined): Promise<string> {
  const unknown = (name: string, nearest: string): void => printError(`unknown environment variable ${name}${nearest}`);
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
    return codeOf(error) === "EPERM";
  }
}

const sizeOf = (directory: string): number =>
  existsSync(directory)
    ? readdirSync(directory).reduce(
        // SQLite removes its log when a server is closed.
        (sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
    : 0;
