/**
 * The table of the zoo.
 *
 * @module
 */
import type { Entry } from "./entry.ts";
import { goEntries } from "./go.ts";
import { pythonEntries } from "./python.ts";
import { caches } from "./typescript/caches.ts";
import { events } from "./typescript/events.ts";
import { operations } from "./typescript/operations.ts";
import { time } from "./typescript/time.ts";
import { writes } from "./typescript/writes.ts";

/** All controllers with a fault. */
export const entries: readonly Entry[] = [
  ...writes,
  ...caches,
  ...events,
  ...time,
  ...operations,
  ...goEntries,
  ...pythonEntries,
];
