/**
 * Pools of names, each of which belongs to one object at a time (see `schema/definition.ts`). An allocation is a record of the store, so
 * that several servers agree, and only one of two concurrent requests gets a name.
 *
 * @module
 */
import { hasReason } from "../../meta/status.ts";
import type { ApiContext, ApiObject, NewObject, Owner, Pool } from "../../schema/definition.ts";
import { type Store, StoreError } from "../../storage/contract.ts";
import type { Kind, Pools } from "../kind/kind.ts";

/** Writes and reads the objects that represent a pool, through the API. */
export interface Shows {
  /** Rejects with 409 AlreadyExists where there is one of this name. */
  create(kind: Kind, object: NewObject): Promise<void>;
  /** Deletes exactly this object; has no effect where it is deleted or changed. */
  remove(kind: Kind, object: ApiObject): Promise<void>;
  get(kind: Kind, name: string): ApiObject | undefined;
  all(kind: Kind): Promise<readonly ApiObject[]>;
}

/** The parts that pools are built from. */
export interface PoolParts {
  readonly api: ApiContext;
  readonly store: Store;
  readonly shows: Shows;
  /** A stored kind by `plural.group`. */
  readonly find: (resource: string) => Kind | undefined;
}

/** Keeps the allocations of one pool. */
interface Keeper {
  /** Whether a name is known to be allocated, without a read of the store. */
  isKnown(name: string): boolean;
  /** Resolves to false where another object has the name. */
  allocate(name: string, owner: Owner): Promise<boolean>;
  release(name: string, owner: Owner): Promise<void>;
  allocated(): Promise<ReadonlyMap<string, Owner>>;
}

/** The number of random names that are tried before the allocations are read. */
const GUESSES = 8;

/** The pools of a server. */
export class StoredPools implements Pools {
  readonly #parts: PoolParts;
  readonly #keepers = new Map<string, Keeper>();

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  async allocate(pool: Pool, name: string, owner: Owner): Promise<string | undefined> {
    const refused = pool.refuses(name);
    if (refused !== undefined) return refused;
    return (await this.#keeper(pool).allocate(name, owner)) ? undefined : "it is taken already";
  }

  async allocateAny(pool: Pool, owner: Owner): Promise<string | undefined> {
    const keeper = this.#keeper(pool);
    let guesses = 0;
    let taken: ReadonlyMap<string, Owner> | undefined;
    for (const name of pool.names(this.#parts.api.random)) {
      if (taken?.has(name) || keeper.isKnown(name)) continue;
      if (await keeper.allocate(name, owner)) return name;
      if (++guesses === GUESSES) taken = await keeper.allocated();
    }
    return undefined;
  }

  release(pool: Pool, name: string, owner: Owner): Promise<void> {
    return this.#keeper(pool).release(name, owner);
  }

  allocated(pool: Pool): Promise<ReadonlyMap<string, Owner>> {
    return this.#keeper(pool).allocated();
  }

  #keeper(pool: Pool): Keeper {
    let keeper = this.#keepers.get(pool.id);
    if (!keeper) this.#keepers.set(pool.id, (keeper = keeperOf(pool, this.#parts)));
    return keeper;
  }
}

function keeperOf({ id, shown }: Pool, { store, shows, find }: PoolParts): Keeper {
  if (!shown) return recordKeeper(`/stocks/${id}/`, store);
  const kind = (): Kind => {
    const found = find(shown.resource);
    if (!found) throw new Error(`expected ${shown.resource} to be served, its objects show allocations`);
    return found;
  };
  return {
    isKnown: (name) => shows.get(kind(), name) !== undefined,
    async allocate(name, owner) {
      try {
        await shows.create(kind(), shown.object(name, owner));
        return true;
      } catch (error) {
        if (hasReason(error, "AlreadyExists")) return false;
        throw error;
      }
    },
    async release(name, owner) {
      const object = shows.get(kind(), name);
      if (object && isSame(shown.owner(object), owner)) await shows.remove(kind(), object);
    },
    async allocated() {
      const all = await shows.all(kind());
      return new Map(all.map((object) => [object.metadata.name ?? "", shown.owner(object) ?? UNOWNED]));
    },
  };
}

/** The owner of a name that was not allocated here: no object, so it is never released here. */
const UNOWNED: Owner = { namespace: "", name: "" };

const isSame = (a: Owner | undefined, b: Owner): boolean => a?.namespace === b.namespace && a.name === b.name;

/** Allocations as records of the store, which clients cannot see. */
function recordKeeper(prefix: string, store: Store): Keeper {
  return {
    isKnown: () => false,
    async allocate(name, owner) {
      try {
        await store.write({ type: "create", key: prefix + name, value: encode(owner) });
        return true;
      } catch (error) {
        if (error instanceof StoreError && error.code === "exists") return false;
        throw error;
      }
    },
    async release(name, owner) {
      const record = await store.get(prefix + name);
      if (!record || !isSame(decode(record.value), owner)) return;
      try {
        await store.write({ type: "delete", key: record.key, value: record.value, expected: record.revision });
      } catch (error) {
        // Another server has released it.
        if (!(error instanceof StoreError) || (error.code !== "conflict" && error.code !== "notFound")) throw error;
      }
    },
    async allocated() {
      const { records } = await store.range(prefix);
      return new Map(records.map(({ key, value }) => [key.slice(prefix.length), decode(value)]));
    },
  };
}

const encode = ({ namespace, name }: Owner): Uint8Array => Buffer.from(`${namespace}/${name}`);

function decode(value: Uint8Array): Owner {
  const [namespace = "", name = ""] = Buffer.from(value).toString().split("/");
  return { namespace, name };
}
