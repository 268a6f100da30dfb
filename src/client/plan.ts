/** Plans the documents of manifests as one, and applies them as one: all or none. Only Keelson has this. */
import { PLAN_PATH, PLAN_VERSION, type PlanReport, type PlanRequest } from "../meta/plan-report.ts";
import type { Value } from "../value/value.ts";
import type { Client } from "./client.ts";
import { StatusError } from "./errors.ts";

/** The options of {@link planDocuments}. */
export interface PlanOptions extends Pick<
  PlanRequest,
  "fieldManager" | "force" | "fieldValidation" | "namespace" | "objects" | "prune"
> {
  /** Aborts the request; all documents are stored then, or none. */
  readonly signal?: AbortSignal | undefined;
}

/** Plans documents: nothing is stored. Refused documents are part of the report. */
export const planDocuments = (
  client: Client,
  documents: readonly object[],
  options: PlanOptions,
): Promise<PlanReport> => send(client, documents, options, false);

/**
 * Applies documents as one: all are stored at one revision, or none. A report with the outcome `refused` says why none is.
 *
 * @throws StatusError where the request as a whole fails
 */
export async function applyDocuments(
  client: Client,
  documents: readonly object[],
  options: PlanOptions,
): Promise<PlanReport> {
  try {
    return await send(client, documents, options, true);
  } catch (error) {
    if (error instanceof StatusError && error.plan) return error.plan;
    throw error;
  }
}

function send(
  client: Client,
  documents: readonly object[],
  { signal, ...options }: PlanOptions,
  commit: boolean,
): Promise<PlanReport> {
  const body: PlanRequest = {
    kind: "PlanRequest",
    apiVersion: PLAN_VERSION,
    documents: documents as readonly Value[],
    commit,
    ...options,
  };
  return client.json("POST", PLAN_PATH, { body, signal });
}
