/** Whether a list still shows what is looked for. */
export type StillFails<T> = (list: readonly T[]) => Promise<boolean>;

/**
 * A shorter list that still fails: items are left out, many at a time and then one by one, and what is left is made simpler.
 *
 * @param simpler ways to make one item simpler; none by default
 */
export async function shrink<T>(
  list: readonly T[],
  stillFails: StillFails<T>,
  simpler: (item: T) => readonly T[] = () => [],
): Promise<readonly T[]> {
  let least = list;
  for (;;) {
    const shorter = await simplify(await leaveOut(least, stillFails), stillFails, simpler);
    if (shorter === least) return least;
    least = shorter;
  }
}

async function leaveOut<T>(list: readonly T[], stillFails: StillFails<T>): Promise<readonly T[]> {
  let least = list;
  for (let size = Math.ceil(least.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = least.length - 1; at >= 0; at -= size) {
      const from = Math.max(0, at - size + 1);
      const shorter = least.toSpliced(from, at - from + 1);
      if (await stillFails(shorter)) least = shorter;
    }
  }
  return least;
}

async function simplify<T>(
  list: readonly T[],
  stillFails: StillFails<T>,
  simpler: (item: T) => readonly T[],
): Promise<readonly T[]> {
  let least = list;
  for (let at = 0; at < least.length; at++) {
    for (const item of simpler(least[at]!)) {
      const changed = least.with(at, item);
      if (!(await stillFails(changed))) continue;
      least = changed;
      at--;
      break;
    }
  }
  return least;
}
