/**
 * What a controller is: it looks at the state of the world and moves it towards what was asked for, again and again.
 *
 * A controller is a client. It reads through informers, acts through the API, and never touches registry or storage. It
 * keeps no state that it could not find again, so it may be stopped and started at any moment, and it is safe to handle
 * the same key twice.
 *
 * @module
 */
import type { Client } from "../client/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Log } from "../util/log.ts";

/** What every controller is given. */
export interface ControllerContext {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A controller that runs. */
export interface RunningController {
  /** Ends it; resolves when it will do nothing any more. */
  stop(): Promise<void>;
}

/** A controller as the list of controllers knows it. */
export interface Controller {
  /** Its name in `--controllers`. */
  readonly name: string;
  start(context: ControllerContext): Promise<RunningController>;
}

/**
 * The controllers that a list of names chooses: `*` for all, `name` for that one, `-name` for all others, `none`.
 * Throws for a name that no controller has.
 */
export function chooseControllers(all: readonly Controller[], names: readonly string[]): readonly Controller[] {
  for (const name of names) {
    const bare = name.replace(/^-/, "");
    if (bare !== "*" && bare !== "none" && !all.some((c) => c.name === bare)) {
      throw new Error(`expected --controllers to name some of ${all.map((c) => c.name).join(", ")}, got "${name}"`);
    }
  }
  const onlyWithout = names.length > 0 && names.every((name) => name.startsWith("-"));
  return all.filter(
    ({ name }) => !names.includes(`-${name}`) && (onlyWithout || names.includes("*") || names.includes(name)),
  );
}
