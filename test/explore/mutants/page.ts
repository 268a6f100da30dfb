/**
 * The part of docs/evidence/mutants.md that is written from what came of the mutants.
 *
 * @module
 */
import type { Mutant } from "./mutant.ts";
/** The page. */
export const PAGE = new URL("../../../docs/evidence/mutants.md", import.meta.url);

/** What came of mutants by name, and of stories without mutants by name and seed. */
export interface Kept {
  readonly mutants: Readonly<
    Record<
      string,
      {
        readonly seed: number;
        /** How many plans it could have had, and how many there were until it was found. */
        readonly limit: number;
        readonly plans: number;
        readonly kind?: string;
        readonly plan?: readonly string[];
      }
    >
  >;
  readonly originals: Readonly<Record<string, { readonly limit: number; readonly faults: readonly string[] }>>;
}

const HEADING = "## Mutants that exploring looks for\n";

const rows = (lines: readonly (readonly (string | number)[])[]): string =>
  lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** Writes the part. @throws Error where a mutant or a story was not played */
export function sectionOf(
  mutants: Readonly<Record<string, readonly Mutant[]>>,
  stories: readonly string[],
  { mutants: played, originals }: Kept,
): string {
  const all = Object.entries(mutants).flatMap(([of, some]) => some.map((mutant) => ({ of, mutant })));
  const missing = [
    ...all.map(({ mutant }) => mutant.name).filter((name) => played[name] === undefined),
    ...stories.filter((story) => !Object.keys(originals).some((key) => key.startsWith(`${story} `))),
  ];
  if (missing.length > 0)
    throw new Error(`expected all mutants and stories to be played, these were not: ${missing.join("; ")}`);
  const outcomes = all.map(({ of, mutant }) => ({ of, mutant, ...played[mutant.name]! }));
  const found = outcomes.filter(({ kind }) => kind !== undefined);
  const hidden = outcomes.filter(({ kind }) => kind === undefined);
  const one = <T>(what: string, options: readonly T[]): T => {
    const [first, ...others] = new Set(options);
    if (others.length > 0) throw new Error(`expected one ${what} for all, found ${[first, ...others].join(", ")}`);
    return first!;
  };
  const limit = one(
    "limit of plans",
    outcomes.map((outcome) => outcome.limit),
  );
  const seed = one(
    "seed",
    outcomes.map((outcome) => outcome.seed),
  );
  const runs = Object.entries(originals).filter(([key]) => stories.includes(key.split(" ")[0]!));
  const bySeed = [...Map.groupBy(runs, ([key]) => key.split(" ")[1]!)].toSorted(([a], [b]) => Number(a) - Number(b));
  const counts = bySeed.map(([of, some]) => `${some.length} with seed ${of}`).join(", ");
  const originalLimit = one(
    "limit of plans without mutants",
    runs.map(([, run]) => run.limit),
  );
  const accused = runs.filter(([, { faults }]) => faults.length > 0).map(([key]) => key);
  return `${HEADING}
\`test/explore/mutants/\` has ${all.length} mistakes made by hand in the binder, the garbage collector and the provisioner.
\`npm run explore:mutants\` explores a story with each, with at most ${limit} plans, until a fault shows that the same plan does not show
without the mistake; \`npm run explore:mutants -- --page\` writes this part. With seed ${seed}, ${found.length} were found and
${hidden.length} were not. The ${stories.length} stories were also explored without mistakes, by ${originalLimit} plans (${counts}):
${accused.length === 0 ? "no fault was reported" : `faults were reported in ${accused.join(", ")}`}.

### Found

| controller | mistake | shows as | plans | what went wrong |
| --- | --- | --- | --- | --- |
${rows(
  found.map(({ of, mutant, kind, plans, plan = [] }) => [
    of,
    mutant.name,
    `\`${kind}\``,
    plans,
    plan.length === 0 ? "without any perturbation" : plan.join("; "),
  ]),
)}

### Not found

| controller | mistake | plans | why |
| --- | --- | --- | --- |
${rows(hidden.map(({ of, mutant, plans }) => [of, mutant.name, plans, mutant.hidden ?? "not known"]))}
`;
}

/** Puts the part into the page: it is the last one. */
export const withSection = (page: string, section: string): string =>
  `${page.slice(0, page.indexOf(HEADING))}${section}`;
