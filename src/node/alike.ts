/** Whether each member of a value is in another one with the same content; the other one may have more members. */
export function isLike(value: unknown, known: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === known;
  if (typeof known !== "object" || known === null) return false;
  if (Array.isArray(value)) {
    return Array.isArray(known) && value.length === known.length && value.every((one, i) => isLike(one, known[i]));
  }
  const others = new Map<string, unknown>(Object.entries(known));
  return Object.entries(value).every(([member, one]) => isLike(one, others.get(member)));
}
