/**
 * What a manager gives its controllers.
 *
 * @module
 */
import type { Client } from "../client/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import type { Informers } from "./informers.ts";
import type { KillSwitch } from "./kill-switch.ts";
import type { Recorder } from "./recorder.ts";
import type { ServedKinds } from "./served-kinds.ts";

/** A reconcile that threw; or a predicate or a mapping that did for an object. */
export interface Failure {
  readonly controller: string;
  /** `default/web`; of the object for which a predicate or a mapping threw. */
  readonly key: string;
  readonly error: unknown;
}

/** Shared by the controllers of one manager. */
export interface ManagerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly activity: Pick<Activity, "begin"> | undefined;
  readonly informers: Informers;
  readonly kinds: ServedKinds;
  readonly recorder: Recorder;
  /** Which of several of that name. */
  readonly instance: string;
  readonly killSwitch: KillSwitch;
  /** Hears of each beginning. */
  readonly started: (controller: string, key: string) => void;
  /** @param isRetried whether it is a reconcile that comes again; what a predicate or a mapping threw for does not */
  readonly failed: (failure: Failure, isRetried: boolean) => void;
}
