/**
 * Scenarios: request sequences with what a real API server answered (see README.md beside this file).
 *
 * @module
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A request, a pause, or branches that run side by side. */
export interface Step {
  readonly do?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly raw?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly save?: Readonly<Record<string, string>>;
  readonly pick?: readonly string[];
  readonly only?: "status" | "type" | "reason";
  readonly watch?: { readonly events?: number; readonly ms?: number };
  readonly until?: Readonly<Record<string, unknown>> & { readonly ms?: number };
  readonly answerHeaders?: readonly string[];
  readonly layout?: boolean;
  readonly shape?: boolean;
  readonly wait?: number;
  readonly parallel?: readonly (readonly Step[])[];
}

/** A named sequence. */
export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly cleanup?: readonly Step[];
  readonly clusterOnly?: boolean;
}

/** A scenario with the recorded answer of each step. */
export interface RecordedScenario {
  readonly scenario: Scenario;
  readonly expected: readonly unknown[];
  /** The first part of the name: `core`, `apply` ... */
  readonly area: string;
}

/** Every scenario that has recorded answers, in the order of the files. */
export function loadScenarios(folder: string): readonly RecordedScenario[] {
  return readdirSync(join(folder, "scenarios"))
    .toSorted()
    .flatMap((file) => {
      const scenarios = readJson(join(folder, "scenarios", file)) as Scenario[];
      const golden = readJson(join(folder, "golden", file)) as Record<string, unknown[]>;
      return scenarios.flatMap((scenario) => {
        const expected = golden[scenario.name];
        return expected ? [{ scenario, expected, area: scenario.name.split("/")[0]! }] : [];
      });
    });
}

/** The requests and pauses of steps in the order of their answers; those of branches one branch after another. */
export const requestsOf = (steps: readonly Step[]): readonly Step[] =>
  steps.flatMap((step) => (step.parallel ? step.parallel.flatMap(requestsOf) : [step]));

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
