import type { Activity } from "../util/activity.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import type { HistoryLimits } from "./history.ts";
import type { Pause } from "./load.ts";
import type { VersionLimits } from "./versions.ts";

/** Settings of a {@link Cacher}; all have defaults. */
export interface CacherOptions {
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** All keys of interest begin with it; default `""`, the whole store. */
  readonly root?: string;
  /** Changes of a resource that are kept however old they are. Default 10 000. */
  readonly historyEvents?: number;
  /** For how long changes are kept however many they are, in ms. Default 5 minutes. */
  readonly historyMillis?: number;
  /** Most bytes that the changes of all resources may hold. Default 64 MiB. */
  readonly historyBytes?: number;
  /** For how long after its last use a state that a paged list began with is kept, in ms. Default 5 minutes. */
  readonly pageMillis?: number;
  /** Most such states of one resource. Default 64. */
  readonly pageVersions?: number;
  /** Most bytes of replaced entries that those of all resources may hold. Default 64 MiB. */
  readonly pageBytes?: number;
  /** Lets everything else that is ready run; default: a turn of the event loop of its own, after others that wait for one. */
  readonly pause?: Pause;
  /** Counts loads, and watches that read what was there before them. */
  readonly activity?: Activity;
  /** Told of errors that nobody is waiting for. */
  readonly onError?: (error: unknown) => void;
}

/** {@link CacherOptions} with the defaults filled in. */
export interface Settings {
  readonly clock: Clock;
  readonly root: string;
  readonly historyLimits: HistoryLimits;
  readonly historyBytes: number;
  readonly versionLimits: VersionLimits;
  readonly versionBytes: number;
  readonly pause: Pause;
  readonly activity: Activity | undefined;
  readonly onError: (error: unknown) => void;
}

const MINUTES = 60_000;
const MIB = 1024 * 1024;

/** Fills in the defaults. */
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
  onError: options.onError ?? (() => {}),
});
