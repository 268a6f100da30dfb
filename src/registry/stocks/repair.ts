/**
 * Stocks are put right from time to time: a server may end between taking a thing and storing who has it, or between
 * deleting an object and giving back what it had.
 *
 * @module
 */
import type { ApiObject, Owner, Stock, Takings } from "../../schema/definition.ts";
import type { Stocks } from "../kind.ts";
import type { Clock, Random, Timer } from "../../util/clock.ts";
import { keyOfTaking } from "./hand.ts";

/** Settings of {@link startRepairs}. */
export interface RepairOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly stocks: Stocks;
  /** The kinds that take something, and a reader of their objects. */
  readonly takers: () => readonly Taker[];
  readonly onError: (error: unknown) => void;
}

/** A kind that takes something. */
export interface Taker {
  readonly takings: Takings;
  /** Makes something of each of its objects. */
  readonly collect: <T>(read: (object: ApiObject) => T | undefined) => Promise<readonly T[]>;
}

const FIRST_MS = 1000;
const MILLIS = 3 * 60_000;

/** Puts stocks right one second after the start and every few minutes, until closed. */
export function startRepairs(options: RepairOptions): { close(): void } {
  const { clock, random, onError } = options;
  let timer: Timer;
  let closed = false;
  let suspects: ReadonlyMap<string, Owner> = new Map();
  const next = (millis: number): void => {
    if (!closed) timer = clock.after(millis, () => void look(), { owner: "stocks", upkeep: true });
  };
  const look = async (): Promise<void> => {
    try {
      suspects = await repair(options, suspects);
    } catch (error) {
      onError(error);
    }
    next(MILLIS * (1 + random.next() / 2));
  };
  next(FIRST_MS);
  return {
    close() {
      closed = true;
      timer.cancel();
    },
  };
}

/**
 * Takes for every object what it says that it has, and gives back what nobody has: what was nobody's at the last look
 * already, since an object is stored after it has taken its things. Answers what is nobody's now.
 */
export async function repair(
  { stocks, takers }: Pick<RepairOptions, "stocks" | "takers">,
  before: ReadonlyMap<string, Owner>,
): Promise<ReadonlyMap<string, Owner>> {
  const suspects = new Map<string, Owner>();
  for (const { takings, collect } of takers()) {
    const taken = new Map<Stock, ReadonlyMap<string, Owner>>();
    for (const stock of takings.stocks) taken.set(stock, await stocks.taken(stock));
    const has = await ownersOf(takings, collect);
    for (const [stock, those] of taken) {
      await takeMissing(stocks, stock, those, has);
      for (const [name, owner] of those) {
        const key = keyOfTaking({ stock: stock.id, name });
        if (has.has(key) || owner.name === "") continue;
        const was = before.get(key);
        if (was?.namespace === owner.namespace && was.name === owner.name) await stocks.giveBack(stock, name, owner);
        else suspects.set(key, owner);
      }
    }
  }
  return suspects;
}

/** Who says that it has what, by the keys of takings. */
async function ownersOf(takings: Takings, collect: Taker["collect"]): Promise<ReadonlyMap<string, Owner>> {
  const has = new Map<string, Owner>();
  await collect((object) => {
    const { namespace = "", name = "" } = object.metadata;
    for (const taking of takings.of(object)) has.set(keyOfTaking(taking), { namespace, name });
  });
  return has;
}

async function takeMissing(
  stocks: Stocks,
  stock: Stock,
  taken: ReadonlyMap<string, Owner>,
  has: ReadonlyMap<string, Owner>,
): Promise<void> {
  for (const [key, owner] of has) {
    if (!key.startsWith(`${stock.id}/`)) continue;
    const name = key.slice(stock.id.length + 1);
    if (!taken.has(name)) await stocks.take(stock, name, owner);
  }
}
