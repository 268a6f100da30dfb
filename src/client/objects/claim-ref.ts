import type { Client } from "../client.ts";
import { PersistentVolume } from "../kinds/index.ts";
import type { ApiObject } from "../kind.ts";
import { ObjectError } from "./object-error.ts";

/** A volume, and the claim that it should belong to. */
export interface ClaimRefChange {
  readonly volume: string;
  readonly claim: {
    readonly metadata: Pick<ApiObject["metadata"], "name" | "namespace" | "uid" | "resourceVersion">;
  };
  readonly fieldManager: string;
}

/** Sets the claimRef of a volume, with retries on conflicts. @throws ObjectError if it is being deleted or belongs to another claim */
export function setClaimRef(
  client: Client,
  { volume, claim, fieldManager }: ClaimRefChange,
): Promise<PersistentVolume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  return client.resource(PersistentVolume).modify(
    { name: volume },
    (found) => {
      const { claimRef } = found.spec;
      if (found.metadata.deletionTimestamp !== undefined)
        throw new ObjectError(`the volume ${volume} is being deleted`);
      if (claimRef && (claimRef.name !== name || claimRef.namespace !== namespace)) {
        throw new ObjectError(`the volume ${volume} belongs to the claim ${claimRef.namespace}/${claimRef.name}`);
      }
      if (claimRef?.uid === uid) return undefined;
      const reference = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion };
      return { ...found, spec: { ...found.spec, claimRef: reference } } as PersistentVolume;
    },
    { fieldManager },
  );
}
