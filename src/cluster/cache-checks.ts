import { startChecks } from "../cache/index.ts";
import type { BuiltRegistry } from "../registry/index.ts";
import type { ApiContext } from "../schema/definition.ts";
import type { Log } from "../util/log.ts";

/** The checks of a cache. */
export interface CacheChecks {
  /** Resources that were found to differ from the store. */
  readonly mismatches: number;
  close(): void;
}

/** Compares the cache with the store at intervals, as long as it is open. */
export function checkCache({ clock, random }: ApiContext, { cacher }: BuiltRegistry, log: Log): CacheChecks {
  let mismatches = 0;
  const checks = startChecks(cacher, {
    clock,
    random,
    onMismatch(found) {
      mismatches += found.length;
      log.error("the watch cache differs from the store and is loaded again", { mismatches: found });
    },
    onError: (error) => log.error("the watch cache could not be compared with the store", { error: String(error) }),
  });
  return {
    get mismatches() {
      return mismatches;
    },
    close: () => checks.close(),
  };
}
