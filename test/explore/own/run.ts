/**
 * Explores a story.
 *
 * @module
 */
import { builtInControllers, chooseControllers } from "../../../src/controllers/index.ts";
import type { Finding } from "../../../src/explore/contract/finding.ts";
import { kubernetes } from "../../../src/meta/dialect.ts";
import type { ExploredPrograms } from "../../../src/testing/explore/exploration.ts";
import {
  type ExploreOptions,
  type ExploreResult,
  type ReplayResult,
  explore,
  replay,
} from "../../../src/testing/explore/explore.ts";
import { type OwnStory, isAccepted } from "./story.ts";

const SETTINGS = { dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" };

/** What came of a story. */
export interface StoryResult {
  readonly result: ExploreResult;
  /** Faults that are not accepted. */
  readonly findings: readonly Finding[];
  readonly accepted: readonly Finding[];
}

/** The programs of a story. */
const exploredOf = ({ explored, beside, settings = {}, cluster }: OwnStory): ExploredPrograms => ({
  programs: {
    own: {
      controllers: () => chooseControllers(builtInControllers({ ...SETTINGS, ...settings }), explored),
      leaderElection: true,
    },
  },
  cluster: { ...cluster, controllers: beside },
});

/** Explores a story; an accepted fault is no finding. @throws Error where it begins with something that is refused */
export async function exploreStory(
  story: OwnStory,
  options: Pick<ExploreOptions, "seed" | "plans" | "budget" | "only" | "signal" | "onProgress">,
): Promise<StoryResult> {
  const result = await explore(story.scenario, { ...options, ...exploredOf(story) });
  if (result.exploration.failure) throw result.exploration.failure;
  return {
    result,
    findings: result.findings.filter((one) => !isAccepted(story, one)),
    accepted: result.findings.filter((one) => isAccepted(story, one)),
  };
}

/** Plays a finding of a story again. */
export const replayStory = (story: OwnStory, finding: string): Promise<ReplayResult> =>
  replay(story.scenario, exploredOf(story), finding);
