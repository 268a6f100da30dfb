/** The contents of a volume of a Pod, as files. */
import type { Pod } from "../client/kinds/index.ts";
import type { Collector } from "./collector.ts";
import { putConfigMap } from "./config-map.ts";
import { ContentError, type FailedSource, asError } from "./content-error.ts";
import type { ContentOwner, ContentSource, Payload, PodVolume } from "./contract.ts";
import { putDownward } from "./downward.ts";
import { VolumeFiles } from "./draft.ts";
import { putProjected } from "./projected.ts";
import { putSecret } from "./secret.ts";

/** The mode of files in volumes without `defaultMode` (VOL-6, VOL-11, VOL-14). */
const DEFAULT_MODE = 0o644;

/** Whether the agent writes the contents of a volume: one of the four kinds. */
export const isWritten = ({ configMap, secret, downwardAPI, projected }: PodVolume): boolean =>
  [configMap, secret, downwardAPI, projected].some((source) => source !== undefined && source !== null);

/**
 * Returns the current contents of a volume of a Pod.
 *
 * @param source where objects, tokens and certificates come from
 * @param owner the group and the user of the Pod, which decide how strict the modes of credentials are (PROJ-47)
 * @throws ContentError that names every source that failed
 */
export async function contentOf(
  pod: Pod,
  volume: PodVolume,
  source: ContentSource,
  owner: ContentOwner,
): Promise<Payload> {
  const { configMap, secret, downwardAPI, projected } = volume;
  const mode = (configMap ?? secret ?? downwardAPI ?? projected)?.defaultMode ?? DEFAULT_MODE;
  const collector: Collector = { pod, namespace: pod.metadata.namespace ?? "", volume, source, owner, mode };
  const draft = new VolumeFiles();
  const name = configMap?.name ?? secret?.secretName ?? "";
  const failed = projected
    ? await putProjected(draft, collector, projected.sources ?? [])
    : await one(nameOf(volume), async () => {
        if (configMap) await putConfigMap(draft, collector, name, { ...configMap, mode });
        else if (secret) await putSecret(draft, collector, name, { ...secret, mode });
        else if (downwardAPI) putDownward(draft, collector, downwardAPI.items);
        else throw new Error("expected a configMap, secret, downwardAPI or projected volume");
      });
  if (failed.length > 0) throw new ContentError(failed);
  try {
    return draft.payload();
  } catch (error) {
    throw new ContentError([{ source: nameOf(volume), cause: asError(error) }]);
  }
}

async function one(source: string, put: () => Promise<void>): Promise<FailedSource[]> {
  try {
    await put();
    return [];
  } catch (error) {
    return [{ source, cause: asError(error) }];
  }
}

function nameOf({ name, configMap, secret, downwardAPI }: PodVolume): string {
  if (configMap) return `configMap ${JSON.stringify(configMap.name ?? "")}`;
  if (secret) return `secret ${JSON.stringify(secret.secretName ?? "")}`;
  return downwardAPI ? "downwardAPI" : `volume ${JSON.stringify(name)}`;
}
