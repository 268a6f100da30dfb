/**
 * Several lists that a view follows together, such as claims, volumes and nodes.
 *
 * @module
 */
import { effect, signal, useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Kind } from "../api/discovery.ts";
import { ApiFailure, request, sessionsOpened } from "../api/http.ts";
import { collectionPath, itemsOf, type KubeList, type KubeObject } from "../api/kube.ts";
import { readableNamespaces, type Readable } from "../api/readable.ts";
import { browserTimers, type Timers } from "../api/timers.ts";
import { follow, type Followed, type Follower, lasts } from "../api/watch.ts";

/** The namespaces of a list that the user may not read in all of them. */
export interface Within {
  readonly namespaces: readonly string[];
  /** How many others the user may read, or may be able to read. */
  readonly more: number;
}

/** A list that is followed. */
export interface FollowedList extends Followed<KubeObject> {
  /** Absent for a list of all namespaces, or of the one that was chosen. */
  readonly within?: Within;
}

/** What is known of the lists, by their names. */
export interface FollowedMany {
  readonly lists: Readonly<Record<string, FollowedList>>;
  /** Whether a list has not been read yet. */
  readonly isLoading: boolean;
}

/** Which lists are followed. */
export interface ManyOptions {
  /** The kinds by the names of their lists, those that change most first; one that is not served is empty. */
  readonly kinds: Readonly<Record<string, Kind | undefined>>;
  /**
   * Objects of this namespace only. If absent, those of all namespaces, or of those that the user may read. Kinds without namespaces are
   * read whole.
   */
  readonly namespace?: string | undefined;
  /** Lists of these names are not limited to the namespace. */
  readonly everywhere?: readonly string[];
  readonly at?: string | undefined;
  /** The most objects of each list. */
  readonly most: number;
}

/** Changes that come within this time are shown together, so that a thousand a second cost four drawings. */
const SHOW_MS = 250;
/** Of so many objects a drawing takes a tenth of a second, so that there is one a second. */
const MANY = 5000;
const SHOW_MANY_MS = 1000;

const NOTHING: FollowedList = { objects: [], state: "live", truncated: false, resourceVersion: "" };

/** The most lists of single namespaces, of all kinds together. */
const MOST_PARTS = 48;

/** What the followers need of their surroundings. */
export interface ManyParts {
  readonly timers: Timers;
  /** The most watches at once; lists beyond are read again and again. */
  readonly watches: number;
  readonly readable: (kind: Kind) => Promise<Readable>;
}

/**
 * Follows lists until they are closed. A list that is refused for all namespaces is read in those in which the user may read it.
 *
 * Over HTTP/1.1 a browser has six connections to a server, and a watch keeps one: there only the first lists are watched, and the others
 * are read again and again.
 */
export function followMany(
  { kinds, namespace, everywhere = [], at, most }: ManyOptions,
  {
    timers = browserTimers,
    watches = hasManyStreams() ? Infinity : MAX_WATCHES,
    readable = readableNamespaces,
  }: Partial<ManyParts> = {},
): { readonly value: ReadonlySignal<FollowedMany>; close(): void } {
  const served = Object.entries(kinds);
  const mostNamespaces = Math.floor(MOST_PARTS / Math.max(1, served.filter(([, kind]) => kind?.namespaced).length));
  let watched = 0;
  const open = (path: string, limit: number): Follower<KubeObject> => {
    if (at !== undefined) return follow(path, { most: limit, keep: slim, at }, timers);
    return watched++ < watches ? follow(path, { most: limit, keep: slim }, timers) : readAgain(path, limit, timers);
  };
  const followers = served.map(([name, kind]): readonly [string, ListFollower | undefined] => {
    if (!kind) return [name, undefined];
    if (!kind.namespaced) return [name, open(collectionPath(kind), most)];
    if (namespace && !everywhere.includes(name)) return [name, open(collectionPath(kind, namespace), most)];
    return [name, followReadable(kind, { open, most, mostNamespaces, readable })];
  });
  const read = (): FollowedMany => {
    const lists = Object.fromEntries(followers.map(([name, one]) => [name, one?.value.value ?? NOTHING]));
    return { lists, isLoading: Object.values(lists).some(({ state }) => state === "loading") };
  };
  const value = signal<FollowedMany>({ lists: {}, isLoading: true });
  let stop: (() => void) | undefined;
  const dispose = effect(() => {
    const next = read();
    // The first lists are shown at once.
    if (value.peek().isLoading && !next.isLoading) {
      value.value = next;
      return;
    }
    const count = Object.values(next.lists).reduce((sum, { objects }) => sum + objects.length, 0);
    stop ??= timers.after(count > MANY ? SHOW_MANY_MS : SHOW_MS, () => {
      stop = undefined;
      value.value = read();
    });
  });
  return {
    value,
    close() {
      dispose();
      stop?.();
      for (const [, one] of followers) one?.close();
    },
  };
}

interface ListFollower {
  readonly value: ReadonlySignal<FollowedList>;
  close(): void;
}

