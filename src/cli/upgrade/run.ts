import { chooseContext, openContext } from "../../client/kubeconfig/open.ts";
import { messageOf } from "../../util/error.ts";
import type { Actions, DirectoryInfo, SettingsChoice } from "../actions.ts";
import { type TextResponse, askServer, askThrough } from "../ask-server.ts";
import { CliError } from "../cli-error.ts";
import type { ServerFlags } from "../connect-flags.ts";
import { type Check, type Checkup, fail, ok, runChecks, warn } from "../doctor/check.ts";
import { checkLines, resultOf } from "../doctor/lines.ts";
import { etcdCheck } from "../doctor/network.ts";
import { tryConnections } from "../doctor/probes.ts";
import { dataDirFlag } from "../help.ts";
import { printReport, styleOf } from "../print-report.ts";
import { storedVersionsOf } from "./definitions.ts";
import {
  closeCheck,
  deprecatedCheck,
  etcdFormatCheck,
  formatChecks,
  releaseCheck,
  requestedOf,
  runningCheck,
  wayBackCheck,
} from "./judge.ts";

/** The flags of `upgrade check`. */
export interface UpgradeFlags extends ServerFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly online?: true;
  readonly output: string;
}

/** The same, with the flags of `serve` that locate the store, by key. */
export interface UpgradeRequest extends UpgradeFlags {
  readonly store: Readonly<Record<string, string>>;
}

/** The timeout for a response of etcd or the registry. */
const LIMIT_MS = 2500;
/** The timeouts for a response of the server, which may have 4 MiB and wait for an exec plugin, and for all of its responses. */
const RESPONSE_MS = 10_000;
const SERVER_MS = 60_000;
const REGISTRY = "https://registry.npmjs.org";

/** Checks what an upgrade depends on, and prints it. @throws CliError where a check has failed */
export async function runUpgradeCheck(actions: Actions, flags: UpgradeRequest): Promise<void> {
  const checks = await runChecks(actions.clock, await checkupsOf(actions, flags));
  printReport(actions, flags.output, { checks }, () => checkLines(checks, styleOf(actions)));
  const failed = resultOf(checks);
  if (failed !== undefined) throw new CliError(failed);
}

async function checkupsOf(actions: Actions, flags: UpgradeRequest): Promise<readonly Checkup[]> {
  const checkup = (name: string, run: () => Promise<readonly Check[]>): Checkup => ({ name, run });
  const program = ok("program", `${actions.version}, Node.js ${process.version}`);
  const found = await infoOf(actions, flags);
  const info = found instanceof Error ? undefined : found;
  return [
    checkup("program", async () => [program]),
    checkup("options", () => optionChecks(actions, flags)),
    // It has a timeout of its own, whose error says more.
    { name: "store in etcd", run: () => etcdChecks(actions, flags), limitMillis: RESPONSE_MS },
    ...(found === undefined ? [] : [checkup("data directory", () => directoryChecks(actions, flags, found))]),
    { name: "server", run: () => serverChecks(actions, flags, info), limitMillis: SERVER_MS + LIMIT_MS },
    ...(flags.online ? [checkup("newest release", () => onlineChecks(actions))] : []),
    checkup("way back", async () => [wayBackCheck(info?.running !== undefined)]),
  ];
}

/** The data directory, or why it cannot be read; undefined where the options are invalid, which another check reports. */
async function infoOf(actions: Actions, { dataDir }: UpgradeRequest): Promise<DirectoryInfo | Error | undefined> {
  try {
    await actions.settings({ flags: dataDirFlag(dataDir), config: undefined }, () => {});
  } catch {
    return undefined;
  }
  return actions.info(dataDir).catch((error: Error) => error);
}

const choiceOf = ({ dataDir, config, store }: UpgradeRequest): SettingsChoice => ({
  flags: { ...dataDirFlag(dataDir), ...store },
  config,
});

async function optionChecks(actions: Actions, flags: UpgradeRequest): Promise<Check[]> {
  const unknown: string[] = [];
  try {
    await actions.settings(choiceOf(flags), (name, nearest) => void unknown.push(name + nearest));
    return unknown.length > 0
      ? [
          warn(
            "options",
            `unknown variables: ${unknown.join(", ")}`,
            "this version ignores them: remove or rename them",
          ),
        ]
      : [ok("options", "this version has all of them")];
  } catch (error) {
    return [
      fail("options", messageOf(error), "this version would not start with them: see docs/reference/configuration.md"),
    ];
  }
}

/** The members of etcd, and the state of the data; nothing for another store, and for invalid options. */
async function etcdChecks(actions: Actions, flags: UpgradeRequest): Promise<Check[]> {
  const settings = await actions.settings(choiceOf(flags), () => {}).catch(() => undefined);
  if (settings?.store !== "etcd") return [];
  const [states, format] = await Promise.all([
    tryConnections(actions.clock, settings.etcdServers, LIMIT_MS),
    actions
      .etcdState(choiceOf(flags), LIMIT_MS)
      .then(etcdFormatCheck, (error: unknown) =>
        fail("store in etcd", messageOf(error), "correct --etcd-servers, and the files of the certificates"),
      ),
  ]);
  return [etcdCheck(states), format];
}

async function directoryChecks(
  actions: Actions,
  { dataDir }: UpgradeRequest,
  info: DirectoryInfo | Error,
): Promise<Check[]> {
  if (info instanceof Error) {
    return [fail("data directory", info.message, "run this as its owner, or name another one with --data-dir")];
  }
  const state = await actions.upgradeState(dataDir);
  const isRunning = info.running !== undefined;
  return [...formatChecks(state), ...closeCheck(state, isRunning), runningCheck(info, actions.version)];
}

/** Requests the state of the server of the directory, or else of the one in the kubeconfig. */
async function serverChecks(
  actions: Actions,
  flags: UpgradeRequest,
  info: DirectoryInfo | undefined,
): Promise<Check[]> {
  const isNamed = flags.kubeconfig !== undefined || flags.context !== undefined || actions.terminal.env["KUBECONFIG"];
  const kubeconfig = isNamed ? flags.kubeconfig : info?.running && info.kubeconfig;
  if (!isNamed && kubeconfig === undefined) {
    return [
      warn("stored versions", "not known: no server runs", "run it again while the server runs, or with --kubeconfig"),
    ];
  }
  const chosen = await chooseContext({ kubeconfig, context: flags.context, env: actions.terminal.env });
  const { clock } = actions;
  const transport = openContext(chosen, { env: actions.terminal.env, clock });
  const limit = clock.steady() + SERVER_MS;
  const ask = async (path: string): Promise<TextResponse> => {
    const millis = Math.min(RESPONSE_MS, Math.ceil(limit - clock.steady()));
    if (millis <= 0) throw new CliError(`expected all definitions within ${SERVER_MS / 1000} s`);
    const server = { url: chosen.transport.url, transport };
    return askThrough(clock, server, path, { millis, agent: `keelson/${actions.version}` });
  };
  try {
    const metrics = await ask("/metrics");
    return [
      await storedVersionsOf(ask),
      deprecatedCheck(metrics.status === 200 ? requestedOf(metrics.text) : undefined),
    ];
  } finally {
    transport.close();
  }
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
