import { type Collector, guarded } from "./collector.ts";
import type { ProjectedSource, TokenOptions } from "./contract.ts";
import type { VolumeFiles } from "./draft.ts";

type Source = NonNullable<ProjectedSource["serviceAccountToken"]>;

/** How long a token is good where nothing is said, in seconds (PROJ-34). */
const DEFAULT_EXPIRATION_SECONDS = 3600;

/** What a source of a projected volume asks for. */
export const tokenOptionsOf = ({ audience = "", expirationSeconds }: Source): TokenOptions => ({
  ...(audience === "" ? {} : { audience }),
  expirationSeconds: expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS,
});

/** Puts a token of the Pod's service account into a file (PROJ-32, PROJ-47). */
export async function putToken(draft: VolumeFiles, collector: Collector, wish: Source): Promise<void> {
  const token = await collector.source.token(collector.pod, tokenOptionsOf(wish));
  draft.put(wish.path, { bytes: Buffer.from(token), ...guarded(collector) });
}
