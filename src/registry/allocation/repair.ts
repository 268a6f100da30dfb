/**
 * Repairs pools at intervals: a server may end between an allocation and the write of its object, or between the delete of an object and
 * the release of its allocations.
 *
 * @module
 */
import type { ApiObject, Owner, Pool, Allocations } from "../../schema/definition.ts";
import type { Pools } from "../kind/kind.ts";
import type { Clock, Random, Timer } from "../../util/clock.ts";
import { keyOfAllocation } from "./allocator.ts";

/** Settings of {@link startRepairs}. */
export interface RepairOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly pools: Pools;
  /** The kinds that allocate, and a reader of their objects. */
  readonly kinds: () => readonly AllocatingKind[];
  readonly onError: (error: unknown) => void;
}

/** A kind that allocates. */
export interface AllocatingKind {
  readonly allocations: Allocations;
  /** Maps each of its objects. */
  readonly collect: <T>(read: (object: ApiObject) => T | undefined) => Promise<readonly T[]>;
}

const FIRST_MS = 1000;
const MILLIS = 3 * 60_000;

/** Repairs pools one second after the start and every few minutes, until closed. */
export function startRepairs(options: RepairOptions): { close(): void } {
  const { clock, random, onError } = options;
  let timer: Timer;
  let closed = false;
  let suspects: ReadonlyMap<string, Owner> = new Map();
  const next = (millis: number): void => {
    if (!closed) timer = clock.after(millis, () => void look(), { owner: "pools", upkeep: true });
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
 * Allocates what objects have and the pools lack, and releases allocations without an object that also had none at the last repair, since
 * an object is stored after its allocations. Resolves to the allocations without an object.
 */
export async function repair(
  { pools, kinds }: Pick<RepairOptions, "pools" | "kinds">,
  before: ReadonlyMap<string, Owner>,
): Promise<ReadonlyMap<string, Owner>> {
  const suspects = new Map<string, Owner>();
  for (const { allocations, collect } of kinds()) {
    const taken = new Map<Pool, ReadonlyMap<string, Owner>>();
    for (const pool of allocations.pools) taken.set(pool, await pools.allocated(pool));
    const has = await ownersOf(allocations, collect);
    for (const [pool, those] of taken) {
      await allocateMissing(pools, pool, those, has);
      for (const [name, owner] of those) {
        const key = keyOfAllocation({ pool: pool.id, name });
        if (has.has(key) || owner.name === "") continue;
        const was = before.get(key);
        if (was?.namespace === owner.namespace && was.name === owner.name) await pools.release(pool, name, owner);
        else suspects.set(key, owner);
      }
    }
  }
  return suspects;
}

/** The owners of allocations, by the keys of these. */
async function ownersOf(
  allocations: Allocations,
  collect: AllocatingKind["collect"],
): Promise<ReadonlyMap<string, Owner>> {
  const has = new Map<string, Owner>();
  await collect((object) => {
    const { namespace = "", name = "" } = object.metadata;
    for (const allocation of allocations.of(object)) has.set(keyOfAllocation(allocation), { namespace, name });
  });
  return has;
}

async function allocateMissing(
  pools: Pools,
  pool: Pool,
  taken: ReadonlyMap<string, Owner>,
  has: ReadonlyMap<string, Owner>,
): Promise<void> {
  for (const [key, owner] of has) {
    if (!key.startsWith(`${pool.id}/`)) continue;
    const name = key.slice(pool.id.length + 1);
    if (!taken.has(name)) await pools.allocate(pool, name, owner);
  }
}
