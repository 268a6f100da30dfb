import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { PerturbationType } from "../explore/contract/plan.ts";
import type {
  Actions,
  ExploreForm,
  ExploreOutcome,
  ExploreProgress,
  ExploreRequest,
  ExploredProgram,
} from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { wantsColour } from "./colours.ts";
import { programName } from "./program-name.ts";
import { ChangingLine } from "./progress-line.ts";

/** A report to print, or to write to a file. */
export interface ReportOutput {
  readonly form: ExploreForm;
  readonly file?: string;
}

/** The flags of the command. */
export interface ExploreFlags {
  readonly program: readonly ExploredProgram[];
  readonly csi?: string;
  readonly driver?: readonly [string, ...string[]];
  readonly budget: number;
  readonly plans?: number;
  readonly seed: number;
  readonly workers?: number;
  readonly only?: readonly PerturbationType[];
  readonly restart: number;
  readonly out?: string;
  readonly replay?: string;
  readonly until?: number;
  readonly trust?: boolean;
  readonly output: readonly ReportOutput[];
}

/** The exit code where nothing could be explored, as for a command line that is wrong. */
const EXIT_LABORATORY = 2;
/** The exit code of a shell for a program that SIGINT has ended: it does not mean that nothing is wrong. */
const EXIT_CANCELLED = 130;
/** How often the line on a terminal is rewritten at most. */
const TERMINAL_EVERY_MS = 100;
/** How often a log that is no terminal gets a line of progress. */
const LOG_EVERY_MS = 10_000;
const WIDTH = 120;

/** Explores, or replays a finding, prints reports and writes files; the exit code is 1 with findings. */
export async function runExplore(
  actions: Actions,
  file: string | undefined,
  words: readonly string[],
  flags: ExploreFlags,
): Promise<void> {
  actions.exit.failed = EXIT_LABORATORY;
  const request = requestOf(file, words, flags);
  const { explorer, terminal, exit } = actions;
  const { replay, until } = flags;
  if (replay !== undefined && until !== undefined) {
    await explorer.until(replay, until, request, terminal.tell);
    return;
  }
  if (flags.out !== undefined) mkdirSync(flags.out, { recursive: true });
  const progress = progressOn(actions);
  const outcome = await (
    replay === undefined ? explorer.explore(request, progress.line) : explorer.replay(replay, request, progress.line)
  ).finally(progress.end);
  // A file that cannot be written does not prevent the report.
  printReport(actions, outcome, flags.output);
  if (flags.out !== undefined) saveFindings(outcome, flags.out);
  saveReports(outcome, flags.output);
  if (outcome.failure !== undefined) throw new CliError(outcome.failure);
  exit.done = outcome.found ? 1 : outcome.cancelled ? EXIT_CANCELLED : outcome.explored ? 0 : EXIT_LABORATORY;
}

function requestOf(file: string | undefined, words: readonly string[], flags: ExploreFlags): ExploreRequest {
  const {
    replay,
    until,
    csi,
    driver,
    program,
    budget,
    plans,
    seed,
    workers,
    only,
    restart,
    out,
    trust = false,
  } = flags;
  const wrong = (message: string): CliError => new CliError(message, { usage: true });
  if (file === undefined && replay === undefined && csi === undefined)
    throw wrong("expected the file of a scenario, --replay with a finding, or --csi with the socket of a driver");
  if (driver && csi === undefined) throw wrong("expected --csi with the socket of the driver together with --driver");
  if (until !== undefined && replay === undefined)
    throw wrong("expected --replay with a finding together with --until");
  if (trust && replay === undefined) throw wrong("expected --replay with a finding together with --trust");
  const [first, ...rest] = words;
  if (first !== undefined && program.length > 0)
    throw wrong("expected either a command after -- or --program, not both");
  const programs =
    first === undefined ? program : [{ name: programName([first, ...rest]), command: [first, ...rest] as const }];
  return {
    file,
    programs,
    csi,
    driver,
    budgetMillis: budget,
    plans,
    seed,
    workers,
    only,
    restartMillis: restart,
    trusts: trust,
    directory: out,
  };
}

/** One line that changes on a terminal; a line now and then elsewhere. */
function progressOn({ terminal, clock }: Actions): { readonly line: ExploreProgress; readonly end: () => void } {
  if (terminal.isTerminal) {
    let due = -Infinity;
    const shown = new ChangingLine(terminal.tell);
    const line: ExploreProgress = (text, found) => {
      if (found !== undefined) shown.write(`${found}\n`);
      const now = clock.steady();
      if (now < due && found === undefined) return;
      due = now + TERMINAL_EVERY_MS;
      shown.show(text, terminal.columns);
    };
    return { line, end: () => shown.clear() };
  }
  let next = clock.steady() + LOG_EVERY_MS;
  const line: ExploreProgress = (text, found) => {
    if (found !== undefined) terminal.tell(`${found}\n`);
    if (clock.steady() < next) return;
    next = clock.steady() + LOG_EVERY_MS;
    terminal.tell(`${text}\n`);
  };
  return { line, end: () => {} };
}

function saveFindings({ files }: ExploreOutcome, directory: string): void {
  // A name contains names of objects, which other users may choose.
  for (const { name, text } of files) writeFileSync(join(directory, basename(name)), text);
}

function printReport({ terminal, print }: Actions, outcome: ExploreOutcome, outputs: readonly ReportOutput[]): void {
  const width = terminal.columns ?? WIDTH;
  const form = outputs.find(({ file }) => file === undefined)?.form ?? "text";
  print(outcome.report(form, { width, paints: form === "text" && wantsColour(terminal.isTerminal, terminal.env) }));
}

function saveReports(outcome: ExploreOutcome, outputs: readonly ReportOutput[]): void {
  for (const { form, file } of outputs) {
    if (file !== undefined) writeFileSync(file, `${outcome.report(form, { width: WIDTH, paints: false })}\n`);
  }
}
