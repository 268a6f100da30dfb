/**
 * Work that converts objects on the way, where a conversion may have to wait.
 *
 * Ownership is made of pure functions that ask for conversions in the middle of a walk and cannot wait. Where the
 * converter can, the work is run until it asks for something that is not there yet; that is waited for, and the work is run
 * again with the answer at hand. Each run gets further than the one before, and what it asks is known by its text, so the
 * number of runs is that of different conversions.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { asValue } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { canonicalJson } from "../../value/canonical.ts";
import type { Kind } from "../kind/kind.ts";

/** Thrown through the work that cannot go on yet. */
class NotYet extends Error {
  readonly promise: Promise<void>;

  constructor(promise: Promise<void>) {
    super("expected the conversion to be known");
    this.promise = promise;
  }
}

/** More conversions than an object can have managers and versions would be a walk that never ends. */
const MOST_RUNS = 200;

/** What the work that runs now knows, by the target and the object. */
const conversions = new AsyncLocalStorage<Map<string, ApiObject>>();

/** Converts within {@link converting}; at once for kinds that never wait. */
export function convertWithin(kind: Pick<Kind, "stored">, object: ApiObject, to: string): ApiObject {
  const { converter } = kind.stored;
  const known = conversions.getStore();
  const key = known ? `${to} ${canonicalJson(asValue(object))}` : "";
  const answer = known?.get(key);
  if (answer) return answer;
  const converted = converter.convert(object, to);
  if (!(converted instanceof Promise)) return converted;
  if (!known) throw new Error("expected a conversion that waits to be asked for within converting()");
  throw new NotYet(converted.then((done) => void known.set(key, done)));
}

/** Whether conversions of a kind may have to wait. */
export const mayWait = ({ stored }: Pick<Kind, "stored">): boolean => stored.converter.convertAll !== undefined;

/** Runs work that may ask {@link convertWithin}; work is run again from its beginning after each wait. */
export async function converting<T>(work: () => T): Promise<T> {
  const known = new Map<string, ApiObject>();
  for (let runs = 1; ; runs++) {
    try {
      return conversions.run(known, work);
    } catch (error) {
      if (!(error instanceof NotYet) || runs >= MOST_RUNS) throw error;
      await error.promise;
    }
  }
}
