/**
 * Reads the request of a plan.
 *
 * @module
 */
import { FieldErrors } from "../meta/field-errors.ts";
import { validateFieldManager } from "../meta/object-meta-rules.ts";
import { PLAN_VERSION, type PlanRequest, type PrunedBySelector, type PrunedBySet } from "../meta/plan-report.ts";
import { parseLabelSelector } from "../meta/selectors.ts";
import { badRequest, invalid, tooLarge } from "../meta/status.ts";
import { type Value, type ValueObject, getMember, isObject } from "../value/value.ts";

/** The documents of one plan. */
export const MAX_DOCUMENTS = 4096;

const VALIDATIONS: readonly string[] = ["Ignore", "Warn", "Strict"];

/** The request in a body; 400 or 422 where it is none, 413 where it has too many documents. */
export function planRequestOf(body: Value): PlanRequest {
  if (!isObject(body)) throw badRequest("expected the body to be a PlanRequest, got no object");
  const [kind, apiVersion] = [body["kind"], body["apiVersion"]];
  if (kind !== "PlanRequest" || apiVersion !== PLAN_VERSION) {
    throw badRequest(`expected a PlanRequest of ${PLAN_VERSION}, got ${shown(kind)} of ${shown(apiVersion)}`);
  }
  const documents = getMember(body, "documents");
  if (!Array.isArray(documents)) throw badRequest("expected documents to be a list of objects");
  if (documents.length > MAX_DOCUMENTS) {
    throw tooLarge(`expected at most ${MAX_DOCUMENTS} documents, got ${documents.length}`, "documents of a plan");
  }
  const prune = pruneOf(getMember(body, "prune"));
  return {
    kind,
    apiVersion,
    documents,
    fieldManager: managerOf(body),
    force: flag(body, "force"),
    fieldValidation: validationOf(body),
    namespace: text(body, "namespace") || "default",
    commit: flag(body, "commit"),
    objects: flag(body, "objects"),
    ...(prune ? { prune } : {}),
  };
}

function managerOf(body: ValueObject): string {
  const manager = text(body, "fieldManager");
  const errors = new FieldErrors();
  if (manager === "") errors.required("fieldManager", "expected the name of the applier, got none");
  validateFieldManager(manager, "fieldManager", errors);
  if (errors.any) throw invalid({ group: "keelson.dev", kind: "PlanRequest" }, "", errors.causes);
  return manager;
}

function validationOf(body: ValueObject): "Ignore" | "Warn" | "Strict" {
  const validation = text(body, "fieldValidation") || "Warn";
  if (VALIDATIONS.includes(validation)) return validation as "Ignore" | "Warn" | "Strict";
  throw badRequest(`expected fieldValidation to be one of ${VALIDATIONS.join(", ")}, got ${shown(validation)}`);
}

function pruneOf(value: Value | undefined): PrunedBySelector | PrunedBySet | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw badRequest("expected prune to be an object with a selector or a set");
  const set = getMember(value, "set");
  const selector = text(value, "selector");
  if ((selector === "") === (set === undefined)) {
    throw badRequest("expected prune to have either a selector, which selects something, or a set");
  }
  if (set === undefined) return { selector: parseLabelSelector(selector).text };
  if (!isObject(set) || text(set, "name") === "") throw badRequest("expected prune.set to be an object with a name");
  const [kind, namespace] = [text(set, "kind") || "Secret", text(set, "namespace")];
  if (kind !== "Secret" && kind !== "ConfigMap") {
    throw badRequest(`expected prune.set.kind to be Secret or ConfigMap, got ${shown(kind)}`);
  }
  return { set: { name: text(set, "name"), kind, ...(namespace === "" ? {} : { namespace }) } };
}

function text(value: ValueObject, member: string): string {
  const found = getMember(value, member) ?? "";
  if (typeof found === "string") return found;
  throw badRequest(`expected ${member} to be a text, got ${shown(found)}`);
}

function flag(value: ValueObject, member: string): boolean {
  const found = getMember(value, member) ?? false;
  if (typeof found === "boolean") return found;
  throw badRequest(`expected ${member} to be true or false, got ${shown(found)}`);
}

const shown = (value: Value | undefined): string => (JSON.stringify(value) ?? "nothing").slice(0, 100);
