/**
 * Explores a story.
 *
 * @module
 */
import { builtInControllers, chooseControllers } from "../../../src/controllers/index.ts";
import type { Finding } from "../../../src/explore/contract/finding.ts";
import type { Judge, MakeJudge } from "../../../src/explore/contract/judge.ts";
import type { Exploration, ExploreOptions } from "../../../src/explore/exploration.ts";
import { explore } from "../../../src/explore/explore.ts";
import { kubernetes } from "../../../src/meta/dialect.ts";
import type { ExploredPrograms } from "../../../src/testing/explore/explored.ts";
import { type ReplayResult, judgeOf, openLaboratory, replay } from "../../../src/testing/explore/explore.ts";
import { versions } from "../../../src/testing/explore/version.ts";
import { systemClock } from "../../../src/util/clock.ts";
import { type OwnStory, acceptedBy } from "./story.ts";

const SETTINGS = { dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" };

/** What came of a story. */
export interface StoryResult {
  readonly exploration: Exploration;
  /** Faults that are not accepted. */
  readonly findings: readonly Finding[];
  readonly notices: readonly Finding[];
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

/** The judge of a story: what is accepted is a notice, so that nothing is spent on making it smaller. */
const acceptingJudge =
  (story: OwnStory): MakeJudge =>
  (clean) => {
    const judge = judgeOf(story.scenario)(clean);
    return {
      cleanFaults: () => judge.cleanFaults(),
      compare: (...runs) => judge.compare(...runs),
      faults: (run) =>
        judge
          .faults(run)
          .map((fault) =>
            acceptedBy(story, { fault, plan: run.order.plan }) ? { ...fault, severity: "notice" } : fault,
          ),
    } satisfies Judge;
  };

/** Explores a story; an accepted fault is no finding. @throws Error where it begins with something that is refused */
export async function exploreStory(
  story: OwnStory,
  options: Pick<ExploreOptions, "seed" | "plans" | "budgetMillis" | "only">,
): Promise<StoryResult> {
  await using lab = await openLaboratory(story.scenario, exploredOf(story));
  const origin = { scenario: { name: story.scenario.name }, versions: versions() };
  const exploration = await explore(lab, acceptingJudge(story), { ...options, clock: systemClock, origin });
  const { findings, notices, failure } = exploration;
  if (failure) throw failure;
  return {
    exploration,
    findings,
    notices: notices.filter((one) => acceptedBy(story, one) === undefined),
    accepted: notices.filter((one) => acceptedBy(story, one) !== undefined),
  };
}

/** Plays a finding of a story again. */
export const replayStory = (story: OwnStory, finding: Finding): Promise<ReplayResult> =>
  replay(story.scenario, exploredOf(story), finding);
