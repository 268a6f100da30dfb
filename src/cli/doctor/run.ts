import { availableParallelism, totalmem } from "node:os";
import type { Actions, ServerSettings } from "../actions.ts";
import { CliError } from "../cli-error.ts";
import type { ServerFlags } from "../connect-flags.ts";
import { dataDirFlag } from "../help.ts";
import { printReport, styleOf } from "../print-report.ts";
import { readableInfo } from "../readable-info.ts";
import { messageOf } from "../../util/error.ts";
import { checkLines, resultOf } from "./lines.ts";
import { type Check, type Checkup, fail, ok, runChecks, warn } from "./check.ts";
import { browserCheck, helmCheck, kubectlCheck } from "./clients.ts";
import { askFindings, contextOrCheck, proxyOfContext } from "./connection.ts";
import { directoryCheck, fileSystemCheck, flushCheck, isNoexec, spaceCheck } from "./folder.ts";
import {
  filesCheck,
  memoryCheck,
  memoryLimitOf,
  nodeCheck,
  openFilesOf,
  processorCheck,
  processorQuotaOf,
} from "./machine.ts";
import { etcdCheck, localhostCheck, portCheck, proxyCheck } from "./network.ts";
import * as probes from "./probes.ts";
import { serverChecks } from "./server.ts";
import { tryPort } from "../try-port.ts";

/** The flags of `doctor`. */
export interface DoctorFlags extends ServerFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly output: string;
}

/** Checks the machine, and prints what was found. @throws CliError where a check has failed */
export async function runDoctor(actions: Actions, flags: DoctorFlags): Promise<void> {
  const checks = await runChecks(actions.clock, await checkupsOf(actions, flags));
  printReport(actions, flags.output, { checks }, () => checkLines(checks, styleOf(actions)));
  const failed = resultOf(checks);
  if (failed !== undefined) throw new CliError(failed);
}

/** A program that does not respond in time counts as missing. */
const PROGRAM_MS = 2500;

async function checkupsOf(actions: Actions, flags: DoctorFlags): Promise<readonly Checkup[]> {
  const unknown: string[] = [];
  const settings = await settingsOf(actions, flags, unknown);
  const options = optionsCheck(settings, unknown);
  const own =
    typeof settings === "string" ? [] : [...folderCheckups(actions, settings), ...networkCheckups(actions, settings)];
  return [
    ...machineCheckups(),
    checkup("options", () => [options]),
    ...own,
    ...clientCheckups(actions),
    ...serverCheckups(actions, flags),
  ];
}

const checkup = (name: string, run: () => readonly Check[] | Promise<readonly Check[]>): Checkup => ({
  name,
  run: async () => run(),
});

/** The settings, or why they are wrong. */
async function settingsOf(actions: Actions, flags: DoctorFlags, unknown: string[]): Promise<ServerSettings | string> {
  try {
    const choice = { flags: dataDirFlag(flags.dataDir), config: flags.config };
    return await actions.settings(choice, (name, nearest) => void unknown.push(name + nearest));
  } catch (error) {
    return messageOf(error);
  }
}

function optionsCheck(settings: ServerSettings | string, unknown: readonly string[]): Check {
  if (typeof settings === "string")
    return fail("options", settings, "correct it in the environment, or in the file of --config");
  return unknown.length > 0
    ? warn("options", `unknown variables: ${unknown.join(", ")}`, "remove them, or correct their names")
    : ok("options", `--store ${settings.store}`);
}

function machineCheckups(): Checkup[] {
  const { readIf } = probes;
  const limit = (): number | undefined =>
    memoryLimitOf(readIf("/sys/fs/cgroup/memory.max")) ??
    memoryLimitOf(readIf("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return [
    checkup("Node.js", () => [nodeCheck(process.version, process.platform, process.arch)]),
    checkup("memory", () => [memoryCheck(totalmem(), limit())]),
    checkup("processors", () => [
      processorCheck(availableParallelism(), processorQuotaOf(readIf("/sys/fs/cgroup/cpu.max"))),
    ]),
    checkup("open files", () => [filesCheck(openFilesOf(readIf("/proc/self/limits")))]),
  ];
}

function folderCheckups(actions: Actions, { dataDir, store }: ServerSettings): Checkup[] {
  if (dataDir === "") return [];
  const state = probes.directoryState(dataDir);
  const disk = checkup("disk space", async () => {
    const { free, total } = await probes.fileSystemOf(state.nearest);
    return [spaceCheck(free, total)];
  });
  const tried = checkup("file system", async () => {
    const { magic } = await probes.fileSystemOf(state.nearest);
    const noexec = isNoexec(probes.readIf("/proc/self/mounts"), state.nearest);
    if (!state.isWritable) return [fileSystemCheck(magic, { ignoresCase: false, noexec })];
    const { flushMillis, ignoresCase } = await probes.tryFolder(actions.clock, state.nearest);
    const flush = store === "sqlite" ? [flushCheck(flushMillis)] : [];
    return [fileSystemCheck(magic, { ignoresCase, noexec }), ...flush];
  });
  return [checkup("data directory", () => [directoryCheck(state)]), disk, tried];
}

function networkCheckups(actions: Actions, { dataDir, bind, port, store, etcdServers }: ServerSettings): Checkup[] {
  const portCheckup = checkup(`port ${port}`, async () => {
    const tried = await tryPort(bind, port);
    // The data directory has a check of its own.
    const running = dataDir === "" ? undefined : (await readableInfo(actions, dataDir))?.running;
    const owner = tried === "EADDRINUSE" ? probes.listenerOf(port) : undefined;
    return [portCheck({ bind, port, tried, ownPid: running?.pid, owner })];
  });
  const etcd = checkup("etcd", async () => [
    etcdCheck(await probes.tryConnections(actions.clock, etcdServers, PROGRAM_MS)),
  ]);
  return [
    ...(port === 0 ? [] : [portCheckup]),
    checkup("localhost", async () => [localhostCheck(await probes.addressesOf("localhost"))]),
    ...(store === "etcd" ? [etcd] : []),
  ];
}

const BROWSERS = ["chromium", "google-chrome", "chromium-browser", "firefox", "microsoft-edge"];

function clientCheckups({ kubernetesMinor, terminal: { env } }: Actions): Checkup[] {
  const hasDesktop = process.platform !== "linux" || Boolean(env["DISPLAY"] ?? env["WAYLAND_DISPLAY"]);
  return [
    checkup("kubectl", async () => {
      const printed = await probes.printedBy("kubectl", ["version", "--client", "--output=json"], PROGRAM_MS);
      return [kubectlCheck(printed, kubernetesMinor)];
    }),
    checkup("helm", async () => [helmCheck(await probes.printedBy("helm", ["version", "--short"], PROGRAM_MS))]),
    checkup("browser", () => [browserCheck(probes.inPath(env, BROWSERS), hasDesktop)]),
  ];
}

function serverCheckups(actions: Actions, flags: DoctorFlags): Checkup[] {
  return [
    checkup("server", async () => {
      const found = await contextOrCheck(actions, flags);
      if ("check" in found) return [found, proxyCheck(actions.terminal.env, undefined)];
      const proxy = proxyCheck(actions.terminal.env, proxyOfContext(actions, found));
      return [proxy, ...serverChecks(await askFindings(actions, found), actions.clock.now())];
    }),
  ];
}
