import { type ApiObject, type ResourceClient, isStatus, keyOf, nameOfKind } from "../client/index.ts";
import { type Activity, ActivityCount, runCounted } from "../util/activity.ts";
import { backoff } from "../util/backoff.ts";
import { type Clock, type Random, sleep } from "../util/clock.ts";
import type { InformerState, Keep, Selection } from "./informer.ts";
import { Memory } from "./memory.ts";
import type { ObjectEvent } from "./object-event.ts";
import type { ServedKinds } from "./served-kinds.ts";
import { isAtLeast } from "./version.ts";

/** A listener; `isInitial` marks objects of the first list. */
export type Listener = (event: ObjectEvent<ApiObject>, isInitial: boolean) => void;

/** The options of a reflector. */
export interface ReflectorOptions {
  readonly selection: Selection;
  readonly keep?: Keep<ApiObject> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Counts pending lists. */
  readonly activity?: Pick<Activity, "begin"> | undefined;
  readonly freeze: boolean;
  /** Whether a watch without events and bookmarks is ended. */
  readonly detectsSilence: boolean;
  /** Returns whether the kind is served, and waits for it. */
  readonly kinds: Pick<ServedKinds, "serves" | "comes">;
  /** Called for errors of lists, watches and listeners. */
  readonly failed: (error: unknown) => void;
}

const PAGE_SIZE = 500;
const RETRY_BACKOFF = { first: 100, most: 30_000 };
/** A watch that was open this long is resumed at once. */
const HEALTHY_MS = 1000;
/** Somewhat more than two bookmark periods; also the timeout of a page. */
const SILENCE_MS = 130_000;

/** Detects silence: `signal` is aborted without activity. */
interface Silence {
  readonly signal: AbortSignal;
  readonly onActivity: () => void;
  readonly end: () => void;
}

/**
 * A reflector keeps a copy of a collection and notifies listeners of changes.
 *
 *     absent ──► syncing ──► synced ◄──► behind
 *        └──────────┘ the kind has come
 *
 * It lists in pages, then watches from the version of the list. A watch that ends is resumed; one whose version has
 * expired (410) is replaced by a new list. The first retry after a healthy watch is immediate, later ones have a
 * backoff. Where the server does not know the kind and discovery does not list it, its objects count as deleted, and
 * the reflector waits for the kind. A new list is compared with the copy: listeners get only differences, and deletions
 * with the last state. A listener that throws gets later events, and so do the others.
 */
export class Reflector {
  readonly memory: Memory;
  readonly #resource: ResourceClient;
  readonly #options: ReflectorOptions;
  readonly #listeners = new Set<Listener>();
  readonly #progress = new Set<() => void>();
  readonly #stop = new AbortController();
  #state: InformerState = "syncing";
  #position = "";
  #hasSynced = false;
  /** The version to watch from; empty before a list. */
  #from = "";
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(resource: ResourceClient, options: ReflectorOptions) {
    this.memory = new Memory((error) => options.failed(error));
    this.#resource = resource;
    this.#options = options;
  }

  get state(): InformerState {
    return this.#state;
  }

