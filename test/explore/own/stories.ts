/**
 * What users do with the built-in controllers: each story names the controllers that are explored, and those that work beside them
 * undisturbed.
 *
 * @module
 */
import { CLUSTER_STORIES } from "./stories-cluster.ts";
import { NODE_STORIES } from "./stories-nodes.ts";
import { STORAGE_STORIES } from "./stories-storage.ts";
import { WORKLOAD_STORIES } from "./stories-workloads.ts";
import type { OwnStory } from "./story.ts";

/** All stories by their names. */
export const OWN_STORIES: Readonly<Record<string, OwnStory>> = {
  ...WORKLOAD_STORIES,
  ...NODE_STORIES,
  ...CLUSTER_STORIES,
  ...STORAGE_STORIES,
};
