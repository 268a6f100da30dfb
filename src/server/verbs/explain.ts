/**
 * `?explain` on a dry run: the response is a report of what admission does with the write, in place of the object. See
 * docs/guides/admission.md.
 *
 * The response is 200 also where the write would be refused: the report names the step that refuses it.
 *
 * @module
 */
import type { AdmissionReport } from "../../meta/admission-report.ts";
import { REPORT_GROUP, REPORT_VERSION, type ReportedObject } from "../../meta/ownership-reports.ts";
import { badRequest } from "../../meta/status.ts";
import { type WriteTrace, failureOf } from "../../registry/index.ts";
import type { AskResult, DeleteResult } from "../../registry/contract.ts";
import type { Value } from "../../value/value.ts";
import { respondWithValue } from "../response/respond.ts";
import { JSON_ONLY, negotiate } from "../response/negotiate.ts";
import type { ResourceRequest, SentOptions } from "../request/request.ts";

/** Runs a dry run and responds with the report of its trace. Rejects with 400 for a write that is no dry run. */
export async function respondWithExplanation(
  request: ResourceRequest,
  trace: WriteTrace,
  { dryRun }: Pick<SentOptions, "dryRun">,
  work: () => Promise<AskResult | DeleteResult>,
): Promise<void> {
  if (!dryRun) throw badRequest("expected dryRun=All together with explain: an explanation stores nothing");
  const format = negotiate(request.incoming, JSON_ONLY, request);
  const outcome = await outcomeOf(work);
  const report: AdmissionReport = {
    kind: "AdmissionReport",
    apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`,
    object: objectOf(request),
    operation: trace.operation,
    steps: trace.steps,
    unconcerned: trace.unconcerned,
    ...(trace.isCut ? { changesLeftOut: true } : {}),
    ...outcome,
  };
  return respondWithValue(request.response, 200, report, format);
}

/** The response that the write would get. */
async function outcomeOf(
  work: () => Promise<AskResult | DeleteResult>,
): Promise<Pick<AdmissionReport, "code" | "failure" | "result">> {
  try {
    const result = await work();
    const { code } = result;
    return "object" in result ? { code, result: result.object as unknown as Value } : { code };
  } catch (error) {
    const { code, status } = failureOf(error);
    return { code, failure: status };
  }
}

function objectOf({ resource, info, namespace }: ResourceRequest): ReportedObject {
  const { group, version, kind } = resource.definition;
  const { name } = info;
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    name,
    ...(namespace === "" ? {} : { namespace }),
  };
}
