/** Returns `; did you mean "x"?` with the known word that is nearest to a text; empty where none is near. */
export function suggestion(got: string, known: Iterable<string>): string {
  const word = nearest(got, known);
  return word === undefined ? "" : `; did you mean ${JSON.stringify(word)}?`;
}

/** The nearest word with at most two edits, or one for each three letters. */
function nearest(got: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(got.length / 3)) + 1;
  for (const word of known) {
    if (Math.abs(word.length - got.length) >= least) continue;
    const d = distance(got, word);
    if (d < least) [best, least] = [word, d];
  }
  return best;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, char] of a.split("").entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split("").entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(above + 1, left + 1, diagonal + (char === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
