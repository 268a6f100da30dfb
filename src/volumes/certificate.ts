import { type Collector, guarded } from "./collector.ts";
import type { ProjectedSource } from "./contract.ts";
import type { VolumeFiles } from "./draft.ts";

/**
 * Adds the certificate of a Pod and its key, in one file or in two (PROJ-21, PROJ-22).
 *
 * @throws where none is issued yet: the Pod does not start before (PROJ-28)
 */
export async function putCertificate(
  draft: VolumeFiles,
  collector: Collector,
  wish: NonNullable<ProjectedSource["podCertificate"]>,
): Promise<void> {
  const issued = await collector.source.certificate(collector.pod, wish, collector.volume.name);
  if (!issued) throw new Error(`no certificate of ${wish.signerName} is issued yet`);
  const put = (path: string | undefined, text: string): void => {
    if (path) draft.put(path, { bytes: Buffer.from(text), ...guarded(collector) });
  };
  put(wish.credentialBundlePath, issued.key + issued.chain);
  put(wish.keyPath, issued.key);
  put(wish.certificateChainPath, issued.chain);
}
