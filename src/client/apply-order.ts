/**
 * The order in which objects can be applied, whatever order their files have them in.
 *
 * @module
 */
import type { FoundManifest, Manifest } from "./manifests.ts";

/** What others need comes first; what nothing here speaks of comes after it, as it was given. */
const RANKS: readonly ((manifest: Manifest) => boolean)[] = [
  ({ kind }) => kind === "Namespace",
  ({ kind }) => kind === "CustomResourceDefinition",
  // Classes, and the drivers that they name.
  ({ kind }) => kind.endsWith("Class") || kind === "CSIDriver",
  ({ kind }) => kind === "ServiceAccount",
  ({ kind }) => kind === "ConfigMap" || kind === "Secret",
  ({ apiVersion, kind }) => apiVersion.startsWith("rbac.") && !kind.endsWith("Binding"),
  ({ apiVersion }) => apiVersion.startsWith("rbac."),
];
/** What stands between the server and whoever writes, and would refuse what comes behind it. */
const LAST = /^(Validating|Mutating)(Webhook|AdmissionPolicy)/;

function rankOf(manifest: Manifest): number {
  if (LAST.test(manifest.kind)) return RANKS.length + 1;
  const rank = RANKS.findIndex((belongs) => belongs(manifest));
  return rank < 0 ? RANKS.length : rank;
}

/** The same manifests: namespaces, definitions, classes, service accounts, configuration, roles, the rest, webhooks. */
export const inOrder = (found: readonly FoundManifest[]): readonly FoundManifest[] =>
  found.toSorted((a, b) => rankOf(a.manifest) - rankOf(b.manifest));
