import type { PodVolume } from "./contract.ts";
import type { Collector } from "./collector.ts";
import { containerResource } from "./container-resources.ts";
import type { VolumeFiles } from "./draft.ts";
import { cleanPath } from "./file-path.ts";
import { podField } from "./pod-fields.ts";

type Items = NonNullable<PodVolume["downwardAPI"]>["items"];

/** Puts what a Pod says of itself into a volume (PROJ-41..45). @throws an error that tells of every item that is wrong */
export function putDownward(draft: VolumeFiles, collector: Collector, items: Items): void {
  const wrong: string[] = [];
  for (const { path, mode, fieldRef, resourceFieldRef } of items ?? []) {
    try {
      const text = fieldRef
        ? podField(collector.pod, fieldRef.fieldPath)
        : resourceFieldRef
          ? containerResource(collector.pod, resourceFieldRef, collector.source.allocatable())
          : "";
      // These alone are cleaned before they are judged; the server refuses those that it would matter for.
      draft.put(cleanPath(path), { bytes: Buffer.from(text), mode: mode ?? collector.mode });
    } catch (error) {
      wrong.push((error as Error).message);
    }
  }
  if (wrong.length > 0) throw new Error(wrong.join("; "));
}
