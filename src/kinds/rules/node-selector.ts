/**
 * NodeSelector: which nodes can reach a volume, or should run a Pod (doc 3 "nodeAffinity", PV-5..10, DEC-10).
 *
 * Terms are alternatives, the requirements of a term must all hold; an empty term matches no node.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dnsSubdomain, labelValue, qualifiedName } from "../../meta/names.ts";
import * as t from "../../meta/types.ts";
import type { ApiContext } from "../../schema/definition.ts";
import { oldNodeLabel } from "./node-labels.ts";

const NodeSelectorRequirement = t.struct("A requirement for a node.", {
  key: t.required(t.text("The label, or the member.")),
  operator: t.required(t.text("`In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`.")),
  values: t.optional(t.atomicList(t.text(), "The values of In and NotIn; one number for Gt and Lt.")),
});

/** One alternative of a node selector. */
export const NodeSelectorTerm = t.struct(
  "Requirements for a node, all of which must hold. An empty term matches no node.",
  {
    matchExpressions: t.optional(t.atomicList(NodeSelectorRequirement, "Requirements for the labels of the node.")),
    matchFields: t.optional(t.atomicList(NodeSelectorRequirement, "Requirements for the fields of the node.")),
  },
  { atomic: true },
);

/** The schema of a node selector. */
export const NodeSelector = t.struct(
  "Selects nodes: those that any of the terms matches.",
  { nodeSelectorTerms: t.required(t.atomicList(NodeSelectorTerm, "The alternatives.")) },
  { atomic: true },
);

/** A node selector. */
export type NodeSelectorValue = t.Static<typeof NodeSelector>;

/** One alternative. */
export type NodeSelectorTermValue = t.Static<typeof NodeSelectorTerm>;

type Requirement = t.Static<typeof NodeSelectorRequirement>;

const OPERATORS = ["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"];

/** All faults of a node selector; it has at least one term (PV-6). */
export function validateNodeSelector(selector: NodeSelectorValue, at: string, errors: FieldErrors): void {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) errors.required(`${at}.nodeSelectorTerms`, "expected at least one term");
  terms.forEach((term, i) => validateTerm(term, `${at}.nodeSelectorTerms[${i}]`, errors));
}

/** All faults of one term. */
export function validateTerm(term: NodeSelectorTermValue, at: string, errors: FieldErrors): void {
  term.matchExpressions?.forEach((requirement, i) => {
    validateExpression(requirement, `${at}.matchExpressions[${i}]`, errors);
    validateValues(requirement.values, `${at}.matchExpressions[${i}]`, errors);
  });
  validateFields(term, at, errors);
}

/** All faults of a preferred term: values that no label can have get a Warning. */
export function validateWish(term: NodeSelectorTermValue, at: string, errors: FieldErrors): void {
  term.matchExpressions?.forEach((requirement, i) => {
    validateExpression(requirement, `${at}.matchExpressions[${i}]`, errors);
  });
  validateFields(term, at, errors);
}

function validateFields(term: NodeSelectorTermValue, at: string, errors: FieldErrors): void {
  term.matchFields?.forEach((requirement, i) => validateField(requirement, `${at}.matchFields[${i}]`, errors));
}

function validateExpression(
  { key = "", operator, values = [] }: Partial<Requirement>,
  at: string,
  errors: FieldErrors,
): void {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.required(`${at}.values`, `expected at least one value for ${operator}, got none`);
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) errors.forbidden(`${at}.values`, `expected no values for ${operator}`);
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1)
        errors.required(`${at}.values`, `expected one value for ${operator}, got ${values.length}`);
      break;
    default:
      errors.invalid(`${at}.operator`, operator ?? "", `expected one of ${OPERATORS.join(", ")}`);
  }
  const wrongKey = qualifiedName(key);
  if (wrongKey !== undefined) errors.invalid(`${at}.key`, key, wrongKey);
}

function validateValues(values: readonly string[] | undefined, at: string, errors: FieldErrors): void {
  values?.forEach((value, i) => {
    const wrong = labelValue(value);
    if (wrong !== undefined) errors.invalid(`${at}.values[${i}]`, value, wrong);
  });
}

/** The only known member is the name of the node. */
function validateField(
  { key = "", operator, values = [] }: Partial<Requirement>,
  at: string,
  errors: FieldErrors,
): void {
  if (operator !== "In" && operator !== "NotIn") {
    errors.invalid(`${at}.operator`, operator ?? "", "expected In or NotIn");
  } else if (values.length !== 1) {
    errors.required(`${at}.values`, `expected one value for a member, got ${values.length}`);
  }
  if (key !== "metadata.name") return errors.invalid(`${at}.key`, key, "expected metadata.name");
  values.forEach((value, i) => {
    const wrong = dnsSubdomain(value);
    if (wrong !== undefined) errors.invalid(`${at}.values[${i}]`, value, wrong);
  });
}

/** Warnings about old node labels in a term. */
export function termWarnings(term: NodeSelectorTermValue, at: string, ctx: ApiContext): readonly string[] {
  return (term.matchExpressions ?? []).flatMap(({ key }, i) => {
    const old = oldNodeLabel(key, ctx.dialect);
    return old === undefined ? [] : [`${at}.matchExpressions[${i}].key: ${old}`];
  });
}

/** Warnings about a preferred term: those of any term, and values that no label can have. */
export function wishWarnings(term: NodeSelectorTermValue, at: string, ctx: ApiContext): readonly string[] {
  const values = (term.matchExpressions ?? []).flatMap(({ values: listed = [] }, i) =>
    listed.flatMap((value, j) => {
      const wrong = labelValue(value);
      return wrong === undefined ? [] : [`${at}.matchExpressions[${i}].values[${j}]: ${value} is invalid, ${wrong}`];
    }),
  );
  return [...termWarnings(term, at, ctx), ...values];
}
