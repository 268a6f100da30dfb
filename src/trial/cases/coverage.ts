/**
 * Which expressions of policies, and which branches of `?:`, `&&` and `||` in them, the cases have reached.
 *
 * @module
 */
import { readMutatingPolicy } from "../../admission/policies/mutation.ts";
import { readValidatingPolicy } from "../../admission/policies/validation.ts";
import type { Branch, ExpressionObserver, Observe } from "../../cel/observer.ts";
import type { PolicyCoverage, UnreachedPart } from "../../meta/policy-test-report.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { atOnce } from "../../util/steps.ts";
import { type Value, isObject } from "../../value/value.ts";
import { type TriedPolicy, specOf } from "../documents.ts";
import { Places } from "./places.ts";

/** An expression of a policy. */
interface Located {
  /** `spec.validations[0].expression`. */
  readonly path: string;
  readonly source: string;
}

/** The members of a spec with expressions, in the order of kube-apiserver's documentation. */
const MEMBERS: readonly (readonly [list: string, member: string])[] = [
  ["variables", "expression"],
  ["matchConditions", "expression"],
  ["validations", "expression"],
  ["validations", "messageExpression"],
  ["auditAnnotations", "valueExpression"],
  ["mutations", "applyConfiguration.expression"],
  ["mutations", "jsonPatch.expression"],
];

/** All expressions of a policy. */
export function expressionsOf(policy: ApiObject): readonly Located[] {
  const spec = specOf(policy);
  return MEMBERS.flatMap(([list, member]) => {
    const items = spec[list];
    if (!Array.isArray(items)) return [];
    return items.flatMap((item, i) => {
      const source = memberAt(item, member.split("."));
      return typeof source === "string" && source !== "" ? [{ path: `spec.${list}[${i}].${member}`, source }] : [];
    });
  });
}

function memberAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return isObject(value) ? memberAt(value[name], rest) : undefined;
}

/** The counters of one expression. */
class ExpressionCounts implements ExpressionObserver {
  readonly located: Located;
  readonly branches = new Map<string, { readonly branch: Branch; isReached: boolean }>();
  isReached = false;

  constructor(located: Located) {
    this.located = located;
  }

  began(): void {
    this.isReached = true;
  }

  branch(branch: Branch): () => void {
    const key = `${branch.at} ${branch.operator} ${branch.when}`;
    let found = this.branches.get(key);
    if (!found) this.branches.set(key, (found = { branch, isReached: false }));
    const counted = found;
    return () => {
      counted.isReached = true;
    };
  }
}

/** The counters of one policy. */
class PolicyCounts {
  readonly policy: ApiObject;
  readonly file: string;
  readonly expressions: readonly ExpressionCounts[];

  constructor(policy: ApiObject, file: string) {
    this.policy = policy;
    this.file = file;
    this.expressions = expressionsOf(policy).map((located) => new ExpressionCounts(located));
  }

  /** Observers for one compilation: equal expressions get theirs in their order. */
  observe(): Observe {
    const left = [...this.expressions];
    return (source) => {
      const at = left.findIndex(({ located }) => located.source === source);
      const [found] = at < 0 ? [] : left.splice(at, 1);
      return found ?? new ExpressionCounts({ path: "", source });
    };
  }
}

/** See the head of this file. */
export class Coverage {
  readonly #policies = new Map<string, PolicyCounts>();

  /** Adds a policy, also one that no case evaluates. The counters of a policy that is added again are the same. */
  add({ sort, policy: { object } }: TriedPolicy, file: string): void {
    const key = keyOf(object);
    if (this.#policies.has(key)) return;
    const counts = new PolicyCounts(object, file);
    this.#policies.set(key, counts);
    const observing = { observe: counts.observe() };
    const policy =
      sort === "Validating" ? readValidatingPolicy(object, observing) : readMutatingPolicy(object, observing);
    atOnce<unknown>(policy.compiled());
  }

  /** Observes a policy that is compiled for a case. */
  readonly observePolicy = (policy: ApiObject): Observe | undefined => this.#policies.get(keyOf(policy))?.observe();

  /** The coverage so far. */
  report(textOf: (file: string) => string): PolicyCoverage {
    const places = new Map<string, Places>();
    const unreached: UnreachedPart[] = [];
    let [parts, reached] = [0, 0];
    for (const counts of this.#policies.values()) {
      const { file } = counts;
      let inFile = places.get(file);
      if (!inFile) places.set(file, (inFile = new Places(textOf(file))));
      for (const one of counts.expressions) {
        const missing = missingOf(counts, one, inFile);
        parts += 1 + one.branches.size;
        reached += 1 + one.branches.size - missing.count;
        unreached.push(...missing.parts);
      }
    }
    return { parts, reached, percent: percentOf(reached, parts), unreached };
  }
}

/** The key of a policy, the same in all suites. */
const keyOf = (policy: ApiObject): string => JSON.stringify([policy.kind, policy.metadata.name, specOf(policy)]);

const percentOf = (reached: number, parts: number): number =>
  parts === 0 ? 100 : Math.floor((reached / parts) * 1000) / 10;

interface Missing {
  readonly count: number;
  readonly parts: readonly UnreachedPart[];
}

/** The unreached parts of an expression; one that was never evaluated is one part in the report. */
function missingOf({ policy, file }: PolicyCounts, one: ExpressionCounts, places: Places): Missing {
  const { path, source } = one.located;
  const name = policy.metadata.name ?? "";
  const lineAt = places.find(policy.kind, name, path);
  const partAt = (offset: number, what: string): UnreachedPart => ({
    place: lineAt ? `${file}:${lineAt(offset)}` : file,
    policy: name,
    path,
    what,
    text: lineOfSource(source, offset),
  });
  if (!one.isReached) return { count: 1 + one.branches.size, parts: [partAt(0, "never evaluated")] };
  const left = [...one.branches.values()].filter(({ isReached }) => !isReached).map(({ branch }) => branch);
  return { count: left.length, parts: left.map((branch) => partAt(branch.at, whatOf(branch))) };
}

function whatOf({ operator, when }: Branch): string {
  if (operator === "?:") return `the condition of ?: was never ${when}`;
  return `the left side of ${operator} was never ${when}`;
}

/** The line of a source with an offset in code points. */
function lineOfSource(source: string, offset: number): string {
  const before = Array.from(source).slice(0, offset).join("");
  const begin = before.lastIndexOf("\n") + 1;
  const end = source.indexOf("\n", begin);
  return source.slice(begin, end < 0 ? source.length : end).trim();
}
