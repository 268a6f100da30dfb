import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { ExploreOutcome, ExploreRequest, ExploredProgram, Explorer } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import type { Manifest } from "../../client/manifests.ts";
import type { Finding } from "../../explore/contract/finding.ts";
import { type Exploration, type Progress, explore } from "../../explore/explore.ts";
import { decodeFinding, encodeFinding, findingFileNames } from "../../explore/finding-file.ts";
import { makeJudge } from "../../explore/judge/index.ts";
import { type Operations, type Skipped, operationsOf } from "../../explore/operations/index.ts";
import { progressText } from "../../explore/progress.ts";
import { explorationReport, formatReport } from "../../explore/report/index.ts";
import { LaboratoryError } from "../../explore/runs.ts";
import { orderOf, playAgain } from "../../testing/explore/play-again.ts";
import { ProgramsLaboratory } from "../../testing/explore/programs.ts";
import { type ScenarioFile, readScenarioFile } from "../../testing/explore/scenario-file.ts";
import { ProgramError } from "../../testing/explore/programs-world.ts";
import { systemClock } from "../../util/clock.ts";
import { messageOf } from "../../util/error.ts";
import { VERSION } from "../process/version.ts";
import { firstSignal } from "../process/first-signal.ts";

/** How often a finding is played again where runs differ. */
const TIMES = 3;

/** What is explored: a scenario, with the laboratory that plays it. */
interface Subject extends AsyncDisposable {
  readonly file: string;
  readonly scenario: ScenarioFile["scenario"];
  readonly programs: readonly ExploredProgram[];
  readonly lab: ProgramsLaboratory;
  readonly skipped: readonly Skipped[];
}

/** Explores programs over HTTP, in a cluster in memory. */
export const explorer: Explorer = {
  explore: (request, progress) =>
    inLaboratory(request, undefined, async (subject) => {
      const begin = systemClock.steady();
      using cancel = cancelled();
      const line = (now: Progress): void => {
        progress(progressText(now, systemClock.steady() - begin, request.budgetMillis));
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
        signal: cancel.signal,
      });
      return outcomeOf(exploration, subject, request);
    }),

  replay: (path, request, progress) => {
    const finding = readFinding(path);
    return inLaboratory(request, { finding, path }, async (subject) => {
      using cancel = cancelled();
      const exploration = await playAgain(subject.lab, judgeOf(subject), finding, {
        times: TIMES,
        clock: systemClock,
        signal: cancel.signal,
        onRun: (played, shown) => progress(`played ${played} of ${TIMES} times, shown ${shown} times`),
      });
      return outcomeOf(exploration, subject, request);
    });
  },

  until: (path, write, request, tell) => {
    const finding = readFinding(path);
    return inLaboratory(request, { finding, path }, async ({ lab }) => {
      await using played = await lab.open({ ...orderOf(finding), beforeWrite: write });
      const { trace } = played.record;
      const endpoint = await played.cluster.listen();
      const stopped = firstSignal();
      const where = played.isStopped
        ? `stopped before write ${write}; the programs stand still`
        : `the run has ended: it has fewer than ${write} writes (${trace.length} entries in its trace)`;
      tell(
        `keelson: ${where}\nkeelson: the cluster stays at ${endpoint.url} until it is interrupted\nexport KUBECONFIG=${endpoint.env["KUBECONFIG"]!}\n`,
      );
      await stopped;
    });
  },
};

/** Opens the laboratory of a request for some work. @throws CliError where the scenario or the laboratory is at fault */
async function inLaboratory<T>(
  request: ExploreRequest,
  replayed: { readonly finding: Finding; readonly path: string } | undefined,
  work: (subject: Subject) => Promise<T>,
): Promise<T> {
  try {
    await using subject = await subjectOf(request, replayed);
    return await work(subject);
  } catch (error) {
    if (error instanceof CliError) throw error;
    // The order of a program that cannot be started tells nothing.
    const why = error instanceof LaboratoryError && error.cause instanceof ProgramError ? error.cause : error;
    throw new CliError(messageOf(why), { cause: error });
  }
}

