/**
 * Several lists that a view follows together, such as claims, volumes and nodes.
 *
 * @module
 */
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Kind } from "../api/discovery.ts";
import { ApiFailure, request } from "../api/http.ts";
import { collectionPath, itemsOf, type KubeList, type KubeObject } from "../api/kube.ts";
import { browserTimers, type Timers } from "../api/timers.ts";
import { follow, type Followed, type Follower } from "../api/watch.ts";

/** What is known of the lists, by their names. */
export interface FollowedMany {
  readonly lists: Readonly<Record<string, Followed<KubeObject>>>;
  /** Whether a list has not been read yet. */
  readonly isLoading: boolean;
}

/** Which lists are followed. */
export interface ManyOptions {
  /** The kinds by the names of their lists, those that change most first; one that is not served is empty. */
  readonly kinds: Readonly<Record<string, Kind | undefined>>;
  /** Objects of this namespace only; all of them if absent. Kinds without namespaces are read whole. */
  readonly namespace?: string | undefined;
  readonly at?: string | undefined;
  /** The most objects of each list. */
  readonly most: number;
}

/** Changes that come within this time are shown together, so that a thousand a second cost four drawings. */
const SHOW_MS = 250;
/** Of so many objects a drawing takes a tenth of a second, so that there is one a second. */
const MANY = 5000;
const SHOW_MANY_MS = 1000;

const NOTHING: Followed<KubeObject> = { objects: [], state: "live", truncated: false, resourceVersion: "" };

/**
 * Follows lists until they are closed.
 *
 * Over HTTP/1.1 a browser has six connections to a server, and a watch keeps one: there only the first lists are watched, and the others
 * are read again and again.
 */
export function followMany(
  { kinds, namespace, at, most }: ManyOptions,
  timers: Timers = browserTimers,
  watches = hasManyStreams() ? Infinity : MAX_WATCHES,
): { readonly value: ReadonlySignal<FollowedMany>; close(): void } {
  const followers = Object.entries(kinds).map(
    ([name, kind], i): readonly [string, Follower<KubeObject> | undefined] => {
      if (!kind) return [name, undefined];
      const path = collectionPath(kind, kind.namespaced ? namespace : undefined);
      if (at === undefined && i >= watches) return [name, readAgain(path, most, timers)];
      return [name, follow(path, { most, keep: slim, ...(at === undefined ? {} : { at }) })];
    },
  );
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
        const lasts = error instanceof ApiFailure && [401, 403, 404].includes(error.code);
        const { objects } = value.peek();
        value.value = {
          ...value.peek(),
          ...failed,
          state: lasts ? "failed" : objects.length > 0 ? "stale" : "loading",
        };
      });
      if (!aborter.signal.aborted) stop = timers.after(READ_AGAIN_MS, next);
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

/** Follows lists for as long as the component is shown; other options begin new ones. */
export function useFollowMany(options: ManyOptions): ReadonlySignal<FollowedMany> {
  const kinds = Object.entries(options.kinds).map(([name, kind]) => [name, kind?.group, kind?.version]);
  const key = JSON.stringify([kinds, options.namespace, options.at, options.most]);
  const followed = useMemo(() => followMany(options), [key]);
  useEffect(() => () => followed.close(), [followed]);
  return followed.value;
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
