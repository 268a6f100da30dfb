/**
 * Opens the store of a server, with the lock on the data directory and the encryption.
 *
 * @module
 */
import { type Store, StoreError } from "../../storage/contract.ts";
import type { OpenMemoryOptions } from "../../storage/memory/store.ts";
import { openParts } from "../../util/open-parts.ts";
import type { DataDirectory } from "../storage/data-directory.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { openEncryption } from "../encryption/open-encryption.ts";
import { openEtcd } from "../storage/etcd.ts";
import { closeFailed } from "./close-failed.ts";
import type { ServeOptions } from "../options/options.ts";
import type { ServerParts } from "./server-parts.ts";

/** The messages of the long parts of a start. */
const OPENING = "opening the store";

/** The store of the cluster, the stored one below it, and the encryption between them. */
export interface Stores {
  readonly store: Store;
  readonly stored: Store;
  readonly encryption: Encryption | undefined;
}

/**
 * Opens the store of the options.
 *
 * @param meanwhile runs while an embedded store opens in its thread
 */
export async function openStores(parts: ServerParts, meanwhile: () => Promise<unknown>): Promise<Stores> {
  const { options, directory } = parts;
  const encryption = await openEncryption(options, { ...parts.system, dialect: options.dialect }, parts.opened);
  if (options.store === "sqlite") await import("../../storage/sqlite/store.ts");
  parts.progress.begin(OPENING);
  const opening = beginStore(parts);
  const [stored] = await Promise.all([opening, meanwhile()]);
  directory?.claim(options.dialect);
  // While the cluster begins to load them.
  void stored.stats().then(
    ({ records }) => parts.progress.begin(OPENING, "record", records),
    () => {},
  );
  return { store: encryption?.over(stored) ?? stored, stored, encryption };
}

/** Opens the store. It is closed with the other parts, also if another part fails before it is open. */
async function beginStore(parts: ServerParts): Promise<Store> {
  const opening = openStore(parts);
  parts.opened.defer(() =>
    opening.then(
      ({ opened }) => opened.disposeAsync(),
      () => {},
    ),
  );
  return (await opening).store;
}

interface OpenStore {
  readonly store: Store;
  /** The store, the lock on the data directory, and its `server.json`. */
  readonly opened: AsyncDisposableStack;
}

/** Opens the store and takes the lock on the data directory. */
const openStore = (parts: ServerParts): Promise<OpenStore> =>
  openParts(async (opened) => {
    const { directory } = parts;
    if (!directory)
      return {
        store: opened.adopt(await openMemory({ now: () => parts.system.clock.now() }), (one) => one.close()),
        opened,
      };
    try {
      const store = await openIn(directory, parts, opened);
      // This process has the lock, so it may remove the server.json of a process before it.
      opened.defer(() => directory.clearRunning());
      return { store: opened.adopt(store, (one) => one.close()), opened };
    } catch (error) {
      throw withOwner(error, directory);
    }
  }, closeFailed(parts.system.log));

async function openIn(
  directory: DataDirectory,
  { options, system, etcdTimes }: ServerParts,
  opened: AsyncDisposableStack,
): Promise<Store> {
  const { store, historyMillis, etcd, dialect } = options;
  if (options.readOnly) {
    const { openReadOnlyStore } = await import("../../storage/sqlite/read-only.ts");
    return openReadOnlyStore(directory.store, openMemory);
  }
  if (store === "sqlite") {
    const { openSqliteStore } = await import("../../storage/sqlite/store.ts");
    const { clock, log } = system;
    return openSqliteStore({ directory: directory.store, clock, log, historyMillis, givesMemoryBack: true });
  }
  // The data directory has no objects, but certificates and a kubeconfig, which belong to one process.
  const { lockDirectory } = await import("../../storage/sqlite/lock.ts");
  opened.adopt(lockDirectory(directory.makeStore()), (lock) => lock.release());
  return etcd
    ? openEtcd(etcd, dialect, { ...system, onCall: etcdTimes?.add })
    : openMemory({ now: () => system.clock.now() });
}

async function openMemory(options: OpenMemoryOptions = {}): Promise<Store> {
  const { openMemoryStore } = await import("../../storage/memory/store.ts");
  return openMemoryStore(options);
}

/** Adds the address of the running server to the error of a directory that is in use. */
function withOwner(error: unknown, directory: DataDirectory): unknown {
  const owner = directory.running();
  if (!(error instanceof StoreError) || error.owner === undefined || error.owner !== owner?.pid) return error;
  const where = `keelson ${owner.version} at ${owner.addresses.join(", ")}`;
  return new StoreError(error.code, `${error.message} (${where})`, { cause: error });
}

/** Returns the error of a cluster that could not be created, with advice if a record is damaged. */
export async function refusalOf(error: unknown, { store }: ServeOptions, directory?: DataDirectory): Promise<unknown> {
  const cause = error instanceof Error && error.cause instanceof StoreError ? error.cause : error;
  if (!(cause instanceof StoreError)) return error;
  if (cause.code !== "corrupt" || store !== "sqlite" || !directory) return cause;
  const { damagedStore } = await import("../../storage/sqlite/damaged-store.ts");
  return damagedStore(directory.store, cause.message, cause);
}
