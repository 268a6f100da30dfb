/**
 * Gives every left side a right side of its own where that is possible (a maximum matching by augmenting paths).
 *
 * @param candidates for each left side the right sides that would do, the best first
 * @returns for each left side its right side, or undefined
 */
export function match(candidates: readonly (readonly number[])[]): (number | undefined)[] {
  const owner = new Map<number, number>();
  const place = (left: number, tried: Set<number>): boolean => {
    for (const right of candidates[left]!) {
      if (tried.has(right)) continue;
      tried.add(right);
      const other = owner.get(right);
      if (other !== undefined && !place(other, tried)) continue;
      owner.set(right, left);
      return true;
    }
    return false;
  };
  for (const left of candidates.keys()) place(left, new Set());
  const matched: (number | undefined)[] = candidates.map(() => undefined);
  for (const [right, left] of owner) matched[left] = right;
  return matched;
}
