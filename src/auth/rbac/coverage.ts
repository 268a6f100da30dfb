/**
 * Checks whether the rights of some rules are covered by other rules, for the check against privilege escalation (RBAC-40).
 *
 * A rule means every combination of its verbs, groups, resources and names, or of its verbs and paths: a box. The part of a
 * box that a rule of the user covers is cut out of it, which leaves smaller boxes:
 *
 *     {get, list} × {pods, secrets}   without   {get} × {pods}   is   {list} × {pods, secrets}  and  {get} × {secrets}
 *
 * The boxes that are left are the missing rights. Combinations are never listed one by one: one rule of a megabyte has far too
 * many of them.
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import { ALL, type OneOf, PathSet, type RuleForm, oneOf, oneOfOrAll } from "./rule.ts";

/** The rights that are not covered, as rules. */
export interface Missing {
  readonly rules: readonly RuleForm[];
  /** Whether the comparison reached its limit; all boxes that were left then count as missing. */
  readonly isTruncated: boolean;
}

/** The texts of each dimension of a box; at least one in each. */
type Box = readonly (readonly string[])[];

/** Tests which texts of each dimension a rule of the user covers. */
type Covering = readonly OneOf[];

/** Comparisons of texts for all rules together; about half a second in slices. */
const MAX_COMPARISONS = 5_000_000;

/** Boxes that may be left of one. */
const MAX_BOXES = 10_000;

/** Finds the rights of `rules` that `held` does not cover, in steps. */
export function* missingRights(held: readonly RuleForm[], rules: readonly RuleForm[]): Steps<Missing> {
  const budget = { comparisons: 0 };
  const own = held.map((form) => new HeldRule(form));
  const missing: RuleForm[] = [];
  let isTruncated = false;
  for (const form of rules) {
    for (const { box, type, ruleOf } of boxesOf(form)) {
      const left = yield* withoutAll(box, own, type, budget);
      for (const one of left.boxes) missing.push(ruleOf(one));
      isTruncated ||= left.isTruncated;
    }
  }
  return { rules: missing, isTruncated };
}

/** The type of a box; a rule with names covers no paths, and not every name. */
type BoxType = "objects" | "named" | "paths";

/** A rule of the user, compiled at its first comparison. */
class HeldRule {
  readonly #form: RuleForm;
  readonly #isNamed: boolean;
  #objects: Covering | undefined;
  #paths: Covering | undefined;

  constructor(form: RuleForm) {
    this.#form = form;
    this.#isNamed = Boolean(form.resourceNames?.length);
  }

  /** What the rule covers of a type of boxes; undefined for nothing. */
  covers(type: BoxType, budget: Budget): Covering | undefined {
    if (this.#isNamed && type !== "named") return undefined;
    if (type === "paths") return (this.#paths ??= this.#read(coversPaths, budget));
    return (this.#objects ??= this.#read(coversObjects, budget));
  }

  #read(read: (form: RuleForm) => Covering, budget: Budget): Covering {
    for (const list of Object.values(this.#form as Record<string, readonly string[] | null>)) {
      budget.comparisons += list?.length ?? 0;
    }
    return read(this.#form);
  }
}

interface RuleBox {
  readonly box: Box;
  readonly type: BoxType;
  /** The rule of a part of the box. */
  readonly ruleOf: (box: Box) => RuleForm;
}

/** The boxes of a rule: one of objects and one of paths. A rule that grants nothing has none. */
function boxesOf(form: RuleForm): readonly RuleBox[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = form;
  const isNamed = Boolean(resourceNames?.length);
  const objects: RuleBox = {
    box: [once(verbs), once(apiGroups), once(resources), isNamed ? once(resourceNames) : ANY_NAME],
    type: isNamed ? "named" : "objects",
    ruleOf: ([verb = [], group = [], resource = [], name = []]) => ({
      apiGroups: group,
      resources: resource,
      ...(isNamed ? { resourceNames: name } : {}),
      verbs: verb,
    }),
  };
  const paths: RuleBox = {
    box: [once(verbs), once(nonResourceURLs)],
    type: "paths",
    ruleOf: ([verb = [], path = []]) => ({ nonResourceURLs: path, verbs: verb }),
  };
  return [objects, paths].filter(({ box }) => box.every((side) => side.length > 0));
}

/** The dimension of any name: only a rule without names covers it. */
const ANY_NAME = [""];

const once = (list: readonly string[] | null | undefined): readonly string[] => [...new Set(list)];

const everything: OneOf = () => true;

const coversObjects = ({ verbs, apiGroups, resources, resourceNames }: RuleForm): Covering => [
  oneOfOrAll(verbs ?? []),
  oneOfOrAll(apiGroups ?? []),
  coversResource(resources ?? []),
  resourceNames?.length ? oneOf(resourceNames) : everything,
];

const coversPaths = ({ verbs, nonResourceURLs }: RuleForm): Covering => {
  const paths = new PathSet(nonResourceURLs ?? []);
  return [oneOfOrAll(verbs ?? []), (path) => paths.has(path)];
};

/** A resource is covered by itself and by `*`, a subresource also by that of `*`. */
function coversResource(resources: readonly string[]): OneOf {
  const covers = oneOfOrAll(resources);
  return (resource) => {
    const slash = resource.indexOf("/");
    return covers(resource) || (slash >= 0 && covers(`${ALL}${resource.slice(slash)}`));
  };
}

interface Budget {
  comparisons: number;
}

/** The parts of a box that no rule covers. */
function* withoutAll(
  box: Box,
  held: readonly HeldRule[],
  type: BoxType,
  budget: Budget,
): Steps<{ readonly boxes: readonly Box[]; readonly isTruncated: boolean }> {
  let boxes: Box[] = [box];
  for (const rule of held) {
    const covers = rule.covers(type, budget);
    if (!covers) continue;
    const next: Box[] = [];
    for (const one of boxes) {
      for (const texts of one) budget.comparisons += texts.length;
      if (budget.comparisons > MAX_COMPARISONS) return { boxes, isTruncated: true };
      for (const piece of without(one, covers)) next.push(piece);
      yield;
    }
    if (next.length === 0 || next.length > MAX_BOXES) return { boxes: next, isTruncated: next.length > 0 };
    boxes = next;
  }
  return { boxes, isTruncated: false };
}

/** A box without its covered part: one piece for each dimension that is covered in part. */
function without(box: Box, covers: Covering): readonly Box[] {
  const inside: (readonly string[])[] = [];
  const outside: (readonly string[])[] = [];
  for (const [i, side] of box.entries()) {
    const test = covers[i]!;
    const covered = side.filter(test);
    if (covered.length === 0) return [box];
    inside.push(covered);
    outside.push(covered.length === side.length ? [] : side.filter((text) => !test(text)));
  }
  const pieces: Box[] = [];
  for (const [i, side] of outside.entries()) {
    if (side.length > 0) pieces.push([...inside.slice(0, i), side, ...box.slice(i + 1)]);
  }
  return pieces;
}
