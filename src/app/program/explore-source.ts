/**
 * What `keelson explore` explores: the scenario, the programs, and the driver, from the command line and from a finding.
 *
 * @module
 */
import { dirname, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExploreRequest, ExploredProgram } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import { programName } from "../../cli/program-name.ts";
import type { Finding } from "../../explore/contract/finding.ts";
import { type NamedRun, isModule, namedRuns } from "../../explore/contract/runs-named.ts";
import type { ExplorationModule } from "../../testing/explore/explored.ts";
import { type ScenarioFile, readScenarioFile } from "../../testing/explore/scenario-file.ts";
import { forShell } from "../../util/for-shell.ts";
import { printable } from "../../util/terminal.ts";

/** A finding that is replayed. */
export interface ReplayedFinding {
  readonly finding: Finding;
  readonly path: string;
  /** Whether the cluster is kept after the run: its laboratory is in this thread. */
  readonly isKept: boolean;
}

/** What is explored, before a laboratory is opened. */
export interface ExploreSource {
  /** Undefined for the default life of volumes. */
  readonly file: string | undefined;
  readonly programs: readonly ExploredProgram[];
  readonly csi: string | undefined;
  /** Starts the driver. */
  readonly driver: ExploredProgram["command"] | undefined;
  readonly module: ExplorationModule | undefined;
  readonly scenario: ExplorationModule["scenario"] | undefined;
  readonly operations: ScenarioFile["operations"] | ExplorationModule["operations"];
}

/** Reads the request, and loads its module. @throws CliError for what is not trusted, or is no exploration */
export async function sourceOf(request: ExploreRequest, replayed: ReplayedFinding | undefined): Promise<ExploreSource> {
  const { programs: asked, csi = replayed?.finding.csi?.endpoint } = request;
  const driver = request.driver ?? commandOf(replayed?.finding.csi?.driver);
  const file = request.file ?? (replayed && fileOf(replayed.finding, replayed.path));
  if (replayed && !request.trusts) refuseUntrusted(replayed.finding, replayed.path, request);
  const programs = replayed ? programsOf(replayed.finding, asked) : asked;
  const module = file !== undefined && isModule(file) ? await moduleOf(file) : undefined;
  const found = module ?? (file === undefined ? undefined : readScenarioFile(file));
  return { file, programs, csi, driver, module, scenario: found?.scenario, operations: found?.operations };
}

/** The definitions of a module. */
async function moduleOf(file: string): Promise<ExplorationModule> {
  const { default: found } = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown };
  if (typeof found === "object" && found !== null && "scenario" in found) return found as ExplorationModule;
  throw new CliError(`expected the default export of ${file} to be made by defineExploration`);
}

/** The scenario of a finding; its path is relative to the finding. */
function fileOf({ scenario: { file, name }, csi }: Finding, path: string): string | undefined {
  if (file !== undefined) return resolve(dirname(path), file);
  if (csi) return undefined;
  throw new CliError(`expected the file of the scenario ${name}: ${path} does not name one`, { usage: true });
}

const commandOf = ([first, ...rest]: readonly string[] = []): ExploredProgram["command"] | undefined =>
  first === undefined ? undefined : [first, ...rest];

/** The programs of a finding; a single one has the name in its plan. */
function programsOf(finding: Finding, asked: readonly ExploredProgram[]): readonly ExploredProgram[] {
  if (asked.length > 1) return asked;
  const { programs = [], plan } = finding;
  if (asked.length === 0 && programs.length > 0) {
    return programs.flatMap(({ name, command }) => {
      const started = commandOf(command);
      return started ? [{ name, command: started }] : [];
    });
  }
  const command = asked[0]?.command ?? commandOf(finding.command);
  if (!command) return asked;
  const actors = plan.flatMap((one) => ("at" in one ? [one.at.actor] : "actor" in one ? [one.actor] : []));
  const actor = actors.find((one) => one !== "user" && one !== "cluster");
  return [{ name: actor ?? asked[0]?.name ?? programName(command), command }];
}

/** A finding may come from any author: what it names is not run unless the command line names it, too. */
function refuseUntrusted(finding: Finding, path: string, request: ExploreRequest): void {
  const line = (words: readonly string[]): string => words.map((word) => forShell(printable(word))).join(" ");
  const isNamed: Readonly<Record<NamedRun["type"], boolean>> = {
    module: request.file !== undefined,
    csi: request.csi !== undefined,
    driver: request.driver !== undefined,
    program: request.programs.length > 0,
    command: request.programs.length > 0,
  };
  const words = (run: NamedRun): readonly string[] => {
    switch (run.type) {
      case "module":
        return [relative(".", fileOf(finding, path)!)];
      case "csi":
        return ["--csi", run.endpoint];
      case "driver":
        return ["--driver", line(run.command)];
      case "program":
        return ["--program", `${run.name}=${line(run.command)}`];
      case "command":
        return ["--", ...run.command];
    }
  };
  const named = namedRuns(finding).filter(({ type }) => !isNamed[type]);
  if (named.length === 0) return;
  throw new CliError(
    `expected what the finding runs on the command line, because anybody may have written ${path}. It names:\n\n  ${line(named.flatMap(words))}\n\nAdd this, or --trust, to play it again`,
  );
}
