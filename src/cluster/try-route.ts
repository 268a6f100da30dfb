/**
 * `POST /keelson/v1/policies/try`: the effect of policies on all stored objects, and on the writes of the history. See
 * docs/guides/admission-policies.md.
 *
 *     ?limit=20      how many findings it reports in detail
 * The body is a List, as JSON or YAML: policies, their bindings, and objects that exist only in the trial, such as params. The user needs
 * the right to list each resource in the trial; resources that the user may not list are left out. Params and webhooks need the rights with
 * which the server would store the policy, the binding or the configuration.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import { REPORT_LIMIT } from "../meta/report-limit.ts";
import { badRequest } from "../meta/status.ts";
import { TRY_PATH, type TrialReport } from "../meta/trial-report.ts";
import { type Route, respondWithStream, ownerOf, valueBody } from "../server/index.ts";
import { objectsOf } from "../value/documents.ts";
import type { Value } from "../value/value.ts";
import type { TryOptions } from "../trial/index.ts";

/** A policy is evaluated for all stored objects: more policies need several requests. */
const MAX_DOCUMENTS = 200;

/** A trial whose documents have been read. */
export type PreparedTrial = (options: TryOptions) => Promise<TrialReport>;

/** The route to trials; `prepare` reads the documents, and rejects where the server would refuse them. */
export const tryRoute = (
  prepare: (documents: readonly Value[], identity: Identity) => Promise<PreparedTrial>,
): Route => ({
  path: TRY_PATH,
  methods: ["POST"],
  handle: async (server, request) => {
    const { incoming, response, identity } = request;
    const limit = incoming.query.number("limit", { ...REPORT_LIMIT, least: 0 });
    const documents = objectsOf(await valueBody(server, response), "the body").map(({ value }) => value);
    if (documents.length === 0 || documents.length > MAX_DOCUMENTS) {
      throw badRequest(`expected a List of 1 to ${MAX_DOCUMENTS} documents, got ${documents.length}`);
    }
    const tryThem = await prepare(documents, identity);
    const over = new AbortController();
    const report = tryThem({ identity, limit, signal: over.signal });
    // The response has begun: a failure breaks it off.
    report.catch((error: unknown) => over.signal.aborted || server.faults.report("request", error));
    await respondWithStream(server, response, ownerOf(request), "application/json", piecesOf(report), () =>
      over.abort(),
    );
  },
});

/** The report as one piece. */
async function* piecesOf(report: Promise<TrialReport>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(await report));
}
