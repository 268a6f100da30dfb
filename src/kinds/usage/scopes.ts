import type { Scope } from "./contract.ts";

/** Whether a scope on the classes of an object matches one of its classes, or that it has none. */
export function selects({ operator, values = [] }: Scope, names: readonly string[]): boolean {
  switch (operator) {
    case "Exists":
      return names.length > 0;
    case "DoesNotExist":
      return names.length === 0;
    case "In":
      return names.some((name) => values.includes(name));
    case "NotIn":
      return names.length === 0 || names.some((name) => !values.includes(name));
    default:
      return false;
  }
}
