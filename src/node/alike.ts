/** Whether each member of a value is in another one with the same content; the other one may have more members. */
export function isLike(value: unknown, known: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === known;
  if (typeof known !== "object" || known === null) return false;
  if (Array.isArray(value)) {
    const others = known as readonly unknown[];
    return value.length === others.length && value.every((one, i) => isLike(one, others[i]));
  }
  return Object.entries(value).every(([member, one]) => isLike(one, (known as Record<string, unknown>)[member]));
}
