/**
 * The members that validating and mutating policies share, and those that their bindings share (POL-A-1, POL-A-6, POL-A-20).
 *
 * @module
 */
import * as t from "../../meta/types.ts";
import { goTextOfSelector } from "../../meta/label-selector.ts";
import { ageColumn, textColumn } from "../../schema/columns.ts";
import type { ApiObject, Column } from "../../schema/definition.ts";
import { LabelSelector } from "../../schema/validation/label-selector.ts";
import { type MatchResourcesValue, MatchResources } from "./matching.ts";

const ParamKind = t.struct(
  "The kind of the parameters of a policy.",
  {
    apiVersion: t.optional(
      t.text("The group and version of the kind: `group/version`, the version alone for the core group."),
    ),
    kind: t.optional(t.text("The kind.")),
  },
  { atomic: true },
);

/** The schema of a variable: an expression with a name. */
export const Variable = t.struct(
  "A named expression, which other expressions read as `variables.NAME`.",
  {
    name: t.required(t.text("The name of the variable: a CEL identifier.")),
    expression: t.required(t.text("The expression in CEL, of any type; it may use the variables before it.")),
  },
  { atomic: true },
);

/** The members of the spec of a policy of either sort. */
export const policyMembers = {
  paramKind: t.pointer(ParamKind),
  matchConstraints: t.pointer(MatchResources),
  failurePolicy: t.pointer(
    t.text(
      "Fail: a request is refused where an expression fails or the policy cannot be evaluated, which is the default. Ignore: failures are ignored.",
    ),
  ),
};

const ParamRef = t.struct(
  "The parameters that a binding gives to its policy.",
  {
    name: t.optional(t.text("The name of the parameter object; either it or a selector is set.")),
    namespace: t.optional(
      t.text("The namespace of the parameters; by default, for a namespaced kind, that of the request."),
    ),
    selector: t.pointer({
      ...LabelSelector,
      description:
        "Selects parameter objects by their labels; the request has to satisfy the policy with each of them.",
    }),
    parameterNotFoundAction: t.pointer(t.text("Allow or Deny: what happens to a request where no parameter is found.")),
  },
  { atomic: true },
);

/** The members of the spec of a binding of either sort. */
export const bindingMembers = {
  policyName: t.optional(t.text("The name of the policy; without such a policy the binding has no effect.")),
  paramRef: t.pointer(ParamRef),
  matchResources: t.pointer({
    ...MatchResources,
    description: "Which of the requests of the policy the binding is about; all of them by default.",
  }),
};

/** The kind of the parameters of a policy in wire form. */
export type ParamKindValue = t.Static<typeof ParamKind>;

/** A variable in wire form. */
export type VariableValue = t.Static<typeof Variable>;

/** The parameters of a binding in wire form. */
export type ParamRefValue = t.Static<typeof ParamRef>;

/** The members that the specs of both sorts of policies have, in wire form. */
export interface PolicyValue {
  paramKind?: ParamKindValue;
  matchConstraints?: MatchResourcesValue;
  failurePolicy?: string;
}

/** The members that the specs of both sorts of bindings have, in wire form. */
export interface BindingValue {
  policyName?: string;
  paramRef?: ParamRefValue;
  matchResources?: MatchResourcesValue;
}

type Policy = ApiObject & { spec?: PolicyValue };
type Binding = ApiObject & { spec?: BindingValue };

const UNSET = "<unset>";

/** The columns of a policy between its name and its age. */
export const paramKindColumn: Column<Policy> = textColumn("ParamKind", "The kind of the parameters.", ({ spec }) => {
  const { paramKind } = spec ?? {};
  return paramKind ? `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}` : UNSET;
});

/** The columns of a binding. */
export const bindingColumns: readonly Column<Binding>[] = [
  textColumn("PolicyName", "The policy that is bound.", ({ spec }) => spec?.policyName ?? ""),
  textColumn("ParamRef", "The parameters, by name or by labels.", ({ spec }) => shownParam(spec?.paramRef)),
  ageColumn,
];

function shownParam({ name, namespace, selector }: ParamRefValue = {}): string {
  if (name) return `${namespace || "*"}/${name}`;
  return selector ? goTextOfSelector(selector) : UNSET;
}
