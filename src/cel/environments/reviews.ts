/**
 * Match conditions of authorization webhooks: over the SubjectAccessReview that the webhook would get.
 *
 * @module
 */
import { type Value as Json, type ValueObject, isObject } from "../../value/value.ts";
import { allFunctions } from "../library/index.ts";
import type { Program } from "../program.ts";
import { BOOL, STRING, type Type, listOf } from "../types.ts";
import { Failure } from "../values.ts";
import { EXTRA, STRING_LIST, WITH_TYPE, compileTo, structType } from "./expression.ts";
import { jsonView } from "../json-view.ts";

const REQUIREMENT = structType("SelectorRequirement", { key: STRING, operator: STRING, values: STRING_LIST });
const selector = (name: string): Type => structType(name, { rawSelector: STRING, requirements: listOf(REQUIREMENT) });

/** The string members of the attributes, which are always set. */
const ATTRIBUTES = ["namespace", "verb", "group", "version", "resource", "subresource", "name"];

const REQUEST = structType("SubjectAccessReviewSpec", {
  resourceAttributes: structType("ResourceAttributes", {
    ...Object.fromEntries(ATTRIBUTES.map((name) => [name, STRING])),
    fieldSelector: selector("FieldSelectorAttributes"),
    labelSelector: selector("LabelSelectorAttributes"),
  }),
  nonResourceAttributes: structType("NonResourceAttributes", { path: STRING, verb: STRING }),
  user: STRING,
  groups: STRING_LIST,
  extra: EXTRA,
  uid: STRING,
});

/** A compiled condition, or its error. */
export type Condition =
  | { readonly source: string; readonly program: Program; readonly error?: undefined }
  | { readonly error: string; readonly program?: undefined };

/** Compiles a condition over `request`. */
export function compileCondition(source: string): Condition {
  const env = { functions: allFunctions(), variables: new Map([["request", REQUEST]]) };
  const compiled = compileTo(source, env, [BOOL], WITH_TYPE);
  return compiled.program ? { source, program: compiled.program } : { error: compiled.error };
}

/** Whether a review meets a condition; a failure where the evaluation fails. */
export function meets(condition: Condition & { readonly program: Program }, spec: ValueObject): boolean | Failure {
  const { value } = condition.program.run([jsonView(requestOf(spec))]);
  if (typeof value === "boolean") return value;
  const why = value instanceof Failure ? value.message : "no bool";
  return new Failure(`cel evaluation error: expression '${condition.source}' resulted in error: ${why}`);
}

const textsOf = (from: ValueObject, names: readonly string[]): ValueObject =>
  Object.fromEntries(names.map((name) => [name, from[name] ?? ""]));

/** The spec of a review with all its strings, also the empty ones. */
function requestOf(spec: ValueObject): ValueObject {
  const { resourceAttributes = null, nonResourceAttributes = null } = spec;
  return {
    ...textsOf(spec, ["user", "uid"]),
    groups: spec["groups"] ?? [],
    extra: spec["extra"] ?? {},
    ...(isObject(resourceAttributes) ? { resourceAttributes: attributesOf(resourceAttributes) } : {}),
    ...(isObject(nonResourceAttributes)
      ? { nonResourceAttributes: textsOf(nonResourceAttributes, ["path", "verb"]) }
      : {}),
  };
}

function attributesOf(attributes: ValueObject): ValueObject {
  const all = textsOf(attributes, ATTRIBUTES);
  for (const name of ["fieldSelector", "labelSelector"]) {
    const found = selectorOf(attributes[name]);
    if (found) all[name] = found;
  }
  return all;
}

/** The raw selector, else its requirements; undefined for an empty selector. */
function selectorOf(value: Json | undefined): ValueObject | undefined {
  if (!isObject(value)) return undefined;
  const { rawSelector = "", requirements } = value;
  if (rawSelector !== "") return { rawSelector };
  const list = Array.isArray(requirements) ? requirements.filter(isObject) : [];
  if (list.length === 0) return undefined;
  return {
    requirements: list.map((one) => ({ ...textsOf(one, ["key", "operator"]), values: one["values"] ?? [] })),
  };
}
