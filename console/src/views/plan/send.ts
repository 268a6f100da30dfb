import { PLAN_PATH, type PlanReport } from "../../../../src/meta/plan-report.ts";
import { ApiFailure, request, requestText } from "../../api/http.ts";

/** Sends a plan; the response to a refused one is a plan, too. */
export async function sendPlan(body: object): Promise<PlanReport> {
  try {
    return await request<PlanReport>(PLAN_PATH, { method: "POST", body });
  } catch (error) {
    if (!(error instanceof ApiFailure) || !("commit" in body) || body.commit !== true || error.code < 400) throw error;
    // What is refused is in the plan that is not stored.
    const { text } = await requestText(PLAN_PATH, { method: "POST", body: { ...body, commit: false } });
    const report = JSON.parse(text) as PlanReport;
    if (report.documents.every(({ result: one }) => one !== "refused")) throw error;
    return { ...report, outcome: "refused", status: error.status };
  }
}
