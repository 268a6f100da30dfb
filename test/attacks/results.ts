/**
 * What came of attacks, as it is kept for the page of figures.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";

/** Where the results are. */
export const RESULTS: string = new URL("../../.results/attacks/", import.meta.url).pathname;

/** What an attack may do to a server. */
export interface Bounds {
  /** The longest turn of the event loop, in ms of CPU. */
  readonly turnMillis: number;
  /** Resident memory beyond what it was, at its highest, in MiB. */
  readonly peakMiB: number;
  /** Memory in use beyond what it was, once all is over and garbage has been collected, in MiB. */
  readonly keptMiB: number;
  /** How long 99 of 100 requests of the healthy client may take, in ms of the wall's clock; no bound without it. */
  readonly healthyMillis?: number;
}

/** What came of a row. */
export interface RowResult {
  readonly name: string;
  readonly bounds: Bounds;
  readonly turnMillis: number;
  readonly peakMiB: number;
  readonly keptMiB: number;
  /** How long 99 of 100 requests of the healthy client took at most, in ms of the wall's clock. */
  readonly healthyMillis: number;
}

/** What came of a table of rows. */
export interface TableResult {
  readonly title: string;
  readonly file: string;
  readonly long: boolean;
  /** The day on which it was played, as `2026-01-31`. */
  readonly day: string;
  readonly rows: readonly RowResult[];
}

/** Keeps what came of a table. */
export function keep(result: TableResult): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}${result.title.replaceAll(/\W+/g, "-")}.json`, `${JSON.stringify(result, undefined, 1)}\n`);
}
