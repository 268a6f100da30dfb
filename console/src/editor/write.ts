/**
 * Writes of a text: first as a dry run, then in earnest.
 *
 * @module
 */
import { StatusError, isStatus } from "../../../src/client/errors.ts";
import { type Choice, applyAndResolve } from "../../../src/client/objects/resolve.ts";
import type { AdmissionReport } from "../../../src/meta/admission-report.ts";
import { type ApplyConflictReport, acceptReport } from "../../../src/meta/ownership-reports.ts";
import { PLAN_PATH, type PlanReport } from "../../../src/meta/plan-report.ts";
import type { ApiObject } from "../../../src/client/kind.ts";
import type { Kind } from "../api/discovery.ts";
import { collectionPath, objectPath } from "../api/kube.ts";
import type { RequestOptions } from "../api/http.ts";
import { type Written, sendText, statusOf } from "./client.ts";
import type { EditorWorker } from "./in-worker.ts";
import { type PlanBody, planBody } from "./plan-body.ts";
import { storedText } from "./stored-text.ts";

/** How a text is written. */
export type Method = "create" | "update" | "apply";

/** What is written, and where. */
export interface Target {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly manager: string;
}

/** A conflict for which nothing is decided yet. */
export class Undecided extends Error {
  override readonly name = "Undecided";
  readonly report: ApplyConflictReport;

  constructor(report: ApplyConflictReport) {
    super(report.message);
    this.report = report;
  }
}

const YAML = "application/yaml";
const APPLY = "application/apply-patch+yaml";

const queryOf = (manager: string, dryRun: boolean): NonNullable<RequestOptions["query"]> => ({
  fieldManager: manager,
  fieldValidation: "Strict",
  dryRun: dryRun ? "All" : undefined,
});

/** Creates or replaces an object. @throws {StatusError} if it is refused */
export function writeText(
  method: "create" | "update",
  text: string,
  { kind, namespace, name, manager }: Target,
  dryRun: boolean,
): Promise<Written> {
  const query = queryOf(manager, dryRun);
  return method === "create"
    ? sendText(collectionPath(kind, namespace), { method: "POST", body: text, type: YAML, query })
    : sendText(objectPath(kind, namespace, name), { method: "PUT", body: text, type: YAML, query });
}

/**
 * Applies a text, whose conflicts were decided by the names of their fields.
 *
 * @throws {Undecided} for conflicts that were not
 * @throws {StatusError} if it is refused
 */
export async function applyText(
  text: string,
  { kind, namespace, name, manager }: Target,
  choices: Readonly<Record<string, Choice>>,
  worker: Pick<EditorWorker, "change">,
  dryRun: boolean,
): Promise<Written> {
  let body = text;
  let last: Written | undefined;
  const path = objectPath(kind, namespace, name);
  await applyAndResolve(
    {
      text: async (version) => (version === undefined ? body : worker.change(body, "[]", version)),
      async change(patch) {
        if (patch.length > 0) body = await worker.change(body, JSON.stringify(patch), undefined);
      },
    },
    async (sent, force) => {
      last = await sendText(path, {
        method: "PATCH",
        body: sent,
        type: APPLY,
        accept: `${acceptReport("ApplyConflict")}, application/json`,
        query: { ...queryOf(manager, dryRun), force: force ? "true" : undefined },
      });
      return JSON.parse(last.text) as ApiObject;
    },
    ({ field }, report) => {
      const choice = Object.hasOwn(choices, field) ? choices[field] : undefined;
      if (choice === undefined) throw new Undecided(report);
      return choice;
    },
  );
  return last!;
}

/** Asks what admission would do with a write; undefined where the server does not say. */
export async function explainWrite(
  method: Method,
  text: string,
  { kind, namespace, name, manager }: Target,
): Promise<AdmissionReport | undefined> {
  const query = { ...queryOf(manager, true), explain: "true", force: method === "apply" ? "true" : undefined };
  const options = {
    create: { method: "POST", type: YAML },
    update: { method: "PUT", type: YAML },
    apply: { method: "PATCH", type: APPLY },
  }[method];
  const path = method === "create" ? collectionPath(kind, namespace) : objectPath(kind, namespace, name);
  try {
    const { text: json } = await sendText(path, { ...options, body: text, query });
    const report = JSON.parse(json) as AdmissionReport;
    return report.kind === "AdmissionReport" ? report : undefined;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** The object as it is stored now, as text; empty where there is none. @throws {StatusError} if it cannot be read */
export async function storedNow({ kind, namespace, name }: Target, hideStatus: boolean): Promise<string> {
  if (name === "") return "";
  try {
    const { text } = await sendText(objectPath(kind, namespace, name), {});
    return (await storedText(text, hideStatus)).text;
  } catch (error) {
    if (statusOf(error).code === 404) return "";
    throw error;
  }
}

/** Plans documents as one, or stores them if that is asked for. @throws {StatusError} if there is no plan of them */
export async function planTexts(documents: readonly string[], options: PlanBody): Promise<PlanReport> {
  try {
    const body = planBody(documents, options);
    const { text } = await sendText(PLAN_PATH, { method: "POST", body, type: YAML });
    return JSON.parse(text) as PlanReport;
  } catch (error) {
    // Documents that were not stored come with a report that says why.
    if (error instanceof StatusError && error.plan) return error.plan;
    throw error;
  }
}

/** Whether an object was changed since the text was read. */
export const isStale = (error: unknown): boolean => isStatus(error, "Conflict") && error.conflict === undefined;

/** The names of fields that a refusal is about, with what is said of each. */
export function causesOf(error: unknown): readonly { readonly field: string; readonly message: string }[] {
  if (!(error instanceof StatusError)) return [];
  const { details, message = "" } = error.status;
  const causes = (details?.causes ?? []).flatMap(({ field, message: said }) =>
    field ? [{ field, message: said }] : [],
  );
  if (causes.length > 0) return causes;
  // A strict decoder names fields in its message only.
  return Array.from(
    message.slice(0, 20_000).matchAll(/(unknown|duplicate) field "([^"]{1,1000})"/g),
    ([, what, field = ""]) => ({
      field,
      message: `${what} field ${field}`,
    }),
  );
}
