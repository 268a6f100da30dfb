/** Certificates of ClusterTrustBundles as one file (PROJ-48). */
import type { ClusterTrustBundle } from "../client/kinds/index.ts";
import { pemBlocks, pemOf } from "../util/pem.ts";
import { chosenBundles } from "./bundle-choice.ts";
import { type Collector, guarded } from "./collector.ts";
import type { ProjectedSource } from "./contract.ts";
import type { VolumeFiles } from "./draft.ts";

type Wish = NonNullable<ProjectedSource["clusterTrustBundle"]>;

/** Adds the certificates of the selected bundles as one file (PROJ-13..16). @throws where there are none */
export async function putTrustBundle(draft: VolumeFiles, collector: Collector, wish: Wish): Promise<void> {
  if (wish.name === undefined && wish.signerName === undefined) throw new Error("expected a name or a signerName");
  const bundles = chosenBundles(await collector.source.trustBundles(wish), wish);
  if (bundles.length === 0 && wish.optional !== true) throw new Error("no ClusterTrustBundle was found");
  draft.put(wish.path, { bytes: Buffer.from(certificatesOf(bundles).join("")), ...guarded(collector) });
}

/** Returns each certificate once, without text around it, in a fixed order. */
function certificatesOf(bundles: readonly ClusterTrustBundle[]): readonly string[] {
  const blocks = new Set<string>();
  for (const { spec } of bundles) {
    for (const { bytes } of pemBlocks(spec.trustBundle)) blocks.add(pemOf("CERTIFICATE", bytes));
  }
  return [...blocks].toSorted();
}
