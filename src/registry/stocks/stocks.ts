/**
 * Stocks: names, each of which one object has at a time (see `schema/definition.ts`). What is taken is a record of the store,
 * so that several servers agree, and two who ask for the same at once do not both get it.
 *
 * @module
 */
import { hasReason } from "../../meta/status.ts";
import type { ApiContext, ApiObject, NewObject, Owner, Stock } from "../../schema/definition.ts";
import { type Store, StoreError } from "../../storage/contract.ts";
import type { Kind, Stocks } from "../kind.ts";

/** How the objects that show a stock are written and read: as a client would. */
export interface Shows {
  /** Rejects with 409 AlreadyExists where there is one of this name. */
  create(kind: Kind, object: NewObject): Promise<void>;
  /** Deletes this very object, or does nothing where it is gone or changed. */
  remove(kind: Kind, object: ApiObject): Promise<void>;
  get(kind: Kind, name: string): ApiObject | undefined;
  all(kind: Kind): Promise<readonly ApiObject[]>;
}

/** What stocks are kept with. */
export interface StockParts {
  readonly api: ApiContext;
  readonly store: Store;
  readonly shows: Shows;
  /** A stored kind by `plural.group`. */
  readonly find: (resource: string) => Kind | undefined;
}

/** Who keeps what is taken of one stock. */
interface Keeper {
  /** Whether a name is known to be taken, without asking. */
  isKnown(name: string): boolean;
  /** False where somebody has it. */
  take(name: string, owner: Owner): Promise<boolean>;
  giveBack(name: string, owner: Owner): Promise<void>;
  taken(): Promise<ReadonlyMap<string, Owner>>;
}

/** How often anything is asked for by chance, before what is left is looked for. */
const GUESSES = 8;

/** See the head of this file. */
export class StoredStocks implements Stocks {
  readonly #parts: StockParts;
  readonly #keepers = new Map<string, Keeper>();

  constructor(parts: StockParts) {
    this.#parts = parts;
  }

  async take(stock: Stock, name: string, owner: Owner): Promise<string | undefined> {
    const refused = stock.refuses(name);
    if (refused !== undefined) return refused;
    return (await this.#keeper(stock).take(name, owner)) ? undefined : "it is taken already";
  }

  async takeAny(stock: Stock, owner: Owner): Promise<string | undefined> {
    const keeper = this.#keeper(stock);
    let guesses = 0;
    let taken: ReadonlyMap<string, Owner> | undefined;
    for (const name of stock.names(this.#parts.api.random)) {
      if (taken?.has(name) || keeper.isKnown(name)) continue;
      if (await keeper.take(name, owner)) return name;
      if (++guesses === GUESSES) taken = await keeper.taken();
    }
    return undefined;
  }

  giveBack(stock: Stock, name: string, owner: Owner): Promise<void> {
    return this.#keeper(stock).giveBack(name, owner);
  }

  taken(stock: Stock): Promise<ReadonlyMap<string, Owner>> {
    return this.#keeper(stock).taken();
  }

  #keeper(stock: Stock): Keeper {
    let keeper = this.#keepers.get(stock.id);
    if (!keeper) this.#keepers.set(stock.id, (keeper = keeperOf(stock, this.#parts)));
    return keeper;
  }
}

function keeperOf({ id, shown }: Stock, { store, shows, find }: StockParts): Keeper {
  if (!shown) return recordKeeper(`/stocks/${id}/`, store);
  const kind = (): Kind => {
    const found = find(shown.resource);
    if (!found) throw new Error(`expected ${shown.resource} to be served, they show who has what`);
    return found;
  };
  return {
    isKnown: (name) => shows.get(kind(), name) !== undefined,
    async take(name, owner) {
      try {
        await shows.create(kind(), shown.object(name, owner));
        return true;
      } catch (error) {
        if (hasReason(error, "AlreadyExists")) return false;
        throw error;
      }
    },
    async giveBack(name, owner) {
      const object = shows.get(kind(), name);
      if (object && isSame(shown.owner(object), owner)) await shows.remove(kind(), object);
    },
    async taken() {
      const all = await shows.all(kind());
      return new Map(all.map((object) => [object.metadata.name!, shown.owner(object) ?? NOBODY]));
    },
  };
}

/** Who has what was taken by hand: no object, so that it is never given back here. */
const NOBODY: Owner = { namespace: "", name: "" };

const isSame = (a: Owner | undefined, b: Owner): boolean => a?.namespace === b.namespace && a.name === b.name;

/** Names whose records nobody sees. */
function recordKeeper(prefix: string, store: Store): Keeper {
  return {
    isKnown: () => false,
    async take(name, owner) {
      try {
        await store.write({ type: "create", key: prefix + name, value: encode(owner) });
        return true;
      } catch (error) {
        if (error instanceof StoreError && error.code === "exists") return false;
        throw error;
      }
    },
    async giveBack(name, owner) {
      const record = await store.get(prefix + name);
      if (!record || !isSame(decode(record.value), owner)) return;
      try {
        await store.write({ type: "delete", key: record.key, value: record.value, expected: record.revision });
      } catch (error) {
        // Somebody else gave it back.
        if (!(error instanceof StoreError) || (error.code !== "conflict" && error.code !== "notFound")) throw error;
      }
    },
    async taken() {
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
