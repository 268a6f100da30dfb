/**
 * The sidecars of a driver as a process: waits for the driver, finds out what it can do and how the server speaks, runs, and ends.
 *
 * @module
 */
import { join } from "node:path";
import type { CsiRequest } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import type { Client } from "../../client/index.ts";
import { type Driver, openDriver } from "../../csi/driver.ts";
import { type Dialect, kubernetes, neutral } from "../../meta/dialect.ts";
import { createManager, withoutManagedFields } from "../../runtime/index.ts";
import { storageDriver } from "../../sidecars/csi-driver.ts";
import { SIDECARS, type SidecarName, sidecarsOf } from "../../sidecars/index.ts";
import type { StorageDriver } from "../../sidecars/contract.ts";
import type { OwnNode } from "../../sidecars/own-node.ts";
import { backoff } from "../../util/backoff.ts";
import { type Clock, sleep, systemRandom } from "../../util/clock.ts";
import { millisOf } from "../../util/duration.ts";
import type { Log } from "../../util/log.ts";
import { registered } from "./csi-registration.ts";

/** What it is run with. */
export interface CsiProcess extends CsiRequest {
  readonly log: Log;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** Resolves when it is to end. */
  readonly stopped: Promise<unknown>;
}

const WAIT = { first: 250, most: 10_000 };

/** See the head of this file. */
export async function runSidecars(run: CsiProcess): Promise<void> {
  const { client, clock, log, stopped, settings, leaderElection, namespace } = run;
  const over = new AbortController();
  void stopped.then(() => over.abort());
  const driver = openDriver(run.driver, { clock, maxCalls: settings.workers });
  try {
    const found = await answered(driver, run, over.signal);
    if (!found) return;
    const dialect = await dialectOf(client);
    const manager = createManager({
      client,
      name: "keelson-csi",
      clock,
      log,
      countedEvents: true,
      freeze: false,
      keep: withoutManagedFields,
      dialect: dialect.name,
      ...(leaderElection ? { leaderElection: { lease: { namespace, name: leaseOf(found.name, run.node) } } } : {}),
    });
    const told = { ...settings, node: await ownNode(driver, run.node) };
    const asked = run.verbose ? loud(found, run) : found;
    manager.add(...sidecarsOf(asked, { dialect, clock, settings: told, only: partsOf(run) }));
    await using _registrar = registers(run) ? registrationOf(run, found.name) : undefined;
    await using _manager = manager;
    await manager.start();
    const works = manager.status().map(({ controller }) => controller.replace(/^keelson-/, ""));
    run.print(`ready: ${found.name} has ${works.join(", ") || "no sidecars"}${registers(run) ? ", registration" : ""}`);
    const failed = await Promise.race([stopped.then(() => undefined), manager.failed]);
    if (failed) throw failed;
  } finally {
    await driver.close();
  }
}

/** One Lease for each driver, or for each of its nodes. */
const leaseOf = (driver: string, node: string | undefined): string =>
  ["keelson-csi", driver, ...(node === undefined ? [] : [node])]
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-");

/** The node whose disks a driver has, with the place where it says that it is. */
async function ownNode(driver: Driver, name: string | undefined): Promise<OwnNode | undefined> {
  if (name === undefined) return undefined;
  const { accessibleTopology } = await driver.node.nodeGetInfo({}).catch((cause: unknown) => {
    throw new CliError(`expected the driver to say where its node is, for --node: ${String(cause)}`, { cause });
  });
  return { name, segments: accessibleTopology?.segments ?? {} };
}

const isSidecar = (part: string): part is SidecarName => Object.hasOwn(SIDECARS, part);
const partsOf = ({ only, node }: CsiProcess): readonly SidecarName[] => {
  const all = Object.keys(SIDECARS) as SidecarName[];
  return only?.filter(isSidecar) ?? all.filter((part) => node === undefined || !part.startsWith("snapshot"));
};
const registers = ({ only, agentDir }: CsiProcess): boolean =>
  agentDir !== undefined && (only === undefined || only.includes("registration"));

function registrationOf({ driver, agentDir = "", clock, log }: CsiProcess, name: string): AsyncDisposable {
  return registered({
    name,
    driver,
    registry: join(agentDir, "plugins_registry"),
    clock,
    answered: ({ registered: isDone, error }) => {
      if (isDone) log.info("the agent of the node has registered the driver", { driver: name });
      else log.warn("the agent of the node did not register the driver", { driver: name, error });
    },
    failed: (error) => {
      log.warn("the driver cannot be registered, which is tried again", { driver: name, error: String(error) });
    },
  });
}

/** The driver, once it answers that it is ready; undefined where the process is to end before. */
async function answered(
  driver: Driver,
  { clock, log, settings }: CsiProcess,
  signal: AbortSignal,
): Promise<StorageDriver | undefined> {
  const deadlineMs = millisOf(settings.timeout);
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const { ready = true } = await driver.identity.probe({}, { signal, deadlineMs });
      if (ready) return await storageDriver(driver, signal);
      log.info("the driver is not ready yet", { driver: driver.endpoint });
    } catch (error) {
      if (signal.aborted) return undefined;
      log.warn("the driver does not answer, and is waited for", { driver: driver.endpoint, error: String(error) });
    }
    await sleep(clock, backoff(failures, WAIT, systemRandom), signal);
  }
  return undefined;
}

/** How a server speaks: the neutral dialect has groups of its own. */
async function dialectOf(client: Client): Promise<Dialect> {
  const { groups } = await client.json<{ readonly groups: readonly { readonly name: string }[] }>("GET", "/apis");
  return groups.some(({ name }) => name === `storage.${neutral.domain}`) ? neutral : kubernetes;
}

/** The driver, with a line in the log for each call. */
function loud(driver: StorageDriver, { log, clock }: CsiProcess): StorageDriver {
  const calls = new Proxy(driver.calls, {
    get: (target, name) => async (request: { readonly secrets?: object }, how: never) => {
      const began = clock.steady();
      const { secrets: _, ...told } = request;
      const facts = (more: object): object => ({ call: name, millis: Math.round(clock.steady() - began), ...more });
      try {
        const call = Reflect.get(target, name) as (request: object, how: never) => Promise<unknown>;
        const answer = await call(request, how);
        log.debug("the driver answered", { ...facts({}), request: textOf(told) });
        return answer;
      } catch (error) {
        log.debug("the driver did not do it", { ...facts({ error: String(error) }), request: textOf(told) });
        throw error;
      }
    },
  });
  return { ...driver, calls };
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? Number(member) : member));
