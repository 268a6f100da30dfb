/**
 * Reports of explorations: for a terminal, and as HTML, JUnit XML, SARIF and JSON.
 *
 * @module
 */
import { painter, printableJson } from "../../util/terminal.ts";
import type { ExplorationReport } from "./exploration-report.ts";
import { explorationText } from "./exploration-text.ts";
import { explorationHtml } from "./html.ts";
import { explorationJunit } from "./junit.ts";
import { explorationSarif } from "./sarif.ts";

export { explorationReport, type ExplorationReport } from "./exploration-report.ts";

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
      return printableJson(JSON.stringify(report, undefined, 2));
    case "junit":
      return explorationJunit(report);
    case "sarif":
      return printableJson(JSON.stringify(explorationSarif(report, options.location), undefined, 2));
    case "html":
      return explorationHtml(report);
  }
}
