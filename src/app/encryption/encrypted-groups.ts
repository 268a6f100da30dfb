import { prefixOf } from "../../encryption/chain.ts";
import { isEncrypted } from "../../encryption/transformer.ts";
import type { Bytes } from "../../storage/contract.ts";

/** Records of one resource that are encrypted with the same key. */
export interface EncryptedGroup<T> {
  /** As in a configuration: `secrets`, `leases.coordination.k8s.io`. */
  readonly resource: string;
  /** The prefix of the stored values, with provider and key: `k8s:enc:aesgcm:v1:key1:`; empty if they are not encrypted. */
  readonly stored: string;
  readonly records: number;
  /** The first record. */
  readonly example: T;
}

/** Groups records by resource, provider and key. */
export class EncryptedGroups<T> {
  readonly #groups = new Map<string, { -readonly [K in keyof EncryptedGroup<T>]: EncryptedGroup<T>[K] }>();

  add(key: string, value: Bytes, record: T): void {
    const resource = resourceOf(key);
    const stored = isEncrypted(value) ? prefixOf(value) : "";
    const id = JSON.stringify([resource, stored]);
    const known = this.#groups.get(id);
    if (known) known.records++;
    else this.#groups.set(id, { resource, stored, records: 1, example: record });
  }

  all(): readonly EncryptedGroup<T>[] {
    return [...this.#groups.values()];
  }
}

function resourceOf(key: string): string {
  const [, group = "", plural = ""] = key.split("/");
  return group === "core" ? plural : `${plural}.${group}`;
}
