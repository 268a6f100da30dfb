/**
 * Explores one story, with what the module loader gives it for the sources of the controllers.
 *
 * @module
 */
import { builtInControllers, chooseControllers } from "../../../src/controllers/index.ts";
import type { Laboratory } from "../../../src/explore/contract/laboratory.ts";
import type { Finding } from "../../../src/explore/contract/finding.ts";
import { explore } from "../../../src/explore/explore.ts";
import { makeJudge } from "../../../src/explore/judge/index.ts";
import { describePlan } from "../../../src/explore/perturbations/index.ts";
import { kubernetes } from "../../../src/meta/dialect.ts";
import { CsiLaboratory } from "../../../src/testing/explore/csi/laboratory.ts";
import { sidecarPrograms } from "../../../src/testing/explore/csi/sidecar-programs.ts";
import { memorySource } from "../../../src/testing/explore/csi/testing/memory-source.ts";
import { InProcessLaboratory } from "../../../src/testing/explore/laboratory.ts";
import { replayFinding } from "../../../src/testing/explore/replay.ts";
import type { Scenario } from "../../../src/testing/explore/scenario.ts";
import { systemClock } from "../../../src/util/clock.ts";
import { type ControllerStory, type DriverStory, STORIES, type StoryName } from "./stories.ts";

/** What is explored. */
export interface StoryOrder {
  readonly story: StoryName;
  readonly seed: number;
  /** Plans until a fault must be found. */
  readonly plans: number;
  /** The keys of faults that the story shows without a mutant; undefined to go on after the first fault. */
  readonly known?: readonly string[];
}

/** A fault in words. */
export interface ShownFault {
  readonly key: string;
  readonly kind: string;
  readonly severity: "fault" | "notice";
  readonly sentence: string;
  /** What goes wrong, in words; empty where it shows in clean runs. */
  readonly plan: readonly string[];
  /** What plays it again. */
  readonly finding: Finding;
}

/** What came of it. */
export interface StoryResult {
  readonly faults: readonly ShownFault[];
  readonly plans: number;
  readonly runs: number;
  readonly seconds: number;
  readonly ended: string;
}

/** What has no end within it shows in it; the usual quiet is only longer. */
const TIMES = { quiet: "2h" } as const;
const EVENT_TTL_MS = 3_600_000;
/** Controllers that a provisioner needs. */
const BESIDE_PROVISIONER = [
  "persistentvolume-binder",
  "pvc-protection",
  "pv-protection",
  "garbage-collector",
  "namespace-controller",
];

function laboratoryOf(story: ControllerStory | DriverStory): Promise<Laboratory> {
  const scenario: Scenario = { ...TIMES, ...story.scenario };
  if ("driver" in story) {
    const { abilities } = story.driver(undefined as never).inProcess;
    const { provisioner } = sidecarPrograms({ abilities }, kubernetes);
    return CsiLaboratory.of({
      source: memorySource(story.driver),
      scenario,
      programs: { provisioner: provisioner! },
      cluster: { nodes: 0, controllers: BESIDE_PROVISIONER },
    });
  }
  const settings = { dialect: kubernetes, eventTtlMillis: EVENT_TTL_MS, caCertificate: "" };
  const controllers = () => chooseControllers(builtInControllers(settings), story.explored);
  return InProcessLaboratory.of(
    scenario,
    { [story.explored.join(", ")]: { controllers } },
    { controllers: story.beside },
  );
}

const shown = (finding: Finding): ShownFault => ({
  key: finding.fault.key,
  kind: finding.fault.kind,
  severity: finding.fault.severity,
  sentence: finding.fault.sentence,
  plan: describePlan(finding.plan),
  finding,
});

/** Whether a finding shows in a story with the sources as they are. */
export async function showsWithout(story: StoryName, finding: Finding): Promise<boolean> {
  await using lab = await laboratoryOf(STORIES[story]);
  const { ignore } = STORIES[story].scenario as Scenario;
  return (await replayFinding(lab, (clean) => makeJudge(clean, ignore), finding)).shown > 0;
}

/** Explores a story until a fault shows that is not known. */
export async function exploreStory({ story, seed, plans, known }: StoryOrder): Promise<StoryResult> {
  const scenario: Scenario = STORIES[story].scenario;
  await using lab = await laboratoryOf(STORIES[story]);
  const over = new AbortController();
  const isNew = ({ fault }: Finding): boolean => fault.severity === "fault" && known?.includes(fault.key) === false;
  const explored = await explore(lab, (clean) => makeJudge(clean, scenario.ignore), {
    clock: systemClock,
    origin: { scenario: { name: scenario.name }, versions: { keelson: "", node: "", platform: "" } },
    seed,
    plans,
    shrinks: false,
    signal: over.signal,
    onProgress({ finding }) {
      if (finding && isNew(finding)) over.abort();
    },
  });
  const { findings, notices, runs, seconds, ended, failure } = explored;
  if (failure) throw failure;
  return { faults: [...findings, ...notices].map(shown), plans: explored.plans, runs, seconds, ended };
}
