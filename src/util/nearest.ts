/** `; did you mean "x"?` with the word that is nearest to what was written; empty when none is near. */
export function suggestion(got: string, known: Iterable<string>): string {
  const word = nearest(got, known);
  return word === undefined ? "" : `; did you mean ${JSON.stringify(word)}?`;
}

/**
 * The word that is nearest to what was written: no more than a third of its letters are wrong, missing or too many, or
 * two of them.
 */
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
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
