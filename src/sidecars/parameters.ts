/**
 * The parameters of a class for a driver: without those for sidecars.
 *
 * @module
 */
import type { Texts } from "./contract.ts";
import { ParameterError } from "./secrets.ts";

/** The purposes of Secrets of a storage class, each with the deprecated parameters for name and namespace. */
export const SECRET_PURPOSES = {
  provisioner: ["csiProvisionerSecretName", "csiProvisionerSecretNamespace"],
  "controller-publish": ["csiControllerPublishSecretName", "csiControllerPublishSecretNamespace"],
  "node-stage": ["csiNodeStageSecretName", "csiNodeStageSecretNamespace"],
  "node-publish": ["csiNodePublishSecretName", "csiNodePublishSecretNamespace"],
  "controller-expand": undefined,
  "node-expand": undefined,
  "controller-modify": undefined,
} as const;

/** The parameters for Secrets, without their prefix. */
const forSecrets = (purposes: readonly string[]): string[] =>
  purposes.flatMap((purpose) => [`${purpose}secret-name`, `${purpose}secret-namespace`]);

const KNOWN = {
  storage: new Set(["fstype", ...forSecrets(["", ...Object.keys(SECRET_PURPOSES).map((purpose) => `${purpose}-`)])]),
  snapshots: new Set(forSecrets(["snapshotter-", "snapshotter-list-"])),
};

/** Parameters without those for sidecars. @throws ParameterError for an unknown one with their prefix */
export function forDriver(parameters: Texts, prefix: string, of: "storage" | "snapshots"): Record<string, string> {
  const kept = Object.entries(parameters).filter(([key]) => {
    if (!key.startsWith(prefix)) return true;
    if (KNOWN[of].has(key.slice(prefix.length))) return false;
    throw new ParameterError(`found unknown parameter key ${JSON.stringify(key)} with reserved namespace ${prefix}`);
  });
  return Object.fromEntries(kept);
}

/** The file system that parameters name, or an empty string. @throws ParameterError where there are two */
export function fsTypeOf(parameters: Texts, prefix: string): string {
  const found = Object.entries(parameters).filter(
    ([key]) => key.toLowerCase() === "fstype" || key === `${prefix}fstype`,
  );
  if (found.length > 1) {
    throw new ParameterError(`fstype specified in parameters with both "fstype" and "${prefix}fstype" keys`);
  }
  return found[0]?.[1] ?? "";
}
