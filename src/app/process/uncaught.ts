/**
 * Uncaught exceptions and rejections: each is logged with its stack and counted, and the server continues. After an error of the
 * store, whose state may be wrong, the process must end.
 *
 * @module
 */
import { StoreError } from "../../storage/contract.ts";
import type { Faults } from "../../util/faults.ts";

/** Handles uncaught errors; resolves to the first one of the store. */
export function handleUncaught(faults: Faults): Promise<StoreError> {
  return new Promise((resolve) => {
    const handle = (error: unknown): void => {
      faults.report("process", error);
      if (error instanceof StoreError && error.code === "failed") resolve(error);
    };
    process.on("uncaughtException", handle);
    process.on("unhandledRejection", handle);
  });
}
