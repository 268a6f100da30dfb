/**
 * The allocations of a write: kept where the write is stored, released where it is not.
 *
 * @module
 */
import { FieldErrors } from "../../meta/field-errors.ts";
import { invalid } from "../../meta/status.ts";
import type {
  ApiObject,
  Allocator,
  Owner,
  Placeholders,
  Pool,
  Allocation,
  Allocations,
} from "../../schema/definition.ts";
import { whileHeld } from "../../util/keyed-lock.ts";
import type { Judging, Reservation } from "../commit/commit.ts";
import type { Kind, Pools } from "../kind/kind.ts";
import type { Write } from "../kind/write.ts";

/**
 * Allocates what an object requests. If the write is not stored, the new allocations are released; if it is stored, those that the object
 * no longer has are released. Rejects with 422 where a request cannot be met. Changes `object`.
 */
export function allocate(
  write: Write,
  attempt: Judging,
  object: ApiObject,
  old: ApiObject | undefined,
): Promise<void> | undefined {
  const { allocations } = write.kind.definition;
  if (!allocations || write.target.subresource) return undefined;
  const allocator = new WriteAllocator(write, allocations, object, old);
  attempt.reserve(allocator);
  return whileHeld(attempt.hold, allocator.fill());
}

/** Releases all allocations of an object, once its delete is stored. */
export function freeAll(kind: Kind, attempt: Judging, object: ApiObject): void {
  const { allocations } = kind.definition;
  if (!allocations) return;
  attempt.reserve({ keep: () => releaseAll(kind.shared.pools, allocations, allocations.of(object), ownerOf(object)) });
}

/** Makes the allocations of writes. */
class WriteAllocator implements Allocator, Reservation {
  readonly #write: Write;
  readonly #allocations: Allocations;
  readonly #object: ApiObject;
  readonly #old: ApiObject | undefined;
  readonly #owner: Owner;
  readonly #allocated: Allocation[] = [];
  /** Whether the write is a dry run. */
  readonly #shown = new Map<Pool, Placeholders>();

  constructor(write: Write, allocations: Allocations, object: ApiObject, old: ApiObject | undefined) {
    this.#write = write;
    this.#allocations = allocations;
    this.#object = object;
    this.#old = old;
    this.#owner = ownerOf(object);
  }

  async fill(): Promise<void> {
    const { kind, ctx, target } = this.#write;
    const errors = new FieldErrors();
    await this.#allocations.allocate(this.#object, this.#old, this, errors, ctx);
    const { group, kind: name } = kind.definition;
    if (errors.any) {
      throw invalid({ group, kind: name }, target.name || (this.#object.metadata.name ?? ""), errors.causes);
    }
  }

  async allocate(pool: Pool, name: string): Promise<string | undefined> {
    if (this.#write.options.dryRun) {
      const refused = pool.refuses(name);
      if (refused === undefined) this.#placeholders(pool).asked(name);
      return refused;
    }
    const refused = await this.#pools.allocate(pool, name, this.#owner);
    if (refused === undefined) this.#allocated.push({ pool: pool.id, name });
    return refused;
  }

  async allocateAny(pool: Pool): Promise<string | undefined> {
    if (this.#write.options.dryRun) return this.#placeholders(pool).next();
    const name = await this.#pools.allocateAny(pool, this.#owner);
    if (name !== undefined) this.#allocated.push({ pool: pool.id, name });
    return name;
  }

  #placeholders(pool: Pool): Placeholders {
    let placeholders = this.#shown.get(pool);
    if (!placeholders) this.#shown.set(pool, (placeholders = pool.placeholders()));
    return placeholders;
  }

  /** Releases what the object had before and does not have any more. */
  keep(): Promise<void> {
    const has = new Set(this.#allocations.of(this.#object).map(keyOfAllocation));
    const had = [...(this.#old ? this.#allocations.of(this.#old) : []), ...this.#allocated];
    return this.#releaseAll(had.filter((allocation) => !has.has(keyOfAllocation(allocation))));
  }

  /** Releases what was allocated. */
  release(): Promise<void> {
    return this.#releaseAll(this.#allocated.splice(0));
  }

  get #pools(): Pools {
    return this.#write.kind.shared.pools;
  }

  #releaseAll(allocations: readonly Allocation[]): Promise<void> {
    return releaseAll(this.#pools, this.#allocations, allocations, this.#owner);
  }
}

const ownerOf = ({ metadata }: ApiObject): Owner => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

/** The key of an allocation among those of all pools. */
export const keyOfAllocation = ({ pool, name }: Allocation): string => `${pool}/${name}`;

/** Releases allocations. A release that fails is no error: the repair does it later. */
async function releaseAll(
  pools: Pools,
  { pools: all }: Allocations,
  allocations: readonly Allocation[],
  owner: Owner,
): Promise<void> {
  for (const { pool: id, name } of allocations) {
    const pool = all.find((one) => one.id === id);
    if (pool) await pools.release(pool, name, owner).catch(() => undefined);
  }
}
