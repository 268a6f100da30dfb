/** What differs between two runs, and between two servers that do the same: it is replaced by its name. */
const REPLACED = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "managedFields",
  "message",
  "requestReceivedTimestamp",
  "stageTimestamp",
  "auditID",
  "causes",
  "columnDefinitions",
  "rows",
  "expirationTimestamp",
  "token",
  "userAgent",
  "authentication.kubernetes.io/issued-credential-id",
]);

/** An event, or a part of one, in a form in which events of two servers can be compared; the sender is left out. */
export function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  // The real server forgets to name a version of options of deletions that are public.
  if (value === "meta.k8s.io/__internal") return "meta.k8s.io/v1";
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (key === "user") continue;
    result[key] = REPLACED.has(key) ? `<${key}>` : normal(member);
  }
  const { name } = result;
  if (typeof name === "string" && name.startsWith("gen-")) result["name"] = "<generated>";
  return result;
}
