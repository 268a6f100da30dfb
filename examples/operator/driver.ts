/** A storage system; both operations are idempotent. */
export interface Driver {
  create(name: string, size: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** A storage system in memory, for tests. */
export class MemoryDriver implements Driver {
  readonly volumes = new Map<string, string>();

  async create(name: string, size: string): Promise<void> {
    this.volumes.set(name, size);
  }

  async delete(name: string): Promise<void> {
    this.volumes.delete(name);
  }
}
