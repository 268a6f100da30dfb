import type { VersionResources } from "../../registry/contract.ts";

/**
 * A value for each group and version that is served: made when it is first read, kept until that group and version
 * changes, and dropped when it is removed. A change of another group and version does not affect it.
 */
export class ByVersion<T> {
  readonly #make: (group: string, version: VersionResources) => T;
  readonly #made = new WeakMap<VersionResources, { readonly generation: number; readonly value: T }>();

  constructor(make: (group: string, version: VersionResources) => T) {
    this.#make = make;
  }

  /** @param make replaces the default way to make the value */
  get(group: string, version: VersionResources, make = this.#make): T {
    const { generation } = version;
    const known = this.#made.get(version);
    if (known?.generation === generation) return known.value;
    const value = make(group, version);
    this.#made.set(version, { generation, value });
    return value;
  }
}
