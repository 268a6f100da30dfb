/** The order in which objects of manifests are applied. */
import type { FoundManifest, Manifest } from "./manifests.ts";

/** Kinds that others need come first; unlisted kinds come last, in the given order. */
const RANKS: readonly ((manifest: Manifest) => boolean)[] = [
  ({ kind }) => kind === "Namespace",
  ({ kind }) => kind === "CustomResourceDefinition",
  // Classes and their drivers.
  ({ kind }) => kind.endsWith("Class") || kind === "CSIDriver",
  ({ kind }) => kind === "ServiceAccount",
  ({ kind }) => kind === "ConfigMap" || kind === "Secret",
  ({ apiVersion, kind }) => apiVersion.startsWith("rbac.") && !kind.endsWith("Binding"),
  ({ apiVersion }) => apiVersion.startsWith("rbac."),
];
/** Webhooks and policies may refuse later writes. */
const LAST = /^(Validating|Mutating)(Webhook|AdmissionPolicy)/;

function rankOf(manifest: Manifest): number {
  if (LAST.test(manifest.kind)) return RANKS.length + 1;
  const rank = RANKS.findIndex((belongs) => belongs(manifest));
  return rank < 0 ? RANKS.length : rank;
}

/** Sorts manifests: namespaces, definitions, classes, service accounts, configuration, roles, the rest, webhooks. */
export const inOrder = (found: readonly FoundManifest[]): readonly FoundManifest[] =>
  found.toSorted((a, b) => rankOf(a.manifest) - rankOf(b.manifest));
