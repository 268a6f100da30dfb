import { PLAN_PATH, PLAN_VERSION, type PlanReport } from "../../../../src/meta/plan-report.ts";
import { ApiFailure, request } from "../../api/http.ts";

/** What is planned, and how. */
export interface PlanRequest {
  readonly fieldManager: string;
  readonly namespace: string;
  readonly force: boolean;
  /** Each as JSON. */
  readonly documents: readonly string[];
}

/** Sends a plan, to apply it with `commit`; the response to a refused one is a plan, too. @throws {ApiFailure} */
export async function sendPlan(plan: PlanRequest, commit: boolean): Promise<PlanReport> {
  const send = (commits: boolean): Promise<PlanReport> =>
    request<PlanReport>(PLAN_PATH, { method: "POST", body: bodyOf(plan, commits) });
  try {
    return await send(commit);
  } catch (error) {
    if (!(error instanceof ApiFailure) || !commit || error.code < 400) throw error;
    // What is refused is in the plan that is not stored.
    const report = await send(false);
    if (report.documents.every(({ result: one }) => one !== "refused")) throw error;
    return { ...report, outcome: "refused", status: error.status };
  }
}

/** The body, in which the documents stay as they are. */
function bodyOf({ documents, ...options }: PlanRequest, commit: boolean): string {
  const head = JSON.stringify({ kind: "PlanRequest", apiVersion: PLAN_VERSION, ...options, commit });
  return `${head.slice(0, -1)},"documents":[${documents.join(",")}]}`;
}
