/**
 * Runs work that converts objects, where a conversion may have to wait.
 * Ownership consists of pure functions that request conversions in the middle of a walk and cannot wait. Where the converter is
 * asynchronous, the work runs until it requests a conversion without a result yet. When that has resolved, the work runs again from its
 * beginning. Each run gets further than the one before, and results are kept by the text of the object, so the number of runs is the number
 * of different conversions.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { asValue } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { canonicalJson } from "../../value/canonical.ts";
import type { Kind } from "../kind/kind.ts";

/** Thrown through work that cannot continue yet. */
class NotYet extends Error {
  readonly promise: Promise<void>;

  constructor(promise: Promise<void>) {
    super("expected the conversion to be known");
    this.promise = promise;
  }
}

/** A limit above the number of managers and versions of any object; more runs would mean a walk that never ends. */
const MOST_RUNS = 200;

/** The results for the running work, by target version and object. */
const conversions = new AsyncLocalStorage<Map<string, ApiObject>>();

/** Converts within {@link converting}; at once for kinds that never wait. */
export function convertWithin(kind: Pick<Kind, "stored">, object: ApiObject, to: string): ApiObject {
  const { converter } = kind.stored;
  const known = conversions.getStore();
  const key = known ? `${to} ${canonicalJson(asValue(object))}` : "";
  const result = known?.get(key);
  if (result) return result;
  const converted = converter.convert(object, to);
  if (!(converted instanceof Promise)) return converted;
  if (!known) throw new Error("expected a conversion that waits to be requested within converting()");
  throw new NotYet(converted.then((done) => void known.set(key, done)));
}

/** Whether conversions of a kind may have to wait. */
export const mayWait = ({ stored }: Pick<Kind, "stored">): boolean => stored.converter.convertAll !== undefined;

/** Runs work that may call {@link convertWithin}; the work runs again from its beginning after each wait. */
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
