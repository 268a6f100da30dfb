/**
 * Scenarios: request sequences with what a real API server answered (see README.md beside this file).
 *
 * @module
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A request, a pause, or branches that run side by side. */
export interface Step {
  readonly do?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly raw?: string;
  readonly type?: string;
  /** One that is null is not sent, one that is a list is sent as several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly save?: Readonly<Record<string, string>>;
  readonly pick?: readonly string[];
  readonly only?: "status" | "type" | "reason";
  readonly watch?: { readonly events?: number; readonly ms?: number };
  /** Sent again and again until these values are there: null for one that is absent, `<set>` for any, `$status` for the code. */
  readonly until?: Readonly<Record<string, unknown>> & { readonly ms?: number };
  readonly answerHeaders?: readonly string[];
  readonly layout?: boolean;
  /** Which of these texts the answer holds is recorded. */
  readonly says?: readonly string[];
  /** Where in the answer there is a signed token; what it claims is recorded. */
  readonly claims?: string;
  readonly shape?: boolean;
  readonly wait?: number;
  readonly parallel?: readonly (readonly Step[])[];
  /** Asked of the hook server and not of the API server. */
  readonly at?: "hooks";
}

/** A named sequence. */
export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly cleanup?: readonly Step[];
  readonly clusterOnly?: boolean;
  /** Whether nothing else may be played meanwhile: what it makes counts in the whole cluster. */
  readonly alone?: boolean;
  /** Whether it waits for a minute or more: with `LONG=1` and by `npm run conformance` only. */
  readonly long?: boolean;
}

/** A scenario with the recorded answer of each step. */
export interface RecordedScenario {
  readonly scenario: Scenario;
  readonly expected: readonly unknown[];
  /** The first part of the name: `core`, `apply` ... */
  readonly area: string;
}

/** Recorded answers of a file, by the name of the scenario. */
export type Golden = Record<string, readonly unknown[]>;

/** One file of scenarios, with the answers that were recorded of them. */
export interface ScenarioFile {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  readonly golden: Golden;
}

/** Every file, in the order of the names. */
export function loadFiles(folder: string): readonly ScenarioFile[] {
  return readdirSync(join(folder, "scenarios"))
    .toSorted()
    .map((name) => {
      const golden = join(folder, "golden", name);
      return {
        name,
        scenarios: readJson(join(folder, "scenarios", name)) as Scenario[],
        golden: existsSync(golden) ? (readJson(golden) as Golden) : {},
      };
    });
}

/** Every scenario that has recorded answers, in the order of the files. */
export function loadScenarios(folder: string): readonly RecordedScenario[] {
  return loadFiles(folder).flatMap(({ scenarios, golden }) =>
    scenarios.flatMap((scenario) => {
      const expected = golden[scenario.name];
      return expected ? [{ scenario, expected, area: scenario.name.split("/")[0]! }] : [];
    }),
  );
}

/** Writes recorded answers, a step on each line. */
export function writeGolden(folder: string, name: string, golden: Golden): void {
  const entries = Object.entries(golden).map(([scenario, answers]) => {
    const lines = answers.map((answer) => `  ${JSON.stringify(answer)}`);
    return ` ${JSON.stringify(scenario)}: [\n${lines.join(",\n")}\n ]`;
  });
  writeFileSync(join(folder, "golden", name), `{\n${entries.join(",\n")}\n}\n`);
}

/** The requests and pauses of steps in the order of their answers; those of branches one branch after another. */
export const requestsOf = (steps: readonly Step[]): readonly Step[] =>
  steps.flatMap((step) => (step.parallel ? step.parallel.flatMap(requestsOf) : [step]));

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
