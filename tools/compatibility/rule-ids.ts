/**
 * Rule IDs as tests and lists write them: `PVC-23`, `WL-JOB-5`, and `EP-30..33` for four in a row.
 *
 * @module
 */

const ID = /\b((?:[A-Z]{2,5}-)?[A-Z]{2,5})-(\d+)(?:\.\.(\d+))?(?![-\d])/g;

/** Every ID in a text, ranges written out, in the order of the text. What merely looks like an ID is there too. */
export function idsIn(text: string): string[] {
  return [...text.matchAll(ID)].flatMap(([, prefix, from, to]) => {
    const [first, last] = [Number(from), Number(to ?? from)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => `${prefix}-${first + i}`);
  });
}

/** IDs as a text, runs of consecutive numbers as ranges. */
export function asRanges(ids: readonly string[]): string {
  const runs: { prefix: string; from: number; to: number }[] = [];
  for (const id of ids) {
    const end = id.lastIndexOf("-");
    const [prefix, number] = [id.slice(0, end), id.slice(end + 1)];
    const run = runs.at(-1);
    if (run?.prefix === prefix && run.to + 1 === Number(number)) run.to++;
    else runs.push({ prefix, from: Number(number), to: Number(number) });
  }
  return runs.map(({ prefix, from, to }) => `${prefix}-${from}${to > from ? `..${to}` : ""}`).join(", ");
}
