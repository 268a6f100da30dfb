import type { VersionResources } from "../../registry/contract.ts";

/**
 * A value for each group and version that is served: made when it is first read, kept until that group and version
 * changes, and forgotten when it goes. Another one that changes costs it nothing.
 */
export class ByVersion<T> {
  readonly #make: (group: string, version: VersionResources) => T;
  readonly #made = new WeakMap<VersionResources, { readonly generation: number; readonly value: T }>();

  constructor(make: (group: string, version: VersionResources) => T) {
    this.#make = make;
  }

  /** @param make makes it in another way than usual */
  get(group: string, version: VersionResources, make = this.#make): T {
    const { generation } = version;
    const known = this.#made.get(version);
    if (known?.generation === generation) return known.value;
    const value = make(group, version);
    this.#made.set(version, { generation, value });
    return value;
  }
}
