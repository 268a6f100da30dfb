/**
 * `explore()` and `replay()`, which load what explores when they are called: tests that explore nothing do not wait for it.
 *
 * @module
 */
import type { Finding } from "../../explore/contract/finding.ts";
import type { ExploreOptions, ExploreResult, ReplayResult } from "./explore.ts";
import type { ExploredPrograms } from "./explored.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Explores controllers of this process, under a virtual clock: three clean runs, then runs with a perturbation each, the most telling
 * first, then combinations until the budget is used. Each fault is played again and shrunk.
 *
 * @throws Error where the scenario begins with something that is refused, or a program cannot be started
 */
export async function explore(scenario: Scenario, options: ExploreOptions): Promise<ExploreResult> {
  const loaded = await import("./explore.ts");
  return loaded.explore(scenario, options);
}

/**
 * Plays a finding again.
 *
 * @param finding a finding, or the text of its file
 * @throws Error for a text that is no finding
 */
export async function replay(
  scenario: Scenario,
  programs: ExploredPrograms,
  finding: Finding | string,
): Promise<ReplayResult> {
  const loaded = await import("./explore.ts");
  return loaded.replay(scenario, programs, finding);
}
