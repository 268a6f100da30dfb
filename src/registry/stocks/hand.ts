/**
 * What a write takes of the stocks, from before it is judged until it is stored: kept where it is stored, given back where
 * not.
 *
 * @module
 */
import { FieldErrors } from "../../meta/field-errors.ts";
import { invalid } from "../../meta/status.ts";
import type { ApiObject, Hand, Owner, StandIns, Stock, Taking, Takings } from "../../schema/definition.ts";
import { whileHeld } from "../../util/keyed-lock.ts";
import type { Judging, Reservation } from "../commit.ts";
import type { Kind, Stocks } from "../kind.ts";
import type { Write } from "../write.ts";

/**
 * Takes what an object asks for; it is given back where the write is not stored, and what the object had before and has no
 * more where it is. Rejects with 422 where the object cannot have what it asks for. Changes `object`.
 */
export function allocate(
  write: Write,
  attempt: Judging,
  object: ApiObject,
  old: ApiObject | undefined,
): Promise<void> | undefined {
  const { takings } = write.kind.definition;
  if (!takings || write.target.subresource) return undefined;
  const hand = new WriteHand(write, takings, object, old);
  attempt.reserve(hand);
  return whileHeld(attempt.hold, hand.fill());
}

/** Gives back everything that an object has, once it is stored that it is gone. */
export function freeAll(kind: Kind, attempt: Judging, object: ApiObject): void {
  const { takings } = kind.definition;
  if (!takings) return;
  attempt.reserve({ keep: () => returnAll(kind.shared.stocks, takings, takings.of(object), ownerOf(object)) });
}

/** See the head of this file. */
class WriteHand implements Hand, Reservation {
  readonly #write: Write;
  readonly #takings: Takings;
  readonly #object: ApiObject;
  readonly #old: ApiObject | undefined;
  readonly #owner: Owner;
  readonly #taken: Taking[] = [];
  /** What a dry run shows. */
  readonly #shown = new Map<Stock, StandIns>();

  constructor(write: Write, takings: Takings, object: ApiObject, old: ApiObject | undefined) {
    this.#write = write;
    this.#takings = takings;
    this.#object = object;
    this.#old = old;
    this.#owner = ownerOf(object);
  }

  async fill(): Promise<void> {
    const { kind, ctx, target } = this.#write;
    const errors = new FieldErrors();
    await this.#takings.take(this.#object, this.#old, this, errors, ctx);
    const { group, kind: name } = kind.definition;
    if (errors.any) {
      throw invalid({ group, kind: name }, target.name || (this.#object.metadata.name ?? ""), errors.causes);
    }
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

  /** What the object had before and has no more goes back. */
  keep(): Promise<void> {
    const has = new Set(this.#takings.of(this.#object).map(keyOfTaking));
    const had = [...(this.#old ? this.#takings.of(this.#old) : []), ...this.#taken];
    return this.#return(had.filter((taking) => !has.has(keyOfTaking(taking))));
  }

  /** What was taken goes back. */
  release(): Promise<void> {
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
