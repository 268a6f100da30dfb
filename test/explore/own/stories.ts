/**
 * What users do with the built-in controllers: each story names the controllers that are explored, and those that work beside them
 * undisturbed.
 *
 * @module
 */
import { ACCESS_STORIES } from "./stories-access.ts";
import { CLUSTER_STORIES } from "./stories-cluster.ts";
import { EXTENSION_STORIES } from "./stories-extensions.ts";
import { NODE_STORIES } from "./stories-nodes.ts";
import { ROLLOUT_STORIES } from "./stories-rollouts.ts";
import { SERVICE_STORIES } from "./stories-services.ts";
import { STORAGE_STORIES } from "./stories-storage.ts";
import type { OwnStory } from "./story.ts";
import { WORKLOAD_STORIES } from "./stories-workloads.ts";

/** All stories by their names. */
export const OWN_STORIES: Readonly<Record<string, OwnStory>> = {
  ...ROLLOUT_STORIES,
  ...WORKLOAD_STORIES,
  ...SERVICE_STORIES,
  ...NODE_STORIES,
  ...CLUSTER_STORIES,
  ...ACCESS_STORIES,
  ...EXTENSION_STORIES,
  ...STORAGE_STORIES,
};
