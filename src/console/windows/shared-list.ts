/**
 * One list that any number of windows show: its source is begun once, begun anew where it has ended, and replaced where the kind is
 * served in another way.
 *
 * @module
 */
import type { WindowList } from "../../meta/console-protocol.ts";
import { ApiError, badRequest, internalError, methodNotAllowed } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { Registry, Resource } from "../../registry/index.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import type { Semaphore } from "../../util/semaphore.ts";
import { type IndexedList, IndexSource, PastIndexSource, folded } from "./index-source.ts";
import type { MemoryHolder } from "./memory.ts";
import { PastSource } from "./past-source.ts";
import { PlainSource } from "./plain-source.ts";
import type { SharedSlices } from "./shared-slices.ts";
import type { ListProgress, ListSource, ListState, SourceEvents } from "./source.ts";
import type { WindowTable } from "./table.ts";

/** Who shows a list. */
export interface Follower {
  readonly user: string;
  /** Something of the list has changed. */
  listChanged(): void;
}

/** What lists need of their server. */
export interface ListParts {
  readonly registry: Pick<Registry, "find">;
  readonly clock: Clock;
  readonly tableOf: (resource: Resource) => WindowTable;
  /** Throws where a list takes too much memory. */
  readonly checkMemory: (list: SharedList) => void;
  /** The bytes of objects that a list may read from the history of the store. */
  readonly maxPastBytes: number;
  /** In which turn past states are read: each may take as much memory before it is known how much that is. */
  readonly pastReads: Semaphore;
  readonly slices: SharedSlices;
}

const RETRY_MS = 200;
/** The bytes of a list without its rows: its key and its filters, its watch, who follows it. */
const LIST_BYTES = 4096;
const UPKEEP = { owner: "lists of the console", upkeep: true };
const NOTHING_YET: ListProgress = { done: 0, of: 0 };

/** See the head of this file. */
export class SharedList implements MemoryHolder {
  readonly key: string;
  readonly list: WindowList;
  readonly followers = new Set<Follower>();
  readonly #parts: ListParts;
  #source: ListSource | undefined;
  #failure: ApiError | undefined;
  #retry: Timer | undefined;
  #resource: Resource | undefined;
  /** The run of the source that is shown; only its identity counts. */
  #run: object | undefined;
  #isClosed = false;
  /** Called when it is built. */
  readonly #waiting = new Set<() => void>();

  constructor(parts: ListParts, key: string, list: WindowList) {
    this.#parts = parts;
    this.key = key;
    this.list = list;
    this.begin();
  }

