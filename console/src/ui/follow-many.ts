/**
 * Several lists that a view follows together, such as claims, volumes and nodes.
 *
 * @module
 */
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Kind } from "../api/discovery.ts";
import { collectionPath, type KubeObject } from "../api/kube.ts";
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
  /** The kinds by the names of their lists; one that is not served is empty. */
  readonly kinds: Readonly<Record<string, Kind | undefined>>;
  /** Objects of this namespace only; all of them if absent. Kinds without namespaces are read whole. */
  readonly namespace?: string | undefined;
  readonly at?: string | undefined;
  /** The most objects of each list. */
  readonly most: number;
}

/** Changes that come within this time are shown together, so that a thousand a second cost four drawings. */
const SHOW_MS = 250;

const NOTHING: Followed<KubeObject> = { objects: [], state: "live", truncated: false, resourceVersion: "" };

/** Follows lists until they are closed. */
export function followMany(
  { kinds, namespace, at, most }: ManyOptions,
  timers: Timers = browserTimers,
): { readonly value: ReadonlySignal<FollowedMany>; close(): void } {
  const followers: (readonly [string, Follower<KubeObject> | undefined])[] = Object.entries(kinds).map(
    ([name, kind]) => [
      name,
      kind &&
        follow(collectionPath(kind, kind.namespaced ? namespace : undefined), {
          most,
          keep: slim,
          ...(at === undefined ? {} : { at }),
        }),
    ],
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
    stop ??= timers.after(SHOW_MS, () => {
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
