/** Maps of texts in objects: labels and annotations. */

/** Whether two maps have the same members, in any order; a missing map is an empty one. */
export function sameMap(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
