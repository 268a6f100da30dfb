/**
 * Explores one controller of the zoo, or its twin.
 *
 * @module
 */
import type { Finding } from "../../src/explore/contract/finding.ts";
import type { MakeJudge } from "../../src/explore/contract/judge.ts";
import type { Laboratory } from "../../src/explore/contract/laboratory.ts";
import type { Exploration } from "../../src/explore/exploration.ts";
import { explore } from "../../src/explore/explore.ts";
import { makeJudge } from "../../src/explore/judge/index.ts";
import { describePlan } from "../../src/explore/perturbations/index.ts";
import { InProcessLaboratory } from "../../src/testing/explore/laboratory.ts";
import { ProgramsLaboratory } from "../../src/testing/explore/programs.ts";
import { replayFinding } from "../../src/testing/explore/replay.ts";
import { systemClock } from "../../src/util/clock.ts";
import type { Entry } from "./entry.ts";
import type { Toolchains } from "./toolchains.ts";

/** How an entry is explored. */
export interface EntryOptions {
  readonly seed: number;
  /** Plans until its fault must be found; as many its twin is tried with. */
  readonly plans: number;
  readonly mended: boolean;
  /** How often a fault that is found is played again; not at all by default. */
  readonly replays?: number;
  readonly toolchains: Toolchains;
}

/** What came of it. */
export interface EntryResult {
  readonly entry: Entry;
  readonly mended: boolean;
  /** The fault that was looked for. */
  readonly found?: Finding;
  /** All faults. */
  readonly findings: readonly Finding[];
  readonly notices: readonly Finding[];
  readonly plans: number;
  readonly runs: number;
  readonly seconds: number;
  readonly ended: Exploration["ended"];
  /** How often the fault showed when it was played again, where it was. */
  readonly shown?: number;
}

/** The share of replays in which a finding has to show. */
export const SHARE_SHOWN = 0.9;

/** Explores until the fault is found, or the twin was tried enough. */
export async function exploreEntry(entry: Entry, options: EntryOptions): Promise<EntryResult> {
  const { mended, seed, plans } = options;
  await using lab = await laboratoryOf(entry, options);
  const over = new AbortController();
  // What shows less often is no answer: over HTTP it may come of a busy machine.
  const isWanted = ({ fault, replayed: { shown, of } }: Finding): boolean =>
    entry.kinds.includes(fault.kind) && shown >= SHARE_SHOWN * of;
  const found: Finding[] = [];
  const explored = await explore(lab, (clean) => makeJudge(clean, entry.scenario.ignore), {
    clock: systemClock,
    origin: {
      scenario: { name: entry.scenario.name },
      versions: { keelson: "zoo", node: process.version, platform: process.platform },
    },
    seed,
    plans,
    signal: over.signal,
    onProgress: ({ finding }) => {
      if (!finding || mended || !isWanted(finding)) return;
      if (finding.fault.severity === "notice" && !entry.isNotice) return;
      found.push(finding);
      over.abort();
    },
  });
  const { findings, notices, runs, seconds, ended, failure } = explored;
  if (failure) throw failure;
  const [first] = found;
  return {
    entry,
    mended,
    ...(first && { found: first }),
    findings,
    notices,
    plans: explored.plans,
    runs,
    seconds,
    ended,
  };
}

/** Explores an entry, and plays what was found again in a laboratory of its own. */
export async function exploreAndReplay(entry: Entry, options: EntryOptions): Promise<EntryResult> {
  const explored = await exploreEntry(entry, options);
  const { replays = 0 } = options;
  if (explored.found === undefined || replays === 0) return explored;
  return { ...explored, shown: await replayEntry(entry, explored.found, { ...options, times: replays }) };
}

/** Plays a finding again, and returns how often it showed. */
export async function replayEntry(
  entry: Entry,
  finding: Finding,
  { times, ...options }: Pick<EntryOptions, "mended" | "toolchains"> & { readonly times: number },
): Promise<number> {
  await using lab = await laboratoryOf(entry, options);
  const { signal } = new AbortController();
  const judge: MakeJudge = (clean) => makeJudge(clean, entry.scenario.ignore);
  return (await replayFinding(lab, judge, finding, { times, signal })).shown;
}

/** A finding in one line. */
export const lineOf = ({ fault, plan }: Finding): string =>
  `${fault.kind}: ${plan.length > 0 ? describePlan(plan).join("; ") : "without any perturbation"}`;

async function laboratoryOf(
  entry: Entry,
  { mended, toolchains }: Pick<EntryOptions, "mended" | "toolchains">,
): Promise<Laboratory> {
  const { scenario } = entry;
  if (entry.language === "TypeScript") {
    const { operations } = entry;
    const of = operations ? [{ of: operations, example: operations }] : [];
    return await InProcessLaboratory.of(scenario, entry.programs(mended), {}, of);
  }
  const command = toolchains[entry.language];
  if (!command) throw new Error(`expected what runs controllers in ${entry.language}`);
  const flags = mended ? ["--mended"] : [];
  return await ProgramsLaboratory.of(scenario, {
    programs: [
      { name: entry.name, command: [command[0], ...command.slice(1), entry.name, ...flags, "--kubeconfig", "{}"] },
    ],
    env: process.env,
    workers: 2,
  });
}
