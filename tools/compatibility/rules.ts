/**
 * Which of the numbered rules tests have proven.
 *
 * A rule is proven when a test that has its ID in its name (or in the name of a group around it) passed, and none failed.
 *
 * @module
 */
import { idsIn } from "./rule-ids.ts";

/** A section of the numbering, as `test/rules/rules.json` has it. */
export interface Section {
  readonly kind: "rule" | "decision";
  readonly section: string;
  /** IDs and ranges of them. */
  readonly ids: string;
}

/** What became of one test. */
export interface TestResult {
  readonly fullName: string;
  readonly status: string;
}

/** A section with what is known of its rules. */
export interface SectionResult {
  readonly kind: Section["kind"];
  readonly section: string;
  readonly all: readonly string[];
  readonly proven: readonly string[];
  readonly notObservable: readonly string[];
  readonly open: readonly string[];
}

/**
 * Sorts the rules of all sections.
 *
 * @param notObservable rules that no request can show, with who acts on them
 * @throws Error for an ID in the name of a test, or among those not observable, that the numbering does not have
 */
export function sortRules(
  sections: readonly Section[],
  tests: readonly TestResult[],
  notObservable: Readonly<Record<string, string>>,
): SectionResult[] {
  const ids = new Map(sections.map((section) => [section, idsIn(section.ids)]));
  const known = new Set([...ids.values()].flat());
  const { passed, failed } = named(tests, known);
  for (const id of Object.keys(notObservable)) {
    if (!known.has(id)) throw new Error(`expected not-observable.json to have IDs of the numbering, got ${id}`);
  }
  return sections.map((section) => {
    const all = ids.get(section)!;
    const proven = all.filter((id) => passed.has(id) && !failed.has(id));
    const rest = all.filter((id) => !proven.includes(id));
    return {
      kind: section.kind,
      section: section.section,
      all,
      proven,
      notObservable: rest.filter((id) => Object.hasOwn(notObservable, id)),
      open: rest.filter((id) => !Object.hasOwn(notObservable, id)),
    };
  });
}

function named(tests: readonly TestResult[], known: ReadonlySet<string>): Record<"passed" | "failed", Set<string>> {
  const prefixes = new Set([...known].map((id) => id.split("-")[0]!));
  const found = { passed: new Set<string>(), failed: new Set<string>() };
  for (const { fullName, status } of tests) {
    if (status !== "passed" && status !== "failed") continue;
    for (const id of idsIn(fullName)) {
      if (known.has(id)) found[status].add(id);
      else if (prefixes.has(id.split("-")[0]!))
        throw new Error(`expected an ID of the numbering, got ${id} in "${fullName}"`);
    }
  }
  return found;
}
