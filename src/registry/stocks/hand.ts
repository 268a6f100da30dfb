/**
 * What a write takes of the stocks, from before it is judged until it is stored: kept where it succeeds, given back where
 * not.
 *
 * @module
 */
import { FieldErrors } from "../../meta/field-errors.ts";
import { invalid } from "../../meta/status.ts";
import type { ApiObject, Hand, Owner, StandIns, Stock, Taking, Takings } from "../../schema/definition.ts";
import { StoreError } from "../../storage/contract.ts";
import type { Kind, Stocks } from "../kind.ts";
import type { WriteUnderWay } from "../pipeline.ts";

/** Carries a write of an object out that may take something: what it took goes back where it fails. */
export function withHand<T>(
  write: WriteUnderWay,
  old: ApiObject | undefined,
  work: (write: WriteUnderWay) => Promise<T>,
): Promise<T> {
  const { takings } = write.kind.definition;
  return takings && !write.target.subresource
    ? withTakings(write, new WriteHand(write, takings, old), work)
    : work(write);
}

async function withTakings<T>(
  write: WriteUnderWay,
  hand: WriteHand,
  work: (write: WriteUnderWay) => Promise<T>,
): Promise<T> {
  try {
    return await work({ ...write, hand });
  } catch (error) {
    // What may have been stored after all keeps what it took; if not, it is found to be nobody's.
    if (!(error instanceof StoreError && error.code === "unknown")) await hand.drop();
    throw error;
  }
}

/** Gives back everything that an object had, which is gone. */
export const giveUp = (kind: Kind, object: ApiObject): Promise<void> | undefined => {
  const { takings } = kind.definition;
  return takings && returnAll(kind.shared.stocks, takings, takings.of(object), ownerOf(object));
};

/** See the head of this file. */
export class WriteHand implements Hand {
  readonly #write: WriteUnderWay;
  readonly #takings: Takings;
  readonly #old: ApiObject | undefined;
  readonly #taken: Taking[] = [];
  /** What a dry run shows. */
  readonly #shown = new Map<Stock, StandIns>();
  #owner: Owner = { namespace: "", name: "" };

  constructor(write: WriteUnderWay, takings: Takings, old: ApiObject | undefined) {
    this.#write = write;
    this.#takings = takings;
    this.#old = old;
  }

  /** Takes what an object asks for. Rejects with 422 where it cannot have that. Changes `object`. */
  async fill(object: ApiObject): Promise<void> {
    const { kind, ctx, target } = this.#write;
    this.#owner = ownerOf(object);
    const errors = new FieldErrors();
    await this.#takings.take(object, this.#old, this, errors, ctx);
    const { group, kind: name } = kind.definition;
    if (errors.any) throw invalid({ group, kind: name }, target.name || (object.metadata.name ?? ""), errors.causes);
  }

  async take(stock: Stock, name: string): Promise<string | undefined> {
    if (this.#write.options.dryRun) {
      const refused = stock.refuses(name);
      if (refused === undefined) this.#standIns(stock).asked(name);
      return refused;
    }
    const refused = await this.#stocks.take(stock, name, this.#owner);
    if (refused === undefined) this.#taken.push({ stock: stock.id, name });
    return refused;
  }

  async takeAny(stock: Stock): Promise<string | undefined> {
    if (this.#write.options.dryRun) return this.#standIns(stock).next();
    const name = await this.#stocks.takeAny(stock, this.#owner);
    if (name !== undefined) this.#taken.push({ stock: stock.id, name });
    return name;
  }

  #standIns(stock: Stock): StandIns {
    let standIns = this.#shown.get(stock);
    if (!standIns) this.#shown.set(stock, (standIns = stock.standIns()));
    return standIns;
  }

  /** The object is stored: what it had before and has no more goes back. */
  async keep(object: ApiObject): Promise<void> {
    const has = new Set(this.#takings.of(object).map(keyOfTaking));
    const had = [...(this.#old ? this.#takings.of(this.#old) : []), ...this.#taken];
    await this.#return(had.filter((taking) => !has.has(keyOfTaking(taking))));
  }

  /** Nothing is stored: what was taken goes back. */
  drop(): Promise<void> {
    return this.#return(this.#taken.splice(0));
  }

  get #stocks(): Stocks {
    return this.#write.kind.shared.stocks;
  }

  #return(takings: readonly Taking[]): Promise<void> {
    return returnAll(this.#stocks, this.#takings, takings, this.#owner);
  }
}

const ownerOf = ({ metadata }: ApiObject): Owner => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

/** What tells one thing from all others. */
export const keyOfTaking = ({ stock, name }: Taking): string => `${stock}/${name}`;

/** What cannot be given back now is found to be nobody's later, and is no reason to fail what has been done. */
async function returnAll(
  stocks: Stocks,
  { stocks: all }: Takings,
  takings: readonly Taking[],
  owner: Owner,
): Promise<void> {
  for (const { stock: id, name } of takings) {
    const stock = all.find((one) => one.id === id);
    if (stock) await stocks.giveBack(stock, name, owner).catch(() => undefined);
  }
}
