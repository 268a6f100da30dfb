/**
 * Runs the sidecars of a driver: waits for the driver, reads its capabilities and the dialect of the server, starts the manager.
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
import { keepRegistered } from "./csi-registration.ts";

/** What the sidecars of a driver run with. */
export interface CsiProcess extends CsiRequest {
  readonly log: Log;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** Resolves when the sidecars should stop. */
  readonly stopped: Promise<unknown>;
}

const RETRY = { first: 250, most: 10_000 };

/** Runs the sidecars of a driver until they are stopped; rejects if they fail. */
export async function runSidecars(run: CsiProcess): Promise<void> {
  const { client, clock, log, stopped, settings, leaderElection, namespace } = run;
  const over = new AbortController();
  void stopped.then(() => over.abort());
  const driver = openDriver(run.driver, { clock, maxCalls: settings.workers });
  try {
    const found = await waitForDriver(driver, run, over.signal);
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
    const withNode = { ...settings, node: await ownNode(driver, run.node) };
    const logged = run.verbose ? withLoggedCalls(found, run) : found;
    manager.add(...sidecarsOf(logged, { dialect, clock, settings: withNode, only: partsOf(run) }));
    await using _registrar = registers(run) ? registrationOf(run, found.name) : undefined;
    await using _manager = manager;
    await manager.start();
    const controllers = manager.status().map(({ controller }) => controller.replace(/^keelson-/, ""));
    const names = [...controllers, ...(registers(run) ? ["registration"] : [])];
    run.print(`ready: ${found.name} has ${names.join(", ") || "no sidecars"}`);
    const failed = await Promise.race([stopped.then(() => undefined), manager.failed]);
    if (failed) throw failed;
  } finally {
    await driver.close();
  }
}

/** The name of the Lease: one for each driver, or for each of its nodes. */
const leaseOf = (driver: string, node: string | undefined): string =>
  ["keelson-csi", driver, ...(node === undefined ? [] : [node])]
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-");

/** The node of `--node`, with the topology that the driver reports. */
async function ownNode(driver: Driver, name: string | undefined): Promise<OwnNode | undefined> {
  if (name === undefined) return undefined;
  const { accessibleTopology } = await driver.node.nodeGetInfo({}).catch((cause: unknown) => {
    throw new CliError(`expected the topology of the node from NodeGetInfo, for --node: ${String(cause)}`, { cause });
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
  return keepRegistered({
    name,
    driver,
    registry: join(agentDir, "plugins_registry"),
    clock,
    onStatus: ({ registered, error }) => {
      if (registered) log.info("the agent of the node has registered the driver", { driver: name });
      else log.warn("the agent of the node did not register the driver", { driver: name, error });
    },
    onError: (error) => {
      log.warn("the driver could not be registered; retrying", { driver: name, error: String(error) });
    },
  });
}

/** Resolves to the driver when it is ready; to undefined if the process is stopped before. */
async function waitForDriver(
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
      log.warn("the driver does not respond; retrying", { driver: driver.endpoint, error: String(error) });
    }
    await sleep(clock, backoff(failures, RETRY, systemRandom), signal);
  }
  return undefined;
}

/** Finds the dialect of a server by its API groups. */
async function dialectOf(client: Client): Promise<Dialect> {
  const { groups } = await client.json<{ readonly groups: readonly { readonly name: string }[] }>("GET", "/apis");
  return groups.some(({ name }) => name === `storage.${neutral.domain}`) ? neutral : kubernetes;
}

/** Returns the driver with a line in the log for each call; secrets are left out. */
function withLoggedCalls(driver: StorageDriver, { log, clock }: CsiProcess): StorageDriver {
  const calls = new Proxy(driver.calls, {
    get: (target, name) => async (request: { readonly secrets?: object }, how: never) => {
      const began = clock.steady();
      const { secrets: _, ...shown } = request;
      const facts = (more: object): object => ({ call: name, millis: Math.round(clock.steady() - began), ...more });
      try {
        const call = Reflect.get(target, name) as (request: object, how: never) => Promise<unknown>;
        const response = await call(request, how);
        log.debug("the driver responded", { ...facts({}), request: textOf(shown) });
        return response;
      } catch (error) {
        log.debug("a call of the driver failed", { ...facts({ error: String(error) }), request: textOf(shown) });
        throw error;
      }
    },
  });
  return { ...driver, calls };
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? Number(member) : member));
