/** Whether a list still shows the failure. */
export type StillFails<T> = (list: readonly T[]) => Promise<boolean>;

/**
 * Returns a shorter list that still fails: leaves out items, many at a time and then one by one, and simplifies the others.
 *
 * @param simpler returns simpler forms of an item; none by default
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
