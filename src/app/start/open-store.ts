/**
 * The store of a server: opened with the lock on the data directory, and with what encrypts between it and the cluster.
 *
 * @module
 */
import { type Store, StoreError } from "../../storage/contract.ts";
import type { OpenMemoryOptions } from "../../storage/memory/store.ts";
import { openParts } from "../../util/open-parts.ts";
import type { DataDirectory } from "../storage/data-directory.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { openEtcd } from "../storage/etcd.ts";
import { closeFailed } from "./close-failed.ts";
import type { ServeOptions } from "../options/options.ts";
import type { ServerParts } from "./server-parts.ts";

/** The store that the cluster has, the one that is under it, and what encrypts between them. */
export interface Stores {
  readonly store: Store;
  readonly stored: Store;
  readonly encryption: Encryption | undefined;
}

/**
 * Opens the store of the options.
 *
 * @param meanwhile is done while an embedded store opens in its thread, which has begun by then
 */
export async function openStores(parts: ServerParts, meanwhile: () => Promise<unknown>): Promise<Stores> {
  const { options, directory } = parts;
  const encryption = await openEncryption(parts);
  if (options.store === "sqlite") await import("../../storage/sqlite/store.ts");
  const opening = beginStore(parts);
  const [stored] = await Promise.all([opening, meanwhile()]);
  directory?.claim(options.dialect);
  return { store: encryption?.over(stored) ?? stored, stored, encryption };
}

/** Reads which objects are encrypted and with which keys; nothing where that is not said. */
async function openEncryption({ options, around, opened }: ServerParts): Promise<Encryption | undefined> {
  const { encryption, dialect } = options;
  if (!encryption) return undefined;
  const room = await import("../encryption/encryption.ts");
  return opened.use(await room.Encryption.open({ ...encryption, dialect, ...around }));
}

/** Begins to open the store. It is closed with everything else, also where something else fails before it is open. */
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
  /** The store, the lock on the data directory, and the note in it of who runs there. */
  readonly opened: AsyncDisposableStack;
}

/** Opens the store and takes the lock on the data directory. */
const openStore = (parts: ServerParts): Promise<OpenStore> =>
  openParts(async (opened) => {
    const { directory } = parts;
    if (!directory) return { store: opened.adopt(await openMemory(), (one) => one.close()), opened };
    try {
      const store = await openIn(directory, parts, opened);
      // The process that has the lock is the one that server.json is about, whatever a process before it has left there.
      opened.defer(() => directory.clearRunning());
      return { store: opened.adopt(store, (one) => one.close()), opened };
    } catch (error) {
      throw withOwner(error, directory);
    }
  }, closeFailed(parts.around.log));

async function openIn(
  directory: DataDirectory,
  { options, around }: ServerParts,
  opened: AsyncDisposableStack,
): Promise<Store> {
  const { store, historyMillis, etcd, dialect } = options;
  if (options.readOnly) {
    const { openReadOnlyStore } = await import("../../storage/sqlite/read-only.ts");
    return openReadOnlyStore(directory.store, openMemory);
  }
  if (store === "sqlite") {
    const { openSqliteStore } = await import("../../storage/sqlite/store.ts");
    const { clock, log } = around;
    return openSqliteStore({ directory: directory.store, clock, log, historyMillis, givesMemoryBack: true });
  }
  // Objects are kept elsewhere or not at all, but certificates and the kubeconfig are, and they are those of one process.
  const { lockDirectory } = await import("../../storage/sqlite/lock.ts");
  opened.adopt(lockDirectory(directory.makeStore()), (lock) => lock.release());
  return etcd ? openEtcd(etcd, dialect, around) : openMemory();
}

async function openMemory(options: OpenMemoryOptions = {}): Promise<Store> {
  const { openMemoryStore } = await import("../../storage/memory/store.ts");
  return openMemoryStore(options);
}

/** The refusal of a directory that is in use, with where its server can be reached. */
function withOwner(error: unknown, directory: DataDirectory): unknown {
  const owner = directory.running();
  if (!(error instanceof StoreError) || error.owner === undefined || error.owner !== owner?.pid) return error;
  const where = `keelson ${owner.version} at ${owner.addresses.join(", ")}`;
  return new StoreError(error.code, `${error.message} (${where})`, { cause: error });
}

/** The error of a cluster that could not be made: with advice, where a record is damaged. */
export async function refusalOf(error: unknown, { store }: ServeOptions, directory?: DataDirectory): Promise<unknown> {
  const cause = error instanceof Error && error.cause instanceof StoreError ? error.cause : error;
  if (!(cause instanceof StoreError)) return error;
  if (cause.code !== "corrupt" || store !== "sqlite" || !directory) return cause;
  const { damagedStore } = await import("../../storage/sqlite/damaged-store.ts");
  return damagedStore(directory.store, cause.message, cause);
}
