import type { PodVolume } from "./contract.ts";
import type { Collector } from "./collector.ts";
import { containerResource } from "./container-resources.ts";
import type { VolumeFiles } from "./draft.ts";
import { cleanPath } from "./file-path.ts";
import { podField } from "./pod-fields.ts";
import { messageOf } from "../util/error.ts";

type Items = NonNullable<PodVolume["downwardAPI"]>["items"];

/** Adds fields and resources of a Pod to a volume (PROJ-41..45). @throws one error for all invalid items */
export function putDownward(draft: VolumeFiles, collector: Collector, items: Items): void {
  const wrong: string[] = [];
  for (const { path, mode, fieldRef, resourceFieldRef } of items ?? []) {
    try {
      const text = fieldRef
        ? podField(collector.pod, fieldRef.fieldPath)
        : resourceFieldRef
          ? containerResource(collector.pod, resourceFieldRef, collector.source.allocatable())
          : "";
      // Only these paths are cleaned before validation; the server refuses the harmful ones.
      draft.put(cleanPath(path), { bytes: Buffer.from(text), mode: mode ?? collector.mode });
    } catch (error) {
      wrong.push(messageOf(error));
    }
  }
  if (wrong.length > 0) throw new Error(wrong.join("; "));
}
