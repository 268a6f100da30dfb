/**
 * What users do while mutants are looked for: lives of claims, volumes and owners in which the order of things matters.
 *
 * @module
 */
import type { MemoryDriver, MemoryStorage } from "../../../src/testing/explore/csi/testing/memory-driver.ts";
import type { Scenario } from "../../../src/testing/explore/scenario.ts";
import { BINDER_STORIES } from "./stories-binder.ts";
import { COLLECTOR_STORIES } from "./stories-collector.ts";
import { PROVISIONER_STORIES } from "./stories-provisioner.ts";

/** A story of built-in controllers. */
export interface ControllerStory {
  /** The controllers that are disturbed. */
  readonly explored: readonly string[];
  /** Those that work beside them. */
  readonly beside: readonly string[];
  readonly scenario: Scenario;
}

/** A story of the provisioner over a driver. */
export interface DriverStory {
  readonly driver: (storage: MemoryStorage) => MemoryDriver;
  readonly scenario: Scenario;
}

/** All stories by name. */
export const STORIES = { ...BINDER_STORIES, ...COLLECTOR_STORIES, ...PROVISIONER_STORIES };

/** The name of a story. */
export type StoryName = keyof typeof STORIES;
