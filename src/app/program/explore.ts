import { availableParallelism } from "node:os";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExploreOutcome, ExploreRequest, ExploredProgram, Explorer } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import type { Finding } from "../../explore/contract/finding.ts";
import type { MakeJudge } from "../../explore/contract/judge.ts";
import type { Laboratory, RunOrder, RunRecord } from "../../explore/contract/laboratory.ts";
import type { Exploration, Origin, Progress } from "../../explore/exploration.ts";
import { explore } from "../../explore/explore.ts";
import { decodeFinding, encodeFinding, findingFileNames } from "../../explore/finding-file.ts";
import { makeJudge } from "../../explore/judge/index.ts";
import type { Skipped } from "../../explore/operations/index.ts";
import { foundText, progressText } from "../../explore/progress.ts";
import { explorationReport, formatReport } from "../../explore/report/index.ts";
import { openDriverLaboratory } from "../../testing/explore/csi/index.ts";
import { openLaboratory } from "../../testing/explore/explore.ts";
import type { Played } from "../../testing/explore/play.ts";
import { LaboratoryPool } from "../../testing/explore/pool.ts";
import type { Ignored } from "../../testing/explore/scenario.ts";
import { LaboratoryError } from "../../explore/runs.ts";
import { orderOf, replayFinding, replayedExploration, replaysOf } from "../../testing/explore/replay.ts";
import { ProgramsLaboratory } from "../../testing/explore/programs.ts";
import { ProgramError } from "../../testing/explore/programs-replicas.ts";
import { versionsOf } from "../../testing/explore/version.ts";
import { systemClock } from "../../util/clock.ts";
import { messageOf } from "../../util/error.ts";
import { readTextFile } from "../../util/read-text-file.ts";
import { VERSION } from "../process/version.ts";
import { type ExploreSource, type ReplayedFinding, sourceOf } from "./explore-source.ts";
import { firstSignal } from "../process/first-signal.ts";

/** What is explored, with the laboratory that plays it. */
interface Subject extends AsyncDisposable {
  readonly name: string;
  /** Undefined for the default life of volumes. */
  readonly file: string | undefined;
  readonly programs: readonly ExploredProgram[];
  readonly csi: string | undefined;
  /** Starts the driver. */
  readonly driver?: readonly string[] | undefined;
  readonly lab: Laboratory;
  readonly ignored: readonly Ignored[];
  readonly skipped: readonly Skipped[];
  /** What of a storage driver cannot be judged, as sentences. */
  readonly notJudged?: readonly string[];
  /** Plays an order, and keeps the cluster. */
  readonly open: (order: RunOrder, signal: AbortSignal) => Promise<Played>;
  readonly outputOf: (run: RunRecord) => ReturnType<ProgramsLaboratory["outputOf"]> | undefined;
}

/** Explores programs over HTTP, controllers of a module, and storage drivers, in clusters in memory. */
export const explorer: Explorer = {
  explore: (request, progress) =>
    inLaboratory(request, undefined, async (subject, signal) => {
      const begin = systemClock.steady();
      const line = (now: Progress): void => {
        const text = progressText(now, systemClock.steady() - begin, request.budgetMillis);
        progress(text, now.finding && foundText(now.finding));
      };
      const { seed, budgetMillis, plans, only } = request;
      const exploration = await explore(subject.lab, judgeOf(subject), {
        clock: systemClock,
        origin: originOf(subject, request.directory),
        seed,
        budgetMillis,
        ...(plans !== undefined && { plans }),
        ...(only && { only }),
        onProgress: line,
        signal,
      });
      return outcomeOf(exploration, subject, request);
    }),

  replay: (path, request, progress) => {
    const finding = readFinding(path);
    return inLaboratory(request, { finding, path, isKept: false }, async (subject, signal) => {
      const { lab } = subject;
      const times = replaysOf(lab);
      const replayed = await replayFinding(lab, judgeOf(subject), finding, {
        times,
        signal,
        onRun: (played, shown) => progress(`played ${played} of ${times} times, shown ${shown} times`),
      });
      return outcomeOf(replayedExploration(lab, finding, replayed, times), subject, request);
    });
  },

  until: (path, write, request, tell) => {
    const finding = readFinding(path);
    return inLaboratory({ ...request, workers: 1 }, { finding, path, isKept: true }, async ({ lab, open }, signal) => {
      const order = orderOf(finding);
      await using played = await open({ ...order, beforeWrite: write }, signal);
      await using endpoint = await played.cluster.listen();
      const stopped = firstSignal();
      // A complete run has a state for each step and one for the idle time at the end.
      const isWhole = played.record.states.length > (order.steps ?? lab.scenario.usual).length;
      const where = isWhole ? `the run has ended, with fewer than ${write} writes` : `stopped before write ${write}`;
      tell(`keelson: ${where}; the cluster stays at ${endpoint.url} until it is interrupted\n`);
      tell(`export KUBECONFIG=${endpoint.env["KUBECONFIG"]!}\n`);
      await stopped;
    });
  },
};

/** Opens the laboratory of a request for some work. @throws CliError where the scenario or the laboratory is at fault */
async function inLaboratory<T>(
  request: ExploreRequest,
  replayed: ReplayedFinding | undefined,
  work: (subject: Subject, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    // A module may compute without an end while it is loaded, so that no signal is handled: until then a signal ends the process directly.
    const source = await sourceOf(request, replayed);
    // From the start of the first program to the end of the last one.
    using cancel = cancelled();
    await using subject = await subjectOf(request, source, replayed?.isKept === true);
    return await work(subject, cancel.signal);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(failureText(error), { cause: error });
  }
}