/** Follows a list of all namespaces; if that is refused, lists of the namespaces that the user may read, as one. */
function followReadable(
  kind: Kind,
  {
    open,
    most,
    mostNamespaces,
    readable,
  }: {
    readonly open: (path: string, most: number) => Follower<KubeObject>;
    readonly most: number;
    readonly mostNamespaces: number;
    readonly readable: (kind: Kind) => Promise<Readable>;
  },
): ListFollower {
  const whole = open(collectionPath(kind), most);
  const value = signal<FollowedList>(whole.value.peek());
  const ends = new Set<() => void>([() => whole.close()]);
  let isClosed = false;
  let isRefused = false;
  const begin = async (refused: FollowedList): Promise<void> => {
    isRefused = true;
    whole.close();
    const found = await readable(kind).catch(() => undefined);
    if (isClosed) return;
    if (!found || found.namespaces.length === 0) {
      value.value = refused;
      return;
    }
    const shown = found.namespaces.slice(0, mostNamespaces);
    const more = found.namespaces.length - shown.length + found.unknown;
    const parts = shown.map((namespace) => {
      const part = open(collectionPath(kind, namespace), Math.ceil(most / shown.length));
      ends.add(() => part.close());
      return { namespace, part };
    });
    ends.add(
      effect(() => {
        value.value = joined(
          parts.map(({ namespace, part }) => ({ namespace, list: part.value.value })),
          more,
        );
      }),
    );
  };
  const dispose = effect(() => {
    const list = whole.value.value;
    if (list.state !== "failed" || list.failure?.code !== 403) {
      value.value = list;
      return;
    }
    if (!isRefused) void begin(list);
  });
  ends.add(dispose);
  return {
    value,
    close() {
      isClosed = true;
      for (const end of ends) end();
    },
  };
}

/** Lists of single namespaces as one; those that are refused meanwhile are left out. */
export function joined(
  parts: readonly { readonly namespace: string; readonly list: Followed<KubeObject> }[],
  more: number,
): FollowedList {
  const lists = parts.map(({ list }) => list);
  const [first] = lists;
  const some = (state: FollowedList["state"]): boolean => lists.some((list) => list.state === state);
  if (first && lists.every(({ state }) => state === "failed")) return { ...first, objects: [] };
  const failure = lists.find((list) => list.failure && list.state === "stale")?.failure;
  return {
    objects: lists.flatMap(({ objects, state }) => (state === "failed" ? [] : objects)),
    state: some("loading") ? "loading" : some("stale") ? "stale" : "live",
    truncated: lists.some(({ truncated }) => truncated),
    resourceVersion: "",
    ...(failure ? { failure } : {}),
    within: { namespaces: parts.flatMap(({ namespace, list }) => (list.state === "failed" ? [] : [namespace])), more },
  };
}

/** As many watches leave connections for other requests. */
const MAX_WATCHES = 3;
const READ_AGAIN_MS = 3000;
const PAGE = 500;

/** Whether the page came over a protocol that has many streams in a connection. */
function hasManyStreams(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entry?.nextHopProtocol !== "http/1.1";
}

/** A list that is read again every {@link READ_AGAIN_MS}. */
function readAgain(path: string, most: number, timers: Timers): Follower<KubeObject> {
  const value = signal<Followed<KubeObject>>({ ...NOTHING, state: "loading" });
  const aborter = new AbortController();
  let stop: (() => void) | undefined;
  const read = async (): Promise<void> => {
    const objects: KubeObject[] = [];
    let more: string | undefined;
    let resourceVersion: string;
    do {
      const query = { limit: PAGE, continue: more };
      const page: KubeList = await request(path, { query, signal: aborter.signal });
      objects.push(...itemsOf(page).map(slim));
      more = page.metadata.continue;
      ({ resourceVersion } = page.metadata);
    } while (more && objects.length < most);
    const { resourceVersion: last, state } = value.peek();
    if (resourceVersion === last && state === "live") return;
    value.value = { objects, state: "live", truncated: more !== undefined && more !== "", resourceVersion };
  };
  const next = (): void => {
    const run = async (): Promise<void> => {
      await read().catch((error: unknown) => {
        if (aborter.signal.aborted) return;
        const failed = error instanceof ApiFailure ? { failure: error } : {};
        const { objects } = value.peek();
        value.value = {
          ...value.peek(),
          ...failed,
          state: error instanceof ApiFailure && lasts(error) ? "failed" : objects.length > 0 ? "stale" : "loading",
        };
      });
      if (!aborter.signal.aborted && value.peek().state !== "failed") stop = timers.after(READ_AGAIN_MS, next);
    };
    void run();
  };
  next();
  return {
    value,
    close() {
      aborter.abort();
      stop?.();
    },
  };
}

/**
 * Follows lists for as long as the component is shown; other options begin new ones, and so does another session.
 *
 * Lists of all namespaces are filtered by the view. The namespace limits what is read only where not all can be read: because the user may
 * not, or because there is too much.
 */
export function useFollowMany({ namespace, ...options }: ManyOptions): FollowedMany {
  const isPartial = useSignal(false);
  // No chosen namespace is an empty text in routes: it must not begin other lists once what is read is known to be partial.
  const limit = isPartial.value && namespace ? namespace : undefined;
  const kinds = Object.entries(options.kinds).map(([name, kind]) => [name, kind?.group, kind?.version]);
  const key = JSON.stringify([kinds, limit, options.at, options.most, sessionsOpened.value]);
  const followed = useMemo(() => followMany({ ...options, namespace: limit }), [key]);
  useEffect(() => () => followed.close(), [followed]);
  const found = followed.value.value;
  const isCut = Object.values(found.lists).some(({ within, truncated }) => within !== undefined || truncated);
  useEffect(() => {
    if (isCut) isPartial.value = true;
  }, [isCut]);
  return found;
}

/** The annotation in which kubectl keeps the whole object once more. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** An object without what views of many objects never show: who owns which field, and its copy in an annotation. */
export function slim(object: KubeObject): KubeObject {
  const {
    managedFields: _,
    annotations,
    ...metadata
  } = object.metadata as KubeObject["metadata"] & {
    readonly managedFields?: unknown;
  };
  if (!annotations) return { ...object, metadata };
  const { [LAST_APPLIED]: __, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, annotations: kept } };
}
