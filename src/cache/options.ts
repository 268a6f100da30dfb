import type { Activity } from "../util/activity.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import type { HistoryLimits } from "./history.ts";
import type { Pause } from "./load.ts";
import type { VersionLimits } from "./versions.ts";

/** Settings of a {@link Cacher}; all have defaults. */
export interface CacherOptions {
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** The beginning of all relevant keys; default `""`, the whole store. */
  readonly root?: string;
  /** Changes of a resource that are kept whatever their age. Default 10 000. */
  readonly historyEvents?: number;
  /** How long changes are kept whatever their number, in ms. Default 5 minutes. */
  readonly historyMillis?: number;
  /** Maximum of bytes of the changes of all resources. Default 64 MiB. */
  readonly historyBytes?: number;
  /** How long the state of a paged list is kept after its last use, in ms. Default 5 minutes. */
  readonly pageMillis?: number;
  /** Maximum of such states of one resource. Default 64. */
  readonly pageVersions?: number;
  /** Maximum of bytes of replaced entries in such states of all resources. Default 64 MiB. */
  readonly pageBytes?: number;
  /** Returns to the event loop; default: in the queue of such returns. */
  readonly pause?: Pause;
  /** Counts loads, and watches that read old state. */
  readonly activity?: Activity;
  /** Called with the number of records that were read, while a resource is loaded. */
  readonly onLoaded?: (records: number) => void;
  /** Called with errors that no caller gets. */
  readonly onError?: (error: unknown) => void;
}

/** {@link CacherOptions} with all defaults. */
export interface Settings {
  readonly clock: Clock;
  readonly root: string;
  readonly historyLimits: HistoryLimits;
  readonly historyBytes: number;
  readonly versionLimits: VersionLimits;
  readonly versionBytes: number;
  readonly pause: Pause;
  readonly activity: Activity | undefined;
  readonly onLoaded: (records: number) => void;
  readonly onError: (error: unknown) => void;
}

const MINUTES = 60_000;
const MIB = 1024 * 1024;

/** Sets the defaults. */
export const settingsOf = ({ clock = systemClock, ...options }: CacherOptions): Settings => ({
  clock,
  root: options.root ?? "",
  historyLimits: { events: options.historyEvents ?? 10_000, millis: options.historyMillis ?? 5 * MINUTES },
  historyBytes: options.historyBytes ?? 64 * MIB,
  versionLimits: {
    count: options.pageVersions ?? 64,
    millis: options.pageMillis ?? 5 * MINUTES,
  },
  versionBytes: options.pageBytes ?? 64 * MIB,
  pause: options.pause ?? (() => clock.loop.yield()),
  activity: options.activity,
  onLoaded: options.onLoaded ?? (() => {}),
  onError: options.onError ?? (() => {}),
});
