/**
 * What came of the stories, kept for the table of `docs/evidence/clients.md`.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** What came of one story with one kubectl. */
export interface Result {
  readonly area: string;
  readonly name: string;
  readonly version: string;
  readonly dialect: string;
  /** As told; refused as told; something else; or kubectl has no such command yet. */
  readonly outcome: "right" | "refused" | "wrong" | "absent";
}

/** Where the results lie. */
export const RESULTS_FILE: string = new URL("../../.results/kubectl.json", import.meta.url).pathname;

/** The results of a run; the last one of a story counts. */
export class Results {
  readonly #all = new Map<string, Result>();

  add(result: Result): void {
    this.#all.set(`${result.dialect} ${result.version} ${result.area} ${result.name}`, result);
  }

  write(): void {
    mkdirSync(dirname(RESULTS_FILE), { recursive: true });
    writeFileSync(RESULTS_FILE, `${JSON.stringify([...this.#all.values()], null, 1)}\n`);
  }
}