/** The message of the cause where a program cannot be started: the laboratory adds nothing to it. */
const failureText = (error: unknown): string =>
  messageOf(error instanceof LaboratoryError && error.cause instanceof ProgramError ? error.cause : error);

async function subjectOf(request: ExploreRequest, source: ExploreSource, isKept: boolean): Promise<Subject> {
  const { file, programs, csi, driver, module, scenario, operations } = source;
  const { workers, restartMillis } = request;
  const env = process.env;
  const none = (): undefined => undefined;
  if (csi !== undefined) {
    const usual = scenario ? { scenario } : {};
    const options = { endpoint: csi, ...(driver && { driver }), programs, env, restartMillis, ...usual };
    const lab = await openDriverLaboratory(options);
    const open: Subject["open"] = (order, signal) => lab.open(order, signal);
    const { ignored, notJudged } = lab;
    return subject(lab, { file, programs, csi, driver, ignored, skipped: [], notJudged, open, outputOf: none });
  }
  if (!scenario) throw new CliError("expected the file of a scenario", { usage: true });
  const parts = { file, programs, csi, ignored: scenario.ignore ?? [] };
  if (programs.length > 0) {
    const more = operations ? { operations } : {};
    const lab = await ProgramsLaboratory.of(scenario, { programs, env, workers, restartMillis, ...more });
    const open: Subject["open"] = (order, signal) => lab.open(order, signal);
    return subject(lab, { ...parts, skipped: lab.skipped, open, outputOf: (run) => lab.outputOf(run) });
  }
  if (!module)
    throw new CliError(`expected a program: -- ./manager --kubeconfig {}, or --program a='./a'`, { usage: true });
  if (!isKept) {
    // A program that blocks its event loop is stopped by no signal and no budget of another thread.
    const count = workers ?? availableParallelism();
    const lab = await LaboratoryPool.of(pathToFileURL(resolve(file!)), count, { clock: systemClock });
    const open = (): Promise<never> => Promise.reject(new Error("expected a laboratory of this thread"));
    return subject(lab, { ...parts, skipped: lab.skipped, open, outputOf: none });
  }
  const lab = await openLaboratory(scenario, module);
  const open: Subject["open"] = (order, signal) => lab.open(order, signal);
  return subject(lab, { ...parts, skipped: lab.skipped, open, outputOf: none });
}

const subject = (lab: Laboratory, parts: Omit<Subject, "lab" | "name" | typeof Symbol.asyncDispose>): Subject => ({
  ...parts,
  lab,
  name: lab.scenario.name,
  [Symbol.asyncDispose]: async () => lab[Symbol.asyncDispose](),
});

const judgeOf =
  ({ ignored }: Subject): MakeJudge =>
  (clean) =>
    makeJudge(clean, ignored);

function originOf({ file, name, programs, csi, driver }: Subject, directory = "."): Origin {
  const [program, another] = programs;
  return {
    scenario: { name, ...(file !== undefined && { file: relative(directory, file) }) },
    ...(program && !another && { command: program.command }),
    ...(another && { programs }),
    ...(csi !== undefined && { csi: { endpoint: csi, ...(driver && { driver }) } }),
    versions: versionsOf(VERSION),
  };
}

function outcomeOf(
  exploration: Exploration,
  { file, name: scenario, outputOf, skipped, notJudged }: Subject,
  { directory }: ExploreRequest,
): ExploreOutcome {
  const { findings, notices, evidence, failure } = exploration;
  const all = [...findings, ...notices];
  const names = findingFileNames(all.map(({ fault }) => fault));
  const report = explorationReport(exploration, {
    scenario,
    version: VERSION,
    skipped,
    ...(notJudged && { notJudged }),
    ...(directory !== undefined && { pathOf: (name: string) => relative(".", resolve(directory, name)) }),
    outputOf: (finding) => {
      const run = evidence.get(finding)?.run;
      return run && outputOf(run);
    },
  });
  return {
    files: all.map((finding, i) => ({ name: names[i]!, text: encodeFinding(finding) })),
    found: findings.length > 0,
    explored: exploration.clean.length > 0,
    cancelled: exploration.ended === "cancelled",
    ...(failure && { failure: failureText(failure) }),
    report: (form, style) =>
      formatReport(report, form, { ...style, ...(file !== undefined && { location: relative(".", file) }) }),
  };
}

/** Each character of the longest finding takes four bytes at most. */
const MAX_FINDING_BYTES = 16_000_000;

function readFinding(path: string): Finding {
  try {
    return decodeFinding(readTextFile(path, MAX_FINDING_BYTES), path);
  } catch (error) {
    throw new CliError(messageOf(error), { cause: error });
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const EXIT_SIGNAL = 130;

/**
 * Ends an exploration with the first signal: what was found so far is reported. A second signal ends the process at once, and with it the
 * programs: they are in groups of their own, which a signal of the terminal does not reach.
 */
function cancelled(): Disposable & { readonly signal: AbortSignal } {
  const abort = new AbortController();
  const stop = (): void => {
    if (abort.signal.aborted) process.exit(EXIT_SIGNAL);
    abort.abort();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return {
    signal: abort.signal,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, stop);
    },
  };
}
