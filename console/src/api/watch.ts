/**
 * Lists that are kept up to date by a watch: for a few hundred objects whose contents a view needs. Long lists are shown
 * through windows (`stream.ts`).
 *
 * @module
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { backoff } from "../../../src/util/backoff.ts";
import { ApiFailure, request, send } from "./http.ts";
import { itemsOf, type KubeList, type KubeObject } from "./kube.ts";
import { linesOf } from "./lines.ts";
import { browserTimers, RETRY, type Timers } from "./timers.ts";

/** Which objects are followed. */
export interface FollowOptions {
  /** Selectors, as the parameters of a list. */
  readonly query?: { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined };
  /** The state at this resourceVersion, which does not change any more; the current state if absent. */
  readonly at?: string;
  /** Only the metadata of the objects is read. */
  readonly metadataOnly?: boolean;
  /** The most objects that are kept, 2000 if absent; `truncated` says that there are more. */
  readonly most?: number;
  /** Returns what of an object is kept, for views that follow thousands of them; all of it if absent. */
  readonly keep?: (object: KubeObject) => KubeObject;
}

/** Objects that are followed. */
export interface Followed<T extends KubeObject> {
  /** In the order of the list; new ones at the end. */
  readonly objects: readonly T[];
  /** `loading` until the first list is there, `live`, `stale` while the connection is lost, `failed` with a failure that lasts. */
  readonly state: "loading" | "live" | "stale" | "failed";
  readonly truncated: boolean;
  readonly resourceVersion: string;
  readonly failure?: ApiFailure;
}

/** A list that is followed. */
export interface Follower<T extends KubeObject> {
  readonly value: ReadonlySignal<Followed<T>>;
  close(): void;
}

const METADATA = "g=meta.k8s.io;v=v1,application/json;q=0.5";
const PAGE = 500;
const DEFAULT_MOST = 2000;
/** Changes that come together are shown together. */
const SHOW_MS = 50;

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject & { readonly code?: number };
}

/** Failures that another attempt does not change: the caller has to ask for something else. */
export const lasts = ({ code }: ApiFailure): boolean => [400, 401, 403, 404, 405, 410].includes(code);

/** Lists the objects below a path, `/api/v1/pods`, and follows their changes until it is closed. */
export function follow<T extends KubeObject = KubeObject>(
  path: string,
  options: FollowOptions = {},
  timers: Timers = browserTimers,
): Follower<T> {
  const { query = {}, at, most = DEFAULT_MOST, metadataOnly = false, keep = (object) => object } = options;
  const accept = (as: string): { accept: string } | undefined =>
    metadataOnly ? { accept: `application/json;as=${as};${METADATA}` } : undefined;
  const value = signal<Followed<T>>({ objects: [], state: "loading", truncated: false, resourceVersion: "" });
  const aborter = new AbortController();
  const { signal: abort } = aborter;
  const objects = new Map<string, T>();
  const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name}`;
  let resourceVersion = "";
  let truncated = false;
  let stopShow: (() => void) | undefined;

  const show = (state: Followed<T>["state"], failure?: ApiFailure): void => {
    stopShow?.();
    stopShow = undefined;
    if (abort.aborted) return;
    value.value = {
      objects: [...objects.values()],
      state,
      truncated,
      resourceVersion,
      ...(failure ? { failure } : {}),
    };
  };

  const list = async (): Promise<void> => {
    const read = new Map<string, T>();
    let more: string | undefined;
    let revision: string;
    do {
      const page: KubeList<T> = await request(path, {
        query: {
          ...query,
          limit: PAGE,
          continue: more,
          ...(at !== undefined && more === undefined ? { resourceVersion: at, resourceVersionMatch: "Exact" } : {}),
        },
        signal: abort,
        ...accept("PartialObjectMetadataList"),
      });
      for (const object of itemsOf(page)) read.set(keyOf(object), keep(object) as T);
      more = page.metadata.continue;
      revision = page.metadata.resourceVersion;
    } while (more && read.size < most);
    truncated = Boolean(more);
    resourceVersion = revision;
    objects.clear();
    for (const [key, object] of read) objects.set(key, object);
    show("live");
  };

  /** Follows the changes until the stream ends; whether the list has to be read again. */
  const watch = async (): Promise<boolean> => {
    const response = await send(path, {
      query: { ...query, watch: 1, allowWatchBookmarks: true, resourceVersion, timeoutSeconds: 600 },
      signal: abort,
      ...accept("PartialObjectMetadata"),
    });
    if (value.peek().state !== "live") show("live");
    for await (const line of linesOf(response)) {
      const { type, object } = JSON.parse(line) as WatchEvent;
      if (type === "ERROR") return object.code === 410;
      resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
      if (type === "BOOKMARK") continue;
      const key = keyOf(object);
      if (type === "DELETED") objects.delete(key);
      else if (objects.has(key) || objects.size < most) objects.set(key, keep(object) as T);
      else truncated = true;
      stopShow ??= timers.after(SHOW_MS, () => show("live"));
    }
    return false;
  };

  const run = async (): Promise<void> => {
    let listed = false;
    let failures = 0;
    while (!abort.aborted) {
      try {
        if (!listed) await list();
        listed = true;
        if (at !== undefined) return;
        if (await watch()) listed = false;
        failures = 0;
      } catch (error) {
        if (abort.aborted) return;
        const failed = error instanceof ApiFailure ? error : new ApiFailure(0, unreadable(error));
        // The resourceVersion of a watch is too old: the list is read again.
        if (failed.code === 410 && listed && at === undefined) {
          listed = false;
          continue;
        }
        if (lasts(failed)) return show("failed", failed);
        show(value.peek().state === "loading" ? "loading" : "stale", failed);
        failures++;
      }
      // A server that ends its streams at once is not asked without a pause either.
      const wait = failures === 0 ? RETRY.first : backoff(failures, RETRY, timers.random);
      await new Promise<void>((resolve) => {
        const end = (): void => {
          stop();
          abort.removeEventListener("abort", end);
          resolve();
        };
        const stop = timers.after(wait, end);
        abort.addEventListener("abort", end);
      });
    }
  };
  void run();
  return {
    value,
    close() {
      stopShow?.();
      aborter.abort();
    },
  };
}

const unreadable = (error: unknown): ApiFailure["status"] => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `the stream broke off: ${error instanceof Error ? error.message : String(error)}`,
});
