import { type Collector, guarded } from "./collector.ts";
import type { ProjectedSource, TokenOptions } from "./contract.ts";
import type { VolumeFiles } from "./draft.ts";

type Source = NonNullable<ProjectedSource["serviceAccountToken"]>;

/** The default lifetime of a token in seconds (PROJ-34). */
const DEFAULT_EXPIRATION_SECONDS = 3600;

/** Returns the options of the token of a source. */
export const tokenOptionsOf = ({ audience = "", expirationSeconds }: Source): TokenOptions => ({
  ...(audience === "" ? {} : { audience }),
  expirationSeconds: expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS,
});

/** Adds a token of the Pod's service account (PROJ-32, PROJ-47). */
export async function putToken(draft: VolumeFiles, collector: Collector, wish: Source): Promise<void> {
  const token = await collector.source.token(collector.pod, tokenOptionsOf(wish));
  draft.put(wish.path, { bytes: Buffer.from(token), ...guarded(collector) });
}
