/** What a storage system can do; both may be asked again for what is there, or gone, already. */
export interface Driver {
  create(name: string, size: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** A storage system in memory, for tests: it tells which volumes there are. */
export class MemoryDriver implements Driver {
  readonly volumes = new Map<string, string>();

  async create(name: string, size: string): Promise<void> {
    this.volumes.set(name, size);
  }

  async delete(name: string): Promise<void> {
    this.volumes.delete(name);
  }
}
