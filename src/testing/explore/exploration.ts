/**
 * `explore()` and `replay()`, which load what explores when they are called: tests that explore nothing do not wait for it.
 *
 * @module
 */
import type { explore as exploreNow, replay as replayNow } from "./explore.ts";

/**
 * Explores controllers of this process, under a virtual clock: three clean runs, then runs with a perturbation each, the most telling
 * first, then combinations until the budget is used. Each fault is played again and shrunk.
 *
 * @throws Error where the scenario begins with something that is refused, or a program cannot be started
 */
export const explore: typeof exploreNow = async (...call) => (await import("./explore.ts")).explore(...call);

/**
 * Plays a finding again.
 *
 * @param finding a finding, or the text of its file
 * @throws Error for a text that is no finding
 */
export const replay: typeof replayNow = async (...call) => (await import("./explore.ts")).replay(...call);
