import type { StorageDriver } from "../../../../sidecars/contract.ts";
import type { DriverSource } from "../subject.ts";
import { type MemoryDriver, MemoryStorage } from "./memory-driver.ts";

/** A driver in memory. @param make makes a driver over a storage, which outlives it */
export function memorySource(make: (storage: MemoryStorage) => MemoryDriver): DriverSource {
  return {
    notJudged: [],
    async open() {
      const storage = new MemoryStorage();
      let current = make(storage).inProcess;
      const { name, abilities } = current;
      // Calls reach the driver that runs at that moment.
      const calls = Object.fromEntries(
        Object.keys(current.calls).map((method) => [
          method,
          (...call: readonly unknown[]) =>
            (current.calls as never as Record<string, (...all: unknown[]) => unknown>)[method]!(...call),
        ]),
      ) as unknown as StorageDriver["calls"];
      return {
        driver: { name, abilities, calls },
        objects: async () => storage.objects(),
        write(volumeId, data) {
          const volume = storage.volumes.get(volumeId);
          if (volume) volume.data = data;
        },
        async restart() {
          current = make(storage).inProcess;
        },
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}
