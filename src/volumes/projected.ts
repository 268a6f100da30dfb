import type { Collector } from "./collector.ts";
import { putCertificate } from "./certificate.ts";
import { putConfigMap } from "./config-map.ts";
import { type FailedSource, asError } from "./content-error.ts";
import type { ProjectedSource } from "./contract.ts";
import { putDownward } from "./downward.ts";
import type { VolumeFiles } from "./draft.ts";
import { putSecret } from "./secret.ts";
import { putToken } from "./token.ts";
import { putTrustBundle } from "./trust-bundle.ts";

/** Adds the files of all sources of a projected volume, and returns those that failed (PROJ-46). */
export async function putProjected(
  draft: VolumeFiles,
  collector: Collector,
  sources: readonly ProjectedSource[],
): Promise<FailedSource[]> {
  const failed: FailedSource[] = [];
  for (const source of sources) {
    try {
      await putSource(draft, collector, source);
    } catch (error) {
      failed.push({ source: nameOfSource(source), cause: asError(error) });
    }
  }
  return failed;
}

async function putSource(draft: VolumeFiles, collector: Collector, source: ProjectedSource): Promise<void> {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const { mode } = collector;
  if (secret) await putSecret(draft, collector, secret.name ?? "", { ...secret, mode });
  else if (configMap) await putConfigMap(draft, collector, configMap.name ?? "", { ...configMap, mode });
  else if (downwardAPI) putDownward(draft, collector, downwardAPI.items);
  else if (serviceAccountToken) await putToken(draft, collector, serviceAccountToken);
  else if (clusterTrustBundle) await putTrustBundle(draft, collector, clusterTrustBundle);
  else if (podCertificate) await putCertificate(draft, collector, podCertificate);
}

/** The source for messages. */
function nameOfSource(source: ProjectedSource): string {
  const { secret, configMap, serviceAccountToken: token, clusterTrustBundle: bundle, podCertificate } = source;
  if (secret) return `secret ${quotedName(secret.name)}`;
  if (configMap) return `configMap ${quotedName(configMap.name)}`;
  if (token) return `serviceAccountToken ${quotedName(token.path)}`;
  if (bundle) return `clusterTrustBundle ${quotedName(bundle.name ?? bundle.signerName)}`;
  return podCertificate ? `podCertificate of ${podCertificate.signerName}` : "downwardAPI";
}

const quotedName = (name = ""): string => JSON.stringify(name);