  get bytes(): number {
    return LIST_BYTES + 4 * this.key.length + (this.#source?.bytes ?? 0);
  }

  get users(): Set<string> {
    return new Set([...this.followers].map(({ user }) => user));
  }

  /** The resource that it shows; undefined where that is not served. */
  get resource(): Resource | undefined {
    return this.#resource;
  }

  get table(): WindowTable | undefined {
    return this.#source?.table;
  }

  get progress(): ListProgress {
    return this.#source?.progress ?? NOTHING_YET;
  }

  get isBuilt(): boolean {
    return this.#source?.isBuilt ?? false;
  }

  /** Why it cannot be shown. */
  get failure(): ApiError | undefined {
    return this.#failure;
  }

  /** The rows now; undefined where they are not there yet. Throws `ApiError`. */
  state(): ListState | undefined {
    if (this.#failure) throw this.#failure;
    return this.#source?.state();
  }

  /** Resolves when it is built, cannot be shown, or the signal is aborted. */
  untilBuilt(signal: AbortSignal): Promise<void> {
    if (this.isBuilt || this.#failure || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      signal.addEventListener("abort", () => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  /** Begins it, also again where the kind may be served in another way. */
  begin(): void {
    this.#stop();
    if (this.#isClosed) return;
    const { group, version, resource: plural } = this.list;
    this.#resource = this.#parts.registry.find(group, version, plural);
    try {
      if (!this.#resource) throw notServed(this.list);
      this.#source = this.#open(this.#resource);
    } catch (error) {
      this.#fail(error);
    }
    this.#notify();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    this.#source?.close();
    this.#source = undefined;
    this.#run = undefined;
    this.#failure = undefined;
  }

  #open(resource: Resource): ListSource {
    const { clock, maxPastBytes, pastReads, slices } = this.#parts;
    const table = this.#parts.tableOf(resource);
    const { namespace = "", labelSelector = "", fieldSelector = "", at } = this.list;
    checkKind(resource, this.list);
    const indexed = indexedListOf(this.list, table);
    const isReversed = indexed === "reversed";
    resource.selector(namespace, labelSelector, fieldSelector);
    const events = this.#eventsOf();
    if (at !== undefined) {
      const over = typeof indexed === "string" ? undefined : indexed;
      const options = { namespace, isReversed, revision: Number(at), maxBytes: maxPastBytes, reads: pastReads };
      return new PastSource(table, options, events, clock, (range, inner) =>
        over === undefined ? undefined : new PastIndexSource(table, over, range, inner, clock),
      );
    }
    if (typeof indexed === "string") return new PlainSource(table, { namespace, isReversed }, events, clock);
    return new IndexSource(table, indexed, events, clock, slices);
  }

  /** What a source tells counts for as long as it is the one that is shown. */
  #eventsOf(): SourceEvents {
    const run = (this.#run = {});
    const mine = (): boolean => this.#run === run;
    return {
      changed: () => {
        if (mine()) this.#notify();
      },
      ended: (error) => {
        if (!mine()) return;
        this.#stop();
        if (error === undefined) this.#retry = this.#parts.clock.after(RETRY_MS, () => this.begin(), UPKEEP);
        else this.#fail(error);
        this.#notify();
      },
      grown: () => this.#parts.checkMemory(this),
    };
  }

  #fail(error: unknown): void {
    this.#failure = error instanceof ApiError ? error : internalError(error);
  }

  #notify(): void {
    if (this.isBuilt || this.#failure) {
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    }
    for (const follower of this.followers) follower.listChanged();
  }
}

/** The order of a list: `plain` and `reversed` are those of the cache, everything else needs an index. */
function indexedListOf(list: WindowList, table: WindowTable): IndexedList | "plain" | "reversed" {
  const { namespace = "", labelSelector = "", fieldSelector = "", name = "", text = "", sort } = list;
  const column = sort && columnOf(sort.column, table);
  const isFiltered = [labelSelector, fieldSelector, name, text].some((filter) => filter !== "");
  const isDescending = sort?.descending === true;
  const isOneNamespace = namespace !== "" || table.resource.definition.scope === "Cluster";
  if (!isFiltered) {
    if (column === undefined || (column === "namespace" && (isOneNamespace || !isDescending))) return "plain";
    if (column === "name" && isOneNamespace) return isDescending ? "reversed" : "plain";
  }
  return {
    namespace,
    labelSelector,
    fieldSelector,
    name: folded(name),
    text: folded(text),
    ...(column === undefined || (column === "namespace" && !isDescending) ? {} : { by: { column, isDescending } }),
  };
}

/** The name of the column of namespaces, which no table has. */
const NAMESPACE = "Namespace";

function columnOf(column: string, table: WindowTable): number | "name" | "namespace" {
  const index = table.indexOf(column);
  if (index >= 0) return table.isName(index) ? "name" : index;
  if (column === NAMESPACE) return "namespace";
  const names = table.columns.map(({ name }) => name).join(", ");
  throw badRequest(
    `expected the column of sort to be one of ${names}, ${NAMESPACE}; got ${JSON.stringify(column.slice(0, 200))}`,
  );
}

/** Refuses kinds that have no lists, and namespaces for kinds that have none. */
function checkKind({ definition }: Resource, { namespace }: WindowList): void {
  const { verbs, scope, plural, group, kind } = definition;
  if (verbs && !(verbs.includes("list") && verbs.includes("watch"))) {
    throw methodNotAllowed({ group, plural, kind }, "watch");
  }
  if (scope === "Cluster" && namespace !== undefined) {
    throw badRequest(`expected no namespace for ${plural}, which are objects of the cluster`);
  }
}

/** 404 for the list of a kind that is not served. */
export const notServed = ({ group, version, resource }: WindowList): ApiError =>
  new ApiError("NotFound", `expected a kind that is served, got ${resource} of ${apiVersionOf(group, version)}`, {
    details: { group, kind: resource },
  });
