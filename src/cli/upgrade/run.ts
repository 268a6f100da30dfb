import { chooseContext } from "../../client/kubeconfig/open.ts";
import { messageOf } from "../../util/error.ts";
import type { Actions, DirectoryInfo } from "../actions.ts";
import { askServer } from "../ask-server.ts";
import { CliError } from "../cli-error.ts";
import type { ServerFlags } from "../connect-flags.ts";
import { type Check, type Checkup, fail, ok, runChecks, warn } from "../doctor/check.ts";
import { checkLines, resultOf } from "../doctor/lines.ts";
import { etcdCheck } from "../doctor/network.ts";
import { tryConnection } from "../doctor/probes.ts";
import { printReport, styleOf } from "../print-report.ts";
import {
  type Definition,
  closeCheck,
  deprecatedCheck,
  formatChecks,
  releaseCheck,
  requestedOf,
  runningCheck,
  storedVersionsCheck,
  wayBackCheck,
} from "./judge.ts";

/** The flags of `upgrade check`. */
export interface UpgradeFlags extends ServerFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly online?: true;
  readonly output: string;
}

/** How long a server or the registry has for an answer. */
const LIMIT_MS = 2500;
const REGISTRY = "https://registry.npmjs.org";

/** Checks what an upgrade depends on, and prints it. @throws CliError where a check has failed */
export async function runUpgradeCheck(actions: Actions, flags: UpgradeFlags): Promise<void> {
  const checks = await runChecks(actions.clock, await checkupsOf(actions, flags));
  printReport(actions, flags.output, { checks }, () => checkLines(checks, styleOf(actions)));
  const failed = resultOf(checks);
  if (failed !== undefined) throw new CliError(failed);
}

async function checkupsOf(actions: Actions, flags: UpgradeFlags): Promise<readonly Checkup[]> {
  const checkup = (name: string, run: () => Promise<readonly Check[]>): Checkup => ({ name, run });
  const program = ok("program", `${actions.version}, Node.js ${process.version}`);
  const info = await infoOf(actions, flags);
  return [
    checkup("program", async () => [program]),
    checkup("options", () => optionChecks(actions, flags)),
    ...(info === undefined ? [] : [checkup("data directory", () => directoryChecks(actions, flags, info))]),
    checkup("server", () => serverChecks(actions, flags, info)),
    ...(flags.online ? [checkup("newest release", () => onlineChecks(actions))] : []),
    checkup("way back", async () => [wayBackCheck(info?.running !== undefined)]),
  ];
}

/** The data directory; undefined where the options are wrong, which another check says. */
async function infoOf(actions: Actions, { dataDir }: UpgradeFlags): Promise<DirectoryInfo | undefined> {
  try {
    return await actions.info(dataDir);
  } catch {
    return undefined;
  }
}

async function optionChecks(actions: Actions, { dataDir, config }: UpgradeFlags): Promise<Check[]> {
  const unknown: string[] = [];
  try {
    const { store, etcdServers } = await actions.settings(
      dataDir,
      config,
      (name, nearest) => void unknown.push(name + nearest),
    );
    const options =
      unknown.length > 0
        ? warn(
            "options",
            `unknown variables: ${unknown.join(", ")}`,
            "this version ignores them: remove or rename them",
          )
        : ok("options", "this version has all of them");
    if (store !== "etcd") return [options];
    const states = etcdServers.map(async (url) => [url, await tryConnection(actions.clock, url, LIMIT_MS)]);
    return [options, etcdCheck(Object.fromEntries(await Promise.all(states)) as Record<string, string>)];
  } catch (error) {
    return [
      fail("options", messageOf(error), "this version would not start with them: see docs/reference/configuration.md"),
    ];
  }
}

async function directoryChecks(actions: Actions, { dataDir }: UpgradeFlags, info: DirectoryInfo): Promise<Check[]> {
  const state = await actions.upgradeState(dataDir);
  const isRunning = info.running !== undefined;
  return [...formatChecks(state), ...closeCheck(state, isRunning), runningCheck(info, actions.version)];
}

/** Asks the server of the directory, or that of the kubeconfig, where one of both is there. */
async function serverChecks(actions: Actions, flags: UpgradeFlags, info: DirectoryInfo | undefined): Promise<Check[]> {
  const isNamed = flags.kubeconfig !== undefined || flags.context !== undefined || actions.terminal.env["KUBECONFIG"];
  const kubeconfig = isNamed ? flags.kubeconfig : info?.running && info.kubeconfig;
  if (!isNamed && kubeconfig === undefined) {
    return [
      warn("stored versions", "not known: no server runs", "run it again while the server runs, or with --kubeconfig"),
    ];
  }
  const chosen = await chooseContext({ kubeconfig, context: flags.context, env: actions.terminal.env });
  const options = { ...chosen.transport, token: chosen.user.token };
  const ask = (path: string) =>
    askServer(actions.clock, options, path, { millis: LIMIT_MS, agent: `keelson/${actions.version}` });
  const [definitions, metrics] = await Promise.all([
    firstFound(DEFINITIONS.map((path) => () => ask(path))),
    ask("/metrics"),
  ]);
  return [
    definitions.status === 200
      ? storedVersionsCheck((JSON.parse(definitions.text) as { items: Definition[] }).items)
      : warn("stored versions", `the server responded with ${definitions.status}`, "use the admin's kubeconfig"),
    deprecatedCheck(metrics.status === 200 ? requestedOf(metrics.text) : undefined),
  ];
}

/** Where definitions are in the two dialects. */
const DEFINITIONS = ["k8s.io", "svc.io"].map(
  (domain) => `/apis/apiextensions.${domain}/v1/customresourcedefinitions?limit=500`,
);

async function firstFound<T extends { readonly status: number }>(calls: readonly (() => Promise<T>)[]): Promise<T> {
  for (const [i, call] of calls.entries()) {
    const answer = await call();
    if (answer.status !== 404 || i === calls.length - 1) return answer;
  }
  throw new Error("expected a call");
}

async function onlineChecks(actions: Actions): Promise<Check[]> {
  const agent = `keelson/${actions.version}`;
  try {
    const { status, text } = await askServer(actions.clock, { url: REGISTRY }, "/keelson/latest", {
      millis: LIMIT_MS,
      agent,
    });
    if (status !== 200) return [releaseCheck(`the registry responded with ${status}`, actions.version)];
    const { version } = JSON.parse(text) as { version?: unknown };
    return [releaseCheck(typeof version === "string" ? { version } : "the registry named none", actions.version)];
  } catch (error) {
    return [releaseCheck(messageOf(error), actions.version)];
  }
}
