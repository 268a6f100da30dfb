/** What a verb may cost, or has cost, by its name: CPU of the server for one request, in units of the floor (see floor.ts). */
export type Costs = Readonly<Record<string, number>>;

/** By how much a verb may be over its budget: other work on the machine disturbs both of what is compared. */
const TOLERANCE = 0.1;

/** Whether a verb is over its budget by more than a tenth. */
export const isOver = (budget: number, found: number): boolean => found > budget * (1 + TOLERANCE);

/** A sentence for each verb that is over its budget by more than a tenth, or that has none, or was not measured. */
export function complaints(budgets: Costs, found: Costs): string[] {
  const names = [...new Set([...Object.keys(budgets), ...Object.keys(found)])];
  return names.flatMap((name) => complaint(name, budgets[name], found[name]) ?? []);
}

function complaint(name: string, budget: number | undefined, found: number | undefined): string | undefined {
  if (budget === undefined) return `${name}: expected a budget, found none; record one with npm run bench -- --record.`;
  if (found === undefined) return `${name}: expected it to be measured, found no such verb; take its budget out.`;
  if (!isOver(budget, found)) return undefined;
  const percent = Math.round((found / budget - 1) * 100);
  return (
    `${name}: expected at most ${budget} floors and a tenth, found ${rounded(found)}, ${percent} % over the budget; ` +
    "make its way shorter, or say in the commit why it costs more and record it with npm run bench -- --record."
  );
}

/** As costs are written down: three figures. */
export const rounded = (cost: number): number => Number(cost.toPrecision(3));

/** The mean of what was measured, without the least tenth and the two fifths that were disturbed most. */
export function calm(values: readonly number[]): number {
  const kept = values.toSorted((a, b) => a - b).slice(Math.floor(values.length * 0.1), Math.ceil(values.length * 0.6));
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}
