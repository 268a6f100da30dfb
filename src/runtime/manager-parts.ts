import type { Client } from "../client/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import type { Beginnings } from "./beginnings.ts";
import type { Informers } from "./informers.ts";
import type { KillSwitch } from "./kill-switch.ts";
import type { Recorder } from "./recorder.ts";
import type { ServedKinds } from "./served-kinds.ts";

/** An error of a reconcile, a predicate or a mapping. */
export interface Failure {
  readonly controller: string;
  /** The key, or the object of the predicate or mapping: `default/web`. */
  readonly key: string;
  readonly error: unknown;
}

/** The parts that the controllers of a manager share. */
export interface ManagerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly activity: Pick<Activity, "begin"> | undefined;
  readonly informers: Informers;
  readonly beginnings: Beginnings;
  readonly kinds: ServedKinds;
  readonly recorder: Recorder;
  /** The instance among managers of the same name. */
  readonly instance: string;
  readonly killSwitch: KillSwitch;
  /** Called for each reconcile. */
  readonly started: (controller: string, key: string) => void;
  /** @param isRetried whether the reconcile will be retried */
  readonly failed: (failure: Failure, isRetried: boolean) => void;
}
