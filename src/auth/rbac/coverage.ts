/**
 * Whether the rights of some rules are among those of others (RBAC-40).
 *
 * A rule stands for every combination of its verbs, groups, resources and names, or of its verbs and paths: a box. What a rule
 * of the writer covers of a box is cut out of it, and what is left are smaller boxes:
 *
 *     {get, list} × {pods, secrets}   without   {get} × {pods}   is   {list} × {pods, secrets}  and  {get} × {secrets}
 *
 * What nothing covers is left at the end, and is what is missing. So no combination is looked at by itself, of which one rule
 * of a megabyte can have more than anybody could count.
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import { ALL, type OneOf, PathSet, type RuleForm, oneOf, oneOfOrAll } from "./rule.ts";

/** The rights that are not covered, as rules; none where all are. */
export interface Missing {
  readonly rules: readonly RuleForm[];
  /** Whether it was too much to compare: then all that was left is said to be missing. */
  readonly isCutShort: boolean;
}

/** The texts of each side of a box; at least one on each. */
type Box = readonly (readonly string[])[];

/** Which texts of each side of a box a rule of the writer covers. */
type Covering = readonly OneOf[];

/** How many texts are looked at for all rules together; about half a second, spread over turns. */
const MOST_LOOKS = 5_000_000;

/** How many boxes may be left of one. */
const MOST_BOXES = 10_000;

/** Finds the rights of `given` that `held` does not cover, in steps. */
export function* missingRights(held: readonly RuleForm[], given: readonly RuleForm[]): Steps<Missing> {
  const budget = { looks: 0 };
  const own = held.map((form) => new HeldRule(form));
  const rules: RuleForm[] = [];
  let isCutShort = false;
  for (const form of given) {
    for (const { box, side, show } of boxesOf(form)) {
      const left = yield* withoutAll(box, own, side, budget);
      for (const one of left.boxes) rules.push(show(one));
      isCutShort ||= left.isCutShort;
    }
  }
  return { rules, isCutShort };
}

/** What of a rule of the writer a box is compared with: rules with names cover no paths, and not every name. */
type Side = "objects" | "named" | "paths";

/** A rule of the writer, which is read when the first box is compared with it. */
class HeldRule {
  readonly #form: RuleForm;
  readonly #isNamed: boolean;
  #objects: Covering | undefined;
  #paths: Covering | undefined;

  constructor(form: RuleForm) {
    this.#form = form;
    this.#isNamed = Boolean(form.resourceNames?.length);
  }

  /** What it covers of a side, undefined where that is nothing. */
  covers(side: Side, budget: Budget): Covering | undefined {
    if (this.#isNamed && side !== "named") return undefined;
    if (side === "paths") return (this.#paths ??= this.#read(coversPaths, budget));
    return (this.#objects ??= this.#read(coversObjects, budget));
  }

  #read(read: (form: RuleForm) => Covering, budget: Budget): Covering {
    for (const list of Object.values(this.#form as Record<string, readonly string[] | null>)) {
      budget.looks += list?.length ?? 0;
    }
    return read(this.#form);
  }
}

interface Given {
  readonly box: Box;
  readonly side: Side;
  readonly show: (box: Box) => RuleForm;
}

/** The boxes of a rule: that of objects, and that of paths. A rule that gives nothing has none. */
function boxesOf(form: RuleForm): readonly Given[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = form;
  const isNamed = Boolean(resourceNames?.length);
  const objects: Given = {
    box: [once(verbs), once(apiGroups), once(resources), isNamed ? once(resourceNames) : ANY_NAME],
    side: isNamed ? "named" : "objects",
    show: ([verb, group, resource, name]) => ({
      apiGroups: group!,
      resources: resource!,
      ...(isNamed ? { resourceNames: name! } : {}),
      verbs: verb!,
    }),
  };
  const paths: Given = {
    box: [once(verbs), once(nonResourceURLs)],
    side: "paths",
    show: ([verb, path]) => ({ nonResourceURLs: path!, verbs: verb! }),
  };
  return [objects, paths].filter(({ box }) => box.every((side) => side.length > 0));
}

/** The side of whatever name: only a rule without names covers it. */
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

/** A resource is covered by itself, by all, and a subresource by that of all. */
function coversResource(resources: readonly string[]): OneOf {
  const covers = oneOfOrAll(resources);
  return (resource) => {
    const slash = resource.indexOf("/");
    return covers(resource) || (slash >= 0 && covers(`${ALL}${resource.slice(slash)}`));
  };
}

interface Budget {
  looks: number;
}

/** What is left of a box once all that covers parts of it is cut out. */
function* withoutAll(
  box: Box,
  held: readonly HeldRule[],
  side: Side,
  budget: Budget,
): Steps<{ readonly boxes: readonly Box[]; readonly isCutShort: boolean }> {
  let boxes: Box[] = [box];
  for (const rule of held) {
    const covers = rule.covers(side, budget);
    if (!covers) continue;
    const next: Box[] = [];
    for (const one of boxes) {
      for (const texts of one) budget.looks += texts.length;
      if (budget.looks > MOST_LOOKS) return { boxes, isCutShort: true };
      for (const piece of without(one, covers)) next.push(piece);
      yield;
    }
    if (next.length === 0 || next.length > MOST_BOXES) return { boxes: next, isCutShort: next.length > 0 };
    boxes = next;
  }
  return { boxes, isCutShort: false };
}

/** What is left of a box without the part that is covered: one piece for each side that is covered in part only. */
function without(box: Box, covers: Covering): readonly Box[] {
  const inside: (readonly string[])[] = [];
  const outside: (readonly string[])[] = [];
  for (const [i, side] of box.entries()) {
    const covered = side.filter((text) => covers[i]!(text));
    if (covered.length === 0) return [box];
    inside.push(covered);
    outside.push(covered.length === side.length ? [] : side.filter((text) => !covers[i]!(text)));
  }
  const pieces: Box[] = [];
  for (const [i, side] of outside.entries()) {
    if (side.length > 0) pieces.push([...inside.slice(0, i), side, ...box.slice(i + 1)]);
  }
  return pieces;
}
