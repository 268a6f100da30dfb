import type { WindowList } from "../../meta/console-protocol.ts";
import { tooManyRequests } from "../../meta/status.ts";
import type { Resource } from "../../registry/index.ts";
import type { ServerContext } from "../../server/index.ts";
import type { Timer } from "../../util/clock.ts";
import { Semaphore } from "../../util/semaphore.ts";
import { type ListLimits, checkMemory } from "./memory.ts";
import { type Follower, type ListParts, SharedList } from "./shared-list.ts";
import { SharedSlices } from "./shared-slices.ts";
import { WindowTable, newRows } from "./table.ts";

/** How long an unused list is kept: a page that is loaded again opens the same ones. */
const KEPT_MS = 10_000;
/** How many of them are kept; each costs something with every change. */
const MAX_UNUSED = 32;
/** Past states that are read at once. */
const MAX_PAST_READS = 2;
const UPKEEP = { owner: "lists of the console", upkeep: true };

/** All lists that the windows of a server show; those that are equal are one. Without a window it has nothing and does nothing. */
export class Lists {
  readonly #server: Pick<ServerContext, "registry" | "clock" | "log">;
  readonly #limits: ListLimits;
  readonly #lists = new Map<string, SharedList>();
  /** Unused lists, and when they are dropped. */
  readonly #unused = new Map<SharedList, Timer>();
  readonly #tables = new WeakMap<Resource, WindowTable>();
  #tableCount = 0;
  readonly #rows = newRows();
  readonly #pastReads = new Semaphore(MAX_PAST_READS);
  /** In which changes are evaluated, and messages made. */
  readonly slices: SharedSlices;
  #observing: Disposable | undefined;

  constructor(server: Pick<ServerContext, "registry" | "clock" | "log">, limits: ListLimits) {
    this.#server = server;
    this.#limits = limits;
    this.slices = new SharedSlices(server.clock.loop);
  }

  /** The number of lists; unused ones are kept for a while. */
  get size(): number {
    return this.#lists.size;
  }

  /** The bytes of all lists, and of the rows that are kept as JSON, about. */
  get bytes(): number {
    return this.#lists.values().reduce((sum, list) => sum + list.bytes, this.#rows.bytes);
  }

  /** Whether a list is there, or has to be begun. */
  has(list: WindowList): boolean {
    return this.#lists.has(keyOf(list));
  }

  /** Shows a list until it is left. Throws 429 where its user shows too many of those that cost something with each change. */
  follow(list: WindowList, follower: Follower): SharedList {
    const key = keyOf(list);
    let shared = this.#lists.get(key);
    if (!isPlain(list) && !(shared && isOf(shared, follower.user))) this.#checkCount(follower.user);
    if (!shared) {
      this.#observing ??= this.#server.registry.onChange(({ before, after }) => this.#kindsChanged(before, after));
      shared = new SharedList(this.#parts(), key, list);
      this.#lists.set(key, shared);
    }
    this.#unused.get(shared)?.cancel();
    this.#unused.delete(shared);
    shared.followers.add(follower);
    return shared;
  }

  /** Ends showing it. A list that is built stays for a while. */
  leave(shared: SharedList, follower: Follower): void {
    if (!shared.followers.delete(follower) || shared.followers.size > 0) return;
    if (!shared.isBuilt) return this.#release(shared);
    const [oldest] = this.#unused.keys();
    if (oldest && this.#unused.size >= MAX_UNUSED) this.#release(oldest);
    this.#unused.set(
      shared,
      this.#server.clock.after(KEPT_MS, () => this.#release(shared), UPKEEP),
    );
  }

  #release(shared: SharedList): void {
    this.#unused.get(shared)?.cancel();
    this.#unused.delete(shared);
    this.#lists.delete(shared.key);
    shared.close();
    if (this.#lists.size > 0) return;
    this.#observing?.[Symbol.dispose]();
    this.#observing = undefined;
  }

  #parts(): ListParts {
    return {
      registry: this.#server.registry,
      clock: this.#server.clock,
      tableOf: (resource) => this.#tableOf(resource),
      checkMemory: (list) => this.#check(list),
      maxPastBytes: this.#limits.userBytes,
      pastReads: this.#pastReads,
      slices: this.slices,
    };
  }

  #tableOf(resource: Resource): WindowTable {
    let table = this.#tables.get(resource);
    if (table) return table;
    table = new WindowTable(resource, this.#server.log, String(this.#tableCount++), this.#rows);
    this.#tables.set(resource, table);
    return table;
  }

  #checkCount(user: string): void {
    const { userLists } = this.#limits;
    let count = 0;
    for (const shared of this.#lists.values()) if (!isPlain(shared.list) && isOf(shared, user)) count++;
    if (count < userLists) return;
    const found = `expected at most ${userLists} sorted and filtered lists of one user at a time, found as many open`;
    throw tooManyRequests(`${found}: close other pages of the console`, "lists");
  }

  #check(list: SharedList): void {
    try {
      checkMemory(list, this.#lists.values(), this.#limits);
    } catch (error) {
      if (this.#unused.size === 0) throw error;
      for (const unused of this.#unused.keys()) this.#release(unused);
      checkMemory(list, this.#lists.values(), this.#limits);
    }
  }

  #kindsChanged(before: readonly Resource[], after: readonly Resource[]): void {
    const changed = new Set([...before, ...after].map(({ definition }) => definition.plural));
    for (const shared of this.#lists.values()) {
      const { group, version, resource } = shared.list;
      if (!changed.has(resource)) continue;
      if (this.#server.registry.find(group, version, resource) !== shared.resource) shared.begin();
    }
  }
}

/** Whether the rows of a list are read where they stand. */
export const isPlain = ({ labelSelector, fieldSelector, name, text, sort, at }: WindowList): boolean =>
  (labelSelector ?? fieldSelector ?? name ?? text ?? sort ?? at) === undefined;

const isOf = ({ followers }: SharedList, user: string): boolean => followers.values().some((one) => one.user === user);

/** Equal lists have equal keys. */
export const keyOf = ({ group, version, resource, sort, ...rest }: WindowList): string => {
  const { namespace, labelSelector, fieldSelector, name, text, at } = rest;
  const order = sort && [sort.column, sort.descending === true];
  return JSON.stringify([group, version, resource, namespace, labelSelector, fieldSelector, name, text, order, at]);
};