  /** Whether the first list is complete. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get kind(): ResourceClient["kind"] {
    return this.#resource.kind;
  }

  get selection(): Selection {
    return this.#options.selection;
  }

  /** Whether it was stopped. */
  get hasEnded(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Whether memory has reached a version. */
  hasPassed(version: string): boolean {
    return this.#position !== "" && isAtLeast(this.#position, version);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops; resolves when no listener will be called. */
  async stop(): Promise<void> {
    this.#listeners.clear();
    this.#stop.abort();
    for (const listener of this.#progress) listener();
    this.#progress.clear();
    await this.#running;
  }

  /** Calls a listener for existing objects as added, then for each change. */
  listen(listener: Listener): Disposable {
    this.#listeners.add(listener);
    // Includes objects of an incomplete first list.
    for (const object of this.memory.values()) this.#call(listener, { type: "added", object }, true);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Calls `listener` when the state or the version has changed. */
  onProgress(listener: () => void): Disposable {
    this.#progress.add(listener);
    return { [Symbol.dispose]: () => void this.#progress.delete(listener) };
  }

  async #run(): Promise<void> {
    const { clock, random, kinds } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#round();
      } catch (error) {
        if (signal.aborted) return;
        this.#onError(error);
      }
      if (this.#state === "absent") {
        await kinds.comes(this.kind, signal);
        this.#failures = 0;
        continue;
      }
      const failures = this.#failures++;
      if (failures > 0) await sleep(clock, backoff(failures - 1, RETRY_BACKOFF, random), signal);
    }
  }

  /** A list, where one is needed, then a watch to its end. */
  async #round(): Promise<void> {
    const { activity, clock } = this.#options;
    const count = activity && new ActivityCount(() => activity.begin(`informer of ${nameOfKind(this.kind)}`));
    const silence = this.#silence();
    let opened = Infinity;
    try {
      await runCounted(count, async () => {
        try {
          if (this.#from === "") await this.#list(silence);
          if (silence.signal.aborted) return;
          const asked = (): void => count?.end();
          await this.#follow(silence, asked, () => (opened = clock.steady()));
        } catch (error) {
          if (!isStatus(error, "NotFound")) throw error;
          await this.#checkServed(error);
        }
      });
    } finally {
      count?.end();
      silence.end();
      if (clock.steady() - opened >= HEALTHY_MS) this.#failures = 0;
      if (this.#state === "synced") this.#enter("behind");
    }
  }

  /** Handles 404: the objects count as deleted, unless discovery lists the kind. */
  async #checkServed(error: unknown): Promise<void> {
    this.#from = "";
    if (await this.#options.kinds.serves(this.kind)) throw error;
    if (this.#stop.signal.aborted) return;
    this.#enter("absent");
    for (const object of this.memory.values()) this.#remove(object);
  }

  #onError(error: unknown): void {
    // The version has expired, or the server was reset to an older state.
    if (isStatus(error, "Expired", "Gone") || isAhead(error)) this.#from = "";
    else if (!(error instanceof Error && error.name === "AbortError")) this.#options.failed(error);
  }

  async #list({ signal, onActivity }: Silence): Promise<void> {
    const seen = new Map<string, ApiObject>();
    let page: { readonly continue?: string; readonly resourceVersion: string } = { resourceVersion: "" };
    do {
      const query = page.continue ? { continue: page.continue } : {};
      const { items, metadata } = await this.#resource.list({
        ...this.#options.selection,
        ...query,
        limit: PAGE_SIZE,
        signal,
      });
      onActivity();
      for (const item of items) seen.set(`${item.metadata.namespace ?? ""}/${item.metadata.name}`, this.#kept(item));
      page = metadata;
    } while (page.continue);
    if (signal.aborted || !(await this.#takeAll(seen, signal))) return;
    // A watch from the version of an incomplete list would miss objects.
    this.#from = page.resourceVersion;
    this.#hasSynced = true;
    this.#moveTo(page.resourceVersion);
    this.#enter("synced");
  }

  /** Replaces memory by a list and notifies listeners; it yields in between. False where it was aborted. */
  async #takeAll(seen: ReadonlyMap<string, ApiObject>, signal: AbortSignal): Promise<boolean> {
    const limit = this.#options.clock.loop.slice();
    const isInitial = !this.#hasSynced;
    for (const old of this.memory.values()) {
      if (!seen.has(`${old.metadata.namespace ?? ""}/${old.metadata.name}`)) this.#remove(old);
      if (limit.isOver) await limit.pause();
      if (signal.aborted) return false;
    }
    for (const object of seen.values()) {
      this.#put(object, isInitial);
      if (limit.isOver) await limit.pause();
      if (signal.aborted) return false;
    }
    return true;
  }

  /** @param asked called after the request. @param opened called when the response has begun */
  async #follow({ signal, onActivity }: Silence, asked: () => void, opened: () => void): Promise<void> {
    const query = {
      ...this.#options.selection,
      resourceVersion: this.#from,
      signal,
      opened: () => {
        onActivity();
        opened();
        this.#enter("synced");
      },
    };
    const events = this.#resource.watch(query);
    try {
      let next = events.next();
      asked();
      for (let event = await next; !event.done && !signal.aborted; event = await next) {
        onActivity();
        this.#take(event.value.type, event.value.object);
        next = events.next();
      }
    } finally {
      await events.return(undefined);
    }
  }

  #take(type: string, object: ApiObject): void {
    // An event ends the failures; a bookmark does not, as a server that stops sends one.
    if (type !== "BOOKMARK") this.#failures = 0;
    if (type === "DELETED") this.#remove(this.#kept(object));
    else if (type !== "BOOKMARK") this.#put(this.#kept(object), false);
    const { resourceVersion } = object.metadata;
    this.#from = resourceVersion;
    this.#moveTo(resourceVersion);
  }