async function subjectOf(
  { file: given, programs: asked, workers, restartMillis }: ExploreRequest,
  replayed: { readonly finding: Finding; readonly path: string } | undefined,
): Promise<Subject> {
  const file = given ?? (replayed && fileOf(replayed.finding, replayed.path));
  if (file === undefined) throw new CliError("expected the file of a scenario", { usage: true });
  const programs = asked.length > 0 ? asked : replayed ? programsOf(replayed.finding) : [];
  if (programs.length === 0)
    throw new CliError(`expected a program: -- ./manager --kubeconfig {}, or --program a='./a'`, { usage: true });
  const { scenario, operations } = readScenarioFile(file);
  const all = operationsFor(scenario, operations);
  const options = { programs, env: process.env, workers, restartMillis, operations: all };
  const lab = await ProgramsLaboratory.of(scenario, options);
  const dispose = (): Promise<void> => lab[Symbol.asyncDispose]();
  return { file, scenario, programs, lab, skipped: all.skipped, [Symbol.asyncDispose]: dispose };
}

/** The scenario of a finding, from where the finding is. */
function fileOf({ scenario: { file, name } }: Finding, path: string): string {
  if (file !== undefined) return resolve(dirname(path), file);
  throw new CliError(`expected the file of the scenario ${name}: ${path} does not name one`, { usage: true });
}

/** The program of a finding, by the name that its plan has. */
function programsOf({ command, plan }: Finding): readonly ExploredProgram[] {
  const [first, ...rest] = command ?? [];
  if (first === undefined) return [];
  const actors = plan.flatMap((one) => ("at" in one ? [one.at.actor] : "actor" in one ? [one.actor] : []));
  return [{ name: actors[0] ?? first.slice(first.lastIndexOf("/") + 1), command: [first, ...rest] }];
}

type AllOperations = Pick<Operations, "steps" | "comparisons" | "skipped">;

/** The operations on kinds whose definitions a scenario begins with. */
function operationsFor(
  { start = [], steps }: ScenarioFile["scenario"],
  asked: ScenarioFile["operations"],
): AllOperations {
  let all: AllOperations = { steps: [], comparisons: [], skipped: [] };
  for (const { of, example } of asked) {
    const definition = start.find((one) => typeof one === "object" && isDefinitionOf(one, of));
    if (!definition)
      throw new CliError(`expected start to have the CustomResourceDefinition of ${of.apiVersion} ${of.kind}`);
    const next = operationsOf(definition, example, { firstStep: steps.length + all.steps.length });
    all = {
      steps: [...all.steps, ...next.steps],
      comparisons: [...all.comparisons, ...next.comparisons],
      skipped: [...all.skipped, ...next.skipped],
    };
  }
  return all;
}

function isDefinitionOf({ kind, spec }: Manifest, of: { readonly apiVersion: string; readonly kind: string }): boolean {
  const { group, names } = (spec ?? {}) as { readonly group?: unknown; readonly names?: { readonly kind?: unknown } };
  return (
    kind === "CustomResourceDefinition" && of.apiVersion.startsWith(`${String(group)}/`) && names?.kind === of.kind
  );
}

const judgeOf =
  ({ scenario }: Subject): Parameters<typeof explore>[1] =>
  (clean) =>
    makeJudge(clean, scenario.ignore);

function originOf({ file, scenario, programs }: Subject, directory = "."): Parameters<typeof explore>[2]["origin"] {
  const [program, another] = programs;
  return {
    scenario: { name: scenario.name, file: relative(directory, file) },
    // Several programs have to be named again.
    ...(program && !another && { command: program.command }),
    versions: { keelson: VERSION, node: process.version, platform: `${process.platform}-${process.arch}` },
  };
}

function outcomeOf(
  exploration: Exploration,
  { file, scenario, lab, skipped }: Subject,
  { directory }: ExploreRequest,
): ExploreOutcome {
  const { findings, notices, evidence } = exploration;
  const all = [...findings, ...notices];
  const names = findingFileNames(all.map(({ fault }) => fault));
  const report = explorationReport(exploration, {
    scenario: scenario.name,
    version: VERSION,
    skipped,
    ...(directory !== undefined && { pathOf: (name: string) => relative(".", resolve(directory, name)) }),
    outputOf: (finding) => {
      const run = evidence.get(finding)?.run;
      return run ? lab.outputOf(run) : undefined;
    },
  });
  return {
    files: all.map((finding, i) => ({ name: names[i]!, text: encodeFinding(finding) })),
    found: findings.length > 0,
    report: (form, { width, paints }) => formatReport(report, form, { width, paints, location: relative(".", file) }),
  };
}

function readFinding(path: string): Finding {
  try {
    return decodeFinding(readFileSync(path, "utf8"), path);
  } catch (error) {
    throw new CliError(messageOf(error), { cause: error });
  }
}

/** Ends an exploration with the first signal; what was found so far is reported. */
function cancelled(): Disposable & { readonly signal: AbortSignal } {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  return {
    signal: abort.signal,
    [Symbol.dispose]() {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
    },
  };
}
