import { type Collector, guarded } from "./collector.ts";
import type { ProjectedSource, TokenWish } from "./contract.ts";
import type { Draft } from "./draft.ts";

type Source = NonNullable<ProjectedSource["serviceAccountToken"]>;

/** How long a token is good where nothing is said, in seconds (PROJ-34). */
const HOUR = 3600;

/** What a source of a projected volume asks for. */
export const tokenWish = ({ audience = "", expirationSeconds }: Source): TokenWish => ({
  ...(audience === "" ? {} : { audience }),
  expirationSeconds: expirationSeconds ?? HOUR,
});

/** Puts a token of the Pod's service account into a file (PROJ-32, PROJ-47). */
export async function putToken(draft: Draft, collector: Collector, wish: Source): Promise<void> {
  const token = await collector.source.token(collector.pod, tokenWish(wish));
  draft.put(wish.path, { bytes: Buffer.from(token), ...guarded(collector) });
}