  #kept(object: ApiObject): ApiObject {
    return this.#options.keep?.(object) ?? object;
  }

  #put(object: ApiObject, isInitial: boolean): void {
    const old = this.memory.get(keyOf(object));
    if (old?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    if (this.#options.freeze) freezeAll(object);
    this.memory.put(object);
    // Deleted and created again between two lists.
    if (old && old.metadata.uid !== object.metadata.uid) this.#notify({ type: "deleted", object: old }, false);
    if (old && old.metadata.uid === object.metadata.uid) this.#notify({ type: "changed", object, old }, false);
    else this.#notify({ type: "added", object }, isInitial);
  }

  #remove(last: ApiObject): void {
    const known = this.memory.get(keyOf(last));
    if (!known) return;
    this.memory.delete(known);
    if (this.#options.freeze) freezeAll(last);
    this.#notify({ type: "deleted", object: last }, false);
  }

  #notify(event: ObjectEvent<ApiObject>, isInitial: boolean): void {
    // A listener that is added meanwhile gets the objects in memory.
    const listeners = [...this.#listeners];
    for (const listener of listeners) {
      if (this.#listeners.has(listener)) this.#call(listener, event, isInitial);
    }
  }

  #call(listener: Listener, event: ObjectEvent<ApiObject>, isInitial: boolean): void {
    try {
      listener(event, isInitial);
    } catch (error) {
      this.#options.failed(error);
    }
  }

  #moveTo(position: string): void {
    this.#position = position;
    for (const listener of this.#progress) listener();
  }

  #enter(state: InformerState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#progress) listener();
  }

  /** Returns a signal that ends a silent list or watch. */
  #silence(): Silence {
    const { clock, detectsSilence } = this.#options;
    const { signal } = this.#stop;
    if (!detectsSilence) return { signal, onActivity: nothing, end: nothing };
    const dead = new AbortController();
    const give = (): void => {
      this.#options.failed(new Error(`nothing came on a watch of ${nameOfKind(this.kind)}, not even bookmarks`));
      dead.abort();
    };
    const stop = (): void => dead.abort();
    signal.addEventListener("abort", stop);
    let timer = clock.after(SILENCE_MS, give);
    return {
      signal: dead.signal,
      onActivity: () => {
        timer.cancel();
        timer = clock.after(SILENCE_MS, give);
      },
      end: () => {
        timer.cancel();
        signal.removeEventListener("abort", stop);
      },
    };
  }
}

const nothing = (): void => {};

/** Whether the server has not reached the requested version. */
const isAhead = (error: unknown): boolean =>
  isStatus(error, "Timeout") &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "ResourceVersionTooLarge");

/** Freezes a JSON value deeply. */
function freezeAll(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freezeAll(member);
}
