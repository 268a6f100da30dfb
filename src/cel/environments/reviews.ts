/**
 * Match conditions of a webhook that authorizes: over the review that it would be sent.
 *
 * @module
 */
import type { Value as Json, ValueObject } from "../../value/value.ts";
import { allFunctions } from "../library/index.ts";
import type { Program } from "../program.ts";
import { BOOL, STRING, type Type, listOf } from "../types.ts";
import { Failure } from "../values.ts";
import { EXTRA, TEXTS, WITH_TYPE, compileTo, declared } from "./expression.ts";
import { plainView } from "../plain-view.ts";

const REQUIREMENT = declared("SelectorRequirement", { key: STRING, operator: STRING, values: TEXTS });
const selector = (name: string): Type => declared(name, { rawSelector: STRING, requirements: listOf(REQUIREMENT) });

/** Members of the attributes that are texts, and always there. */
const ATTRIBUTES = ["namespace", "verb", "group", "version", "resource", "subresource", "name"];

const REQUEST = declared("SubjectAccessReviewSpec", {
  resourceAttributes: declared("ResourceAttributes", {
    ...Object.fromEntries(ATTRIBUTES.map((name) => [name, STRING])),
    fieldSelector: selector("FieldSelectorAttributes"),
    labelSelector: selector("LabelSelectorAttributes"),
  }),
  nonResourceAttributes: declared("NonResourceAttributes", { path: STRING, verb: STRING }),
  user: STRING,
  groups: TEXTS,
  extra: EXTRA,
  uid: STRING,
});

/** A condition, or why it is none. */
export type Condition =
  | { readonly source: string; readonly program: Program; readonly error?: undefined }
  | { readonly error: string; readonly program?: undefined };

/** Compiles a condition over `request`. */
export function compileCondition(source: string): Condition {
  const env = { functions: allFunctions(), variables: new Map([["request", REQUEST]]) };
  const compiled = compileTo(source, env, [BOOL], WITH_TYPE);
  return compiled.program ? { source, program: compiled.program } : { error: compiled.error };
}

/** Whether a review meets a condition; what went wrong where that cannot be said. */
export function meets(condition: Condition & { readonly program: Program }, spec: ValueObject): boolean | Failure {
  const { value } = condition.program.run([plainView(requestOf(spec))]);
  if (typeof value === "boolean") return value;
  const why = value instanceof Failure ? value.message : "no bool";
  return new Failure(`cel evaluation error: expression '${condition.source}' resulted in error: ${why}`);
}

const textsOf = (from: ValueObject, names: readonly string[]): ValueObject =>
  Object.fromEntries(names.map((name) => [name, from[name] ?? ""]));

/** The specification of a review with all its texts, also the empty ones. */
function requestOf(spec: ValueObject): ValueObject {
  const { resourceAttributes, nonResourceAttributes } = spec as Readonly<Record<string, ValueObject | undefined>>;
  return {
    ...textsOf(spec, ["user", "uid"]),
    groups: spec["groups"] ?? [],
    extra: spec["extra"] ?? {},
    ...(resourceAttributes ? { resourceAttributes: attributesOf(resourceAttributes) } : {}),
    ...(nonResourceAttributes ? { nonResourceAttributes: textsOf(nonResourceAttributes, ["path", "verb"]) } : {}),
  };
}

function attributesOf(attributes: ValueObject): ValueObject {
  const all = textsOf(attributes, ATTRIBUTES);
  for (const name of ["fieldSelector", "labelSelector"]) {
    const seen = selectorOf(attributes[name] as ValueObject | undefined);
    if (seen) all[name] = seen;
  }
  return all;
}

/** A selector is seen as it was written, else by its requirements; an empty one is not there. */
function selectorOf(given: ValueObject | undefined): ValueObject | undefined {
  const { rawSelector = "", requirements = [] } = { ...given } as { rawSelector?: string; requirements?: Json[] };
  if (rawSelector !== "") return { rawSelector };
  if (requirements.length === 0) return undefined;
  const seen = (requirements as ValueObject[]).map((one) => ({
    ...textsOf(one, ["key", "operator"]),
    values: one["values"] ?? [],
  }));
  return { requirements: seen };
}
