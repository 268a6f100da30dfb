/**
 * Reports of explorations: for a terminal, as HTML, JUnit XML, SARIF and JSON, and as a test to paste.
 *
 * @module
 */
import { painter } from "../../util/terminal.ts";
import type { ExplorationReport } from "./exploration-report.ts";
import { explorationText } from "./exploration-text.ts";
import { explorationHtml } from "./html.ts";
import { explorationJunit } from "./junit.ts";
import { explorationSarif } from "./sarif.ts";

export { explorationReport, type ExplorationReport, type ReportOptions } from "./exploration-report.ts";
export { explorationLines, explorationText } from "./exploration-text.ts";
export { type Evidence, findingReport, type FindingReport } from "./finding-report.ts";
export { testToPaste, type TestRunner } from "./paste.ts";
export { findingLines, type TextStyle } from "./terminal.ts";

export type ReportForm = "text" | "json" | "junit" | "sarif" | "html";

/** How a report is printed. */
export interface FormOptions {
  readonly width?: number;
  /** Whether a text has colours. */
  readonly paints?: boolean;
  /** The path of the scenario from the root of the repository, for SARIF. */
  readonly location?: string;
}

/** Returns a report in one of its forms. */
export function formatReport(report: ExplorationReport, form: ReportForm, options: FormOptions = {}): string {
  switch (form) {
    case "text":
      return explorationText(report, { paint: painter(options.paints ?? false), columns: options.width });
    case "json":
      return JSON.stringify(report, undefined, 2);
    case "junit":
      return explorationJunit(report);
    case "sarif":
      return JSON.stringify(explorationSarif(report, options.location), undefined, 2);
    case "html":
      return explorationHtml(report);
  }
}
