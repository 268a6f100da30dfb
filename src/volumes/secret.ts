import type { VolumeFiles } from "./draft.ts";
import type { Collector } from "./collector.ts";
import { type KeyChoice, putKeys } from "./keys.ts";

/** Adds the keys of a Secret to a volume (SEC-2, VOL-13). */
export async function putSecret(
  draft: VolumeFiles,
  { source, namespace }: Collector,
  name: string,
  choice: KeyChoice,
): Promise<void> {
  const secret = name === "" ? undefined : await source.secret({ namespace, name });
  const values = secret && new Map(Object.entries(secret.data ?? {}).map(([key, text]) => [key, bytesOf(text)]));
  putKeys(draft, values, choice);
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "base64");
