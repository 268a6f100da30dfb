import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { KubeObject } from "../api/kube.ts";
import { follow, type Followed, type FollowOptions } from "../api/watch.ts";

/** Follows the objects below a path for as long as the component is shown; other options begin a new list. */
export function useFollow<T extends KubeObject = KubeObject>(
  path: string,
  options: FollowOptions = {},
): ReadonlySignal<Followed<T>> {
  const key = JSON.stringify([path, options]);
  const follower = useMemo(() => follow<T>(path, options), [key]);
  useEffect(() => () => follower.close(), [follower]);
  return follower.value;
}
