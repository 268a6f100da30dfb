/**
 * Parameters of a class as a driver is told them: those that are for sidecars are taken off.
 *
 * @module
 */
import type { Texts } from "./contract.ts";
import { ParameterError } from "./secrets.ts";

/** What a class of storage may say to sidecars, beside Secrets for {@link SECRET_PURPOSES}. */
const OF_CLASSES = ["fstype"];

/** What Secrets of a class of storage are for; the empty one is for all of it. */
export const SECRET_PURPOSES = [
  "",
  "provisioner",
  "controller-publish",
  "node-stage",
  "node-publish",
  "controller-expand",
  "node-expand",
  "controller-modify",
] as const;

/** What Secrets of a class of snapshots are for. */
export const SNAPSHOT_PURPOSES = ["snapshotter", "snapshotter-list"] as const;

/** The names of the parameters that are for sidecars, without their prefix. */
const known = (purposes: readonly string[], more: readonly string[]): ReadonlySet<string> =>
  new Set([
    ...more,
    ...purposes.flatMap((purpose) => {
      const stem = purpose === "" ? "secret" : `${purpose}-secret`;
      return [`${stem}-name`, `${stem}-namespace`];
    }),
  ]);

const KNOWN = { storage: known(SECRET_PURPOSES, OF_CLASSES), snapshots: known(SNAPSHOT_PURPOSES, []) };

/** Parameters without those for sidecars. @throws ParameterError for one with their prefix that means nothing */
export function forDriver(parameters: Texts, prefix: string, of: "storage" | "snapshots"): Record<string, string> {
  const told = Object.entries(parameters).filter(([key]) => {
    if (!key.startsWith(prefix)) return true;
    if (KNOWN[of].has(key.slice(prefix.length))) return false;
    throw new ParameterError(`expected a parameter that is known to begin with ${prefix}, got ${JSON.stringify(key)}`);
  });
  return Object.fromEntries(told);
}

/** The file system that parameters ask for; empty where they do not. @throws ParameterError where they do so twice */
export function fsTypeOf(parameters: Texts, prefix: string): string {
  const asked = Object.entries(parameters).filter(
    ([key]) => key.toLowerCase() === "fstype" || key === `${prefix}fstype`,
  );
  if (asked.length > 1) {
    throw new ParameterError(`expected one parameter for the file system, got ${asked.map(([key]) => key).join(", ")}`);
  }
  return asked[0]?.[1] ?? "";
}
