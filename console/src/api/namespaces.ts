/**
 * The namespaces that the user may list.
 *
 * @module
 */
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { session } from "./http.ts";
import { follow, type Follower } from "./watch.ts";
import type { KubeObject } from "./kube.ts";

/** Names of namespaces, sorted; undefined if the user may not list them, or before they are known. */
export const namespaces: ReadonlySignal<readonly string[] | undefined> = followNamespaces();

function followNamespaces(): ReadonlySignal<readonly string[] | undefined> {
  const follower = signal<Follower<KubeObject> | undefined>(undefined);
  let stop: (() => void) | undefined;
  return computed(
    () => {
      const list = follower.value?.value.value;
      if (!list || list.state === "failed" || list.state === "loading") return undefined;
      return list.objects.map(({ metadata }) => metadata.name).sort();
    },
    {
      watched() {
        // Another session may see others.
        stop = effect(() => {
          if (session.value !== "open") return undefined;
          const next = follow("/api/v1/namespaces", { metadataOnly: true });
          follower.value = next;
          return () => next.close();
        });
      },
      unwatched() {
        stop?.();
        follower.value = undefined;
      },
    },
  );
}
