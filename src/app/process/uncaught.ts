/**
 * What reaches the process although something should have caught it: it is logged with its stack and counted, and the server
 * goes on. Where it says that the store may be wrong, the process has to end.
 *
 * @module
 */
import { StoreError } from "../../storage/contract.ts";
import type { Faults } from "../../util/faults.ts";

/** Resolves when a failure has reached the process that says that the store may be wrong. */
export function takeUncaught(faults: Faults): Promise<StoreError> {
  return new Promise((resolve) => {
    const take = (error: unknown): void => {
      faults.report("process", error);
      if (error instanceof StoreError && error.code === "failed") resolve(error);
    };
    process.on("uncaughtException", take);
    process.on("unhandledRejection", take);
  });
}
