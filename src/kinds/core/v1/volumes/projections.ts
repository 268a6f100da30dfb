/**
 * Projected volumes: several sources in one directory (VOL-16, VOL-17, PROJ-10..34, LIM-7..11).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import { ClusterTrustBundleProjection, checkTrustBundle } from "./cluster-trust-bundle.ts";
import { DownwardAPIVolumeFile, KeyToPath, checkFiles, checkKeys, defaultMode } from "./files.ts";
import { type Loose, type SourceCheck, type SourceFamily, form } from "./form.ts";
import { checkInsideVolume, checkMode } from "./paths.ts";
import { PodCertificateProjection, checkPodCertificate } from "./pod-certificate.ts";

const keyItems = t.optional(t.atomicList(KeyToPath, "The keys to project; all when empty."));
const optionalSource = t.pointer(t.bool("Whether the Pod may start without it, or without a listed key."));

const ServiceAccountTokenProjection = t.struct("A token of the Pod's service account, renewed before it expires.", {
  audience: t.optional(t.text("The audience of the token; the API server when empty.")),
  expirationSeconds: t.pointer(t.int64("How long the token is valid: at least 600 seconds.", { default: 3600 })),
  path: t.required(t.text("The file, relative to the volume.")),
});

const VolumeProjection = t.struct("One source of a projected volume: exactly one member is set.", {
  secret: t.pointer(
    t.struct("A Secret as files.", {
      name: t.optional(t.text("Name of the Secret.")),
      items: keyItems,
      optional: optionalSource,
    }),
  ),
  downwardAPI: t.pointer(
    t.struct("Members of the Pod and resources of its containers as files.", {
      items: t.optional(t.atomicList(DownwardAPIVolumeFile, "The files.")),
    }),
  ),
  configMap: t.pointer(
    t.struct("A ConfigMap as files.", {
      name: t.optional(t.text("Name of the ConfigMap.")),
      items: keyItems,
      optional: optionalSource,
    }),
  ),
  serviceAccountToken: t.pointer(ServiceAccountTokenProjection),
  clusterTrustBundle: t.pointer(ClusterTrustBundleProjection),
  podCertificate: t.pointer(PodCertificateProjection),
});

type Source = Loose<t.Static<typeof VolumeProjection>>;
type Token = Loose<t.Static<typeof ServiceAccountTokenProjection>>;

/** The members of a projection, in the order of validation. */
export const PROJECTION_MEMBERS = [
  "secret",
  "configMap",
  "downwardAPI",
  "serviceAccountToken",
  "clusterTrustBundle",
  "podCertificate",
] as const;

/** The files that a source writes; those of a token are left out, since it may share its path. */
export function pathsOf(source: Source): readonly string[] {
  const paths = [
    ...(source.secret?.items ?? []).map((item) => item.path),
    ...(source.configMap?.items ?? []).map((item) => item.path),
    ...(source.downwardAPI?.items ?? []).map((item) => item.path),
    source.clusterTrustBundle?.path,
    source.podCertificate?.credentialBundlePath,
    source.podCertificate?.keyPath,
    source.podCertificate?.certificateChainPath,
  ];
  return paths.filter((path): path is string => Boolean(path));
}

const MIN_EXPIRATION = 600;
const MAX_EXPIRATION = 2 ** 32;

function checkToken(token: Token, at: string, volume: string, check: SourceCheck): void {
  check.range(`${at}.expirationSeconds`, token.expirationSeconds, MIN_EXPIRATION, MAX_EXPIRATION);
  // Kubernetes reports the path of a token at the volume.
  const field = check.ctx.dialect.rules.recordedCauseNames ? `${volume}.path` : `${at}.path`;
  if (token.path) checkInsideVolume(field, token.path, check);
  else check.errors.required(field);
}

function checkSource(source: Source, at: string, volume: string, check: SourceCheck): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (secret) {
    check.needUndocumented(`${at}.secret.name`, secret.name);
    checkKeys(secret.items, `${at}.secret.items`, check);
  }
  if (configMap) {
    check.needUndocumented(`${at}.configMap.name`, configMap.name);
    checkKeys(configMap.items, `${at}.configMap.items`, check);
  }
  if (downwardAPI) checkFiles(downwardAPI.items, `${at}.downwardAPI`, check);
  if (serviceAccountToken) checkToken(serviceAccountToken, `${at}.serviceAccountToken`, volume, check);
  if (clusterTrustBundle) checkTrustBundle(clusterTrustBundle, `${at}.clusterTrustBundle`, check);
  if (podCertificate) checkPodCertificate(podCertificate, `${at}.podCertificate`, check);
}

function checkSources(sources: readonly Source[], at: string, check: SourceCheck): void {
  const taken = new Set<string>();
  sources.forEach((source, i) => {
    const sourceAt = `${at}.sources[${i}]`;
    checkSource(source, sourceAt, at, check);
    const { clusterTrustBundle: bundle } = source;
    // Bundles without a path share one as well.
    for (const path of bundle && !bundle.path ? [...pathsOf(source), ""] : pathsOf(source)) {
      if (taken.has(path)) check.errors.invalid(at, path, "expected paths that no two sources share");
      taken.add(path);
    }
    const set = PROJECTION_MEMBERS.filter((member) => source[member] !== undefined).length;
    if (set > 1) check.errors.forbidden(sourceAt, `expected exactly one source, got ${set}`);
    else if (set === 0 && check.ctx.dialect.rules.enforceDocumented) {
      check.errors.required(sourceAt, "expected exactly one source, got none");
    }
  });
}

/** Several sources in one directory. */
export const projected: SourceFamily = {
  member: "projected",
  inline: form(
    t.struct("Several sources in one directory.", {
      sources: t.always(t.atomicList(VolumeProjection, "The sources.")),
      defaultMode,
    }),
    (source, at, check) => {
      checkMode(`${at}.defaultMode`, source.defaultMode, check);
      checkSources(source.sources ?? [], at, check);
    },
  ),
};
