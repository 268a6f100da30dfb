/**
 * The programs and modules that a finding runs when it is played again. A finding may come from anyone, so nothing in it runs unless the
 * command line names it, too, or trusts the finding.
 *
 * @module
 */
import { forShell } from "../../util/for-shell.ts";
import type { Finding } from "./finding.ts";

/** One thing that a finding runs or calls. */
export type NamedRun =
  /** The file of the scenario is code. */
  | { readonly type: "module"; readonly file: string }
  | { readonly type: "csi"; readonly endpoint: string }
  | { readonly type: "driver"; readonly command: readonly string[] }
  | { readonly type: "program"; readonly name: string; readonly command: readonly string[] }
  | { readonly type: "command"; readonly command: readonly string[] };

/** Whether the file of a scenario is a module, which runs when it is loaded. */
export const isModule = (file: string): boolean => /\.m?[jt]s$/.test(file);

/** Returns the programs and addresses that a finding runs or calls; none where its scenario is data, or code of a test. */
export function namedRuns({ scenario: { file }, csi, programs = [], command = [] }: Finding): readonly NamedRun[] {
  return [
    ...(file !== undefined && isModule(file) ? [{ type: "module", file } as const] : []),
    ...(csi ? [{ type: "csi", endpoint: csi.endpoint } as const] : []),
    ...(csi?.driver ? [{ type: "driver", command: csi.driver } as const] : []),
    ...programs.map((program) => ({ type: "program", ...program }) as const),
    ...(command.length > 0 ? [{ type: "command", command } as const] : []),
  ];
}

/**
 * Returns the command line that plays a finding again; undefined where the scenario is code of a test, which calls `replay`.
 *
 * @param file the path of the finding
 * @param options further options
 */
export function replayCommand(finding: Finding, file: string, options: readonly string[] = []): string | undefined {
  const runs = namedRuns(finding);
  if (finding.scenario.file === undefined && runs.length === 0) return undefined;
  const trust = runs.length === 0 ? [] : ["--trust"];
  return ["keelson", "explore", "--replay", file, ...options, ...trust].map(forShell).join(" ");
}
