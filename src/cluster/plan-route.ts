/**
 * `POST /keelson/v1/plan`: judges documents as one, and stores them as one where that is requested. See docs/guides/plan.md.
 *
 * The body is a PlanRequest as JSON or YAML, the response a PlanReport. Each document needs the rights that a write of its own
 * would need. Where the documents are to be stored and cannot be, the code of the response is that of the first refusal.
 *
 * @module
 */
import { PLAN_PATH, type PlanReport } from "../meta/plan-report.ts";
import type { PlanParts } from "../plan/contract.ts";
import { type Route, respondInPieces, valueBody } from "../server/index.ts";
import { once } from "../util/once.ts";

/** The route to plans, which is loaded with the first of them. */
export function planRoute(parts: PlanParts): Route {
  const load = once(async () => {
    const [{ Planner }, { planRequestOf }] = await Promise.all([
      import("../plan/planner.ts"),
      import("../plan/request.ts"),
    ]);
    return { planner: new Planner(parts), planRequestOf };
  });
  return {
    path: PLAN_PATH,
    methods: ["POST"],
    handle: async (server, request) => {
      const { response, identity, incoming } = request;
      const { planner, planRequestOf } = await load();
      const planRequest = planRequestOf(await valueBody(server, response));
      const over = new AbortController();
      response.responder.onOver(() => over.abort());
      const { userAgent } = incoming;
      const caller = { identity, userAgent, signal: over.signal, record: request.recordPart };
      const report = await planner.run(planRequest, caller).catch((error: unknown) => {
        // The client has left, or has got a response after the timeout of the request.
        if (!over.signal.aborted) throw error;
      });
      if (!report) return;
      response.changed = report.outcome === "committed";
      response.code = report.status?.code ?? 200;
      await respondInPieces(response, "application/json", piecesOf(report));
    },
  };
}

/** The JSON of a report, document by document. */
function* piecesOf(report: PlanReport): Generator<string> {
  const { documents, pruned, ...head } = report;
  yield `${JSON.stringify(head).slice(0, -1)},"documents":`;
  yield* listOf(documents);
  yield `,"pruned":`;
  yield* listOf(pruned);
  yield "}\n";
}

function* listOf(values: readonly unknown[]): Generator<string> {
  yield "[";
  for (const [i, value] of values.entries()) yield (i === 0 ? "" : ",") + JSON.stringify(value);
  yield "]";
}
