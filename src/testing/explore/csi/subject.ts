/**
 * The explored driver: new for each run, with its final state.
 *
 * @module
 */
import { type Driver, openDriver } from "../../../csi/driver.ts";
import { DriverError } from "../../../csi/driver-error.ts";
import type { DriverObject } from "../../../explore/contract/state.ts";
import type { StorageDriver } from "../../../sidecars/contract.ts";
import { storageDriver } from "../../../sidecars/csi-driver.ts";
import { messageOf } from "../../../util/error.ts";
import type { Clock } from "../../../util/clock.ts";
import type { ReturnedObjects } from "./call.ts";

/** The properties of its node that the node service of a driver reports. */
export interface DriverNode {
  readonly id: string;
  /** Its topology: a value for each key. */
  readonly segments: Readonly<Record<string, string>>;
}

/** A driver during one run. */
export interface DriverSubject extends AsyncDisposable {
  /** As sidecars of this process call it. */
  readonly driver: StorageDriver;
  /** Its node, where it has a node service. */
  readonly node?: DriverNode;
  /** Its socket, where it has one. */
  readonly endpoint?: string;
  /** The volumes and snapshots that it has. */
  objects(): Promise<readonly DriverObject[]>;
  /** Writes into a volume, as a Pod does that uses it. Undefined where that cannot be done from here. */
  readonly write?: (volumeId: string, data: string) => void;
  /** Kills the driver and starts it again; its storage is kept. Undefined where this process did not start it. */
  readonly restart?: () => Promise<void>;
}

/** Gives each run a driver that has nothing. */
export interface DriverSource {
  /** The checks that it does not support, as sentences; empty where it supports all. */
  readonly notJudged: readonly string[];
  /** @param returned its state from its responses, for a driver that cannot list */
  open(returned: ReturnedObjects): Promise<DriverSubject>;
}

/** The parts of a driver in another process. */
export interface ExternalDriver {
  /** `unix:///path`. */
  readonly endpoint: string;
  readonly clock: Clock;
  /** Kills the driver and starts it again, where it is ours to start. */
  readonly restart?: () => Promise<void>;
}

/** Objects of one page of a list. */
const PAGE = 1000;

/**
 * A driver behind a socket. Volumes and snapshots that a run leaves are removed after it; those from before are kept. @throws DriverError
 */
export async function externalSource({ endpoint, clock, restart }: ExternalDriver): Promise<DriverSource> {
  const { abilities, node } = await described(endpoint, clock);
  const lists = { Volume: abilities.has("LIST_VOLUMES"), Snapshot: abilities.has("LIST_SNAPSHOTS") };
  const unseen = (kind: string, method: string): string =>
    `${kind} that the driver made without a response: it has no ${method}, so only those with a response count`;
  return {
    notJudged: [
      ...(lists.Volume ? [] : [unseen("volumes", "ListVolumes")]),
      ...(lists.Snapshot || !abilities.has("CREATE_DELETE_SNAPSHOT") ? [] : [unseen("snapshots", "ListSnapshots")]),
      "the data of volumes: it cannot be read from outside",
    ],
    async open(returned) {
      const connected = openDriver(endpoint, { clock });
      const there = async (kind: DriverObject["kind"]): Promise<readonly DriverObject[]> => {
        if (!lists[kind]) return returned.present().filter((one) => one.kind === kind);
        const ids = await (kind === "Volume" ? volumeIds(connected) : snapshotIds(connected));
        return ids.map((id) => {
          const name = returned.nameOf(id);
          return { kind, id, ...(name === undefined ? {} : { name }) };
        });
      };
      const all = async () => [...(await there("Volume")), ...(await there("Snapshot"))];
      const old = new Set((await all()).map(({ kind, id }) => `${kind} ${id}`));
      const objects = async () => (await all()).filter(({ kind, id }) => !old.has(`${kind} ${id}`));
      return {
        driver: await storageDriver(connected),
        ...(node && { node }),
        endpoint,
        objects,
        ...(restart ? { restart } : {}),
        async [Symbol.asyncDispose]() {
          try {
            await removeAll(connected, await objects(), abilities.has("PUBLISH_UNPUBLISH_VOLUME"));
          } finally {
            await connected.close();
          }
        },
      };
    },
  };
}

async function described(
  endpoint: string,
  clock: Clock,
): Promise<Pick<StorageDriver, "abilities"> & { readonly node?: DriverNode }> {
  await using stack = new AsyncDisposableStack();
  const driver = openDriver(endpoint, { clock });
  stack.defer(() => driver.close());
  const { abilities } = await storageDriver(driver);
  try {
    const { nodeId, accessibleTopology } = await driver.node.nodeGetInfo({});
    return { abilities, node: { id: nodeId, segments: accessibleTopology?.segments ?? {} } };
  } catch (error) {
    // A driver may have its node service elsewhere.
    if (error instanceof DriverError && error.code === "Unimplemented") return { abilities };
    throw error;
  }
}

async function volumeIds({ controller }: Driver): Promise<readonly string[]> {
  const ids: string[] = [];
  let startingToken = "";
  do {
    const { entries, nextToken } = await controller.listVolumes({ maxEntries: PAGE, startingToken });
    for (const { volume } of entries) if (volume) ids.push(volume.volumeId);
    startingToken = nextToken;
  } while (startingToken !== "");
  return ids;
}

async function snapshotIds({ controller }: Driver): Promise<readonly string[]> {
  const ids: string[] = [];
  let startingToken = "";
  do {
    const { entries, nextToken } = await controller.listSnapshots({ maxEntries: PAGE, startingToken });
    for (const { snapshot } of entries) if (snapshot) ids.push(snapshot.snapshotId);
    startingToken = nextToken;
  } while (startingToken !== "");
  return ids;
}

/** @throws Error that names what remains */
async function removeAll({ controller }: Driver, objects: readonly DriverObject[], detaches: boolean): Promise<void> {
  const remaining: string[] = [];
  const failed = (kind: string, id: string) => (error: unknown) =>
    void remaining.push(`${kind} ${id}: ${messageOf(error)}`);
  for (const { kind, id } of objects.toSorted((a, b) => a.kind.localeCompare(b.kind))) {
    if (kind === "Snapshot") await controller.deleteSnapshot({ snapshotId: id }).catch(failed(kind, id));
    else {
      // Without a node it is detached from all of them; where it is not attached there is nothing to do.
      if (detaches) await controller.controllerUnpublishVolume({ volumeId: id }).catch(() => {});
      await controller.deleteVolume({ volumeId: id }).catch(failed(kind, id));
    }
  }
  if (remaining.length === 0) return;
  throw new Error(
    `expected the driver to remove what a run left, so that the next one begins with nothing; it did not: ${remaining.join("; ")}. Pass a command that starts it again`,
  );
}
