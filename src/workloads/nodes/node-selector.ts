/**
 * Matches nodes by a node selector. Its terms are alternatives; all requirements of a term must hold; an empty term
 * matches none (PV-5, PV-7, PV-9, PV-10).
 */
import type { Node } from "../../client/kinds/index.ts";

/** A requirement of a node selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A term of a node selector. */
export interface SelectorTerm {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/** A node selector as objects contain it. */
export interface NodeSelector {
  readonly nodeSelectorTerms: readonly SelectorTerm[] | null;
}

/** Returns whether a node matches. */
export type NodeMatch = (node: Node) => boolean;

type Labels = Readonly<Record<string, string>>;
type LabelTest = (labels: Labels) => boolean;

const compiled = new WeakMap<object, NodeMatch>();

/** Compiles a selector, once: objects in memory never change. */
export function matcherOf(selector: NodeSelector): NodeMatch {
  const known = compiled.get(selector);
  if (known) return known;
  const terms = (selector.nodeSelectorTerms ?? []).map(termMatcher);
  const [only] = terms;
  const match: NodeMatch = terms.length === 1 ? only! : (node) => terms.some((term) => term(node));
  compiled.set(selector, match);
  return match;
}

/** Compiles one term. */
export function termMatcher({ matchExpressions = [], matchFields = [] }: SelectorTerm): NodeMatch {
  if (matchExpressions.length + matchFields.length === 0) return () => false;
  const labels = matchExpressions.map(testOf);
  // The only supported field is the name of the node.
  const fields = matchFields.map((field) => (field.key === NAME_FIELD ? testOf(field) : () => false));
  return ({ metadata }) => {
    const has = metadata.labels ?? NONE;
    return labels.every((test) => test(has)) && fields.every((test) => test({ [NAME_FIELD]: metadata.name }));
  };
}

/** The only field of a node in matchFields. */
export const NAME_FIELD = "metadata.name";

const NONE: Labels = {};

function testOf({ key, operator, values = [] }: Requirement): LabelTest {
  const set = new Set(values);
  const valueIn = (labels: Labels): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  switch (operator) {
    case "In":
      return (labels) => {
        const value = valueIn(labels);
        return value !== undefined && set.has(value);
      };
    case "NotIn":
      return (labels) => {
        const value = valueIn(labels);
        return value === undefined || !set.has(value);
      };
    case "Exists":
      return (labels) => valueIn(labels) !== undefined;
    case "DoesNotExist":
      return (labels) => valueIn(labels) === undefined;
    case "Gt":
    case "Lt":
      return compared(operator, values[0], valueIn);
    default:
      return () => false;
  }
}

/** Compares whole numbers; any other value matches neither. */
function compared(
  operator: "Gt" | "Lt",
  bound: string | undefined,
  of: (labels: Labels) => string | undefined,
): LabelTest {
  const limit = integer(bound);
  return (labels) => {
    const value = integer(of(labels));
    if (value === undefined || limit === undefined) return false;
    return operator === "Gt" ? value > limit : value < limit;
  };
}

const integer = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
