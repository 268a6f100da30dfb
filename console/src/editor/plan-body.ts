import { PLAN_VERSION } from "../../../src/meta/plan-report.ts";

/** What a plan is asked with, beside its documents. */
export interface PlanBody {
  readonly fieldManager: string;
  readonly namespace: string;
  readonly commit: boolean;
}

/**
 * The body of a plan in YAML, from the texts of its documents: they are moved to the right and stay as they were written, so that
 * no number loses a digit.
 */
export function planBody(documents: readonly string[], { fieldManager, namespace, commit }: PlanBody): string {
  const head = { kind: "PlanRequest", apiVersion: PLAN_VERSION, fieldManager, namespace, commit };
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  lines.push(`fieldValidation: "Strict"`, "documents:");
  for (const document of documents) {
    lines.push("-");
    for (const line of document.replace(/^%.*\n/gm, "").split("\n")) {
      if (/^(?:---|\.\.\.)\s*$/.test(line)) continue;
      lines.push(line === "" ? "" : `  ${line.replace(/^---\s+/, "")}`);
    }
  }
  return `${lines.join("\n")}\n`;
}
