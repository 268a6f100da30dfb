import type { ConfigMap } from "../client/kinds/index.ts";
import type { VolumeFiles } from "./draft.ts";
import type { Collector } from "./collector.ts";
import { type KeyChoice, putKeys } from "./keys.ts";

/** Returns the bytes of a ConfigMap by key: `data` and `binaryData` (VOL-8, PROJ-36). */
function valuesOf({ data, binaryData }: ConfigMap): Map<string, Uint8Array> {
  const values = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(binaryData ?? {})) values.set(key, Buffer.from(text, "base64"));
  for (const [key, text] of Object.entries(data ?? {})) values.set(key, Buffer.from(text));
  return values;
}

/** Adds the keys of a ConfigMap to a volume (CM-2, PROJ-35..38). */
export async function putConfigMap(
  draft: VolumeFiles,
  { source, namespace }: Collector,
  name: string,
  choice: KeyChoice,
): Promise<void> {
  const configMap = name === "" ? undefined : await source.configMap({ namespace, name });
  putKeys(draft, configMap && valuesOf(configMap), choice);
}
