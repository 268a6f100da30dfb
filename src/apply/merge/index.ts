/**
 * Ownership: the third step of the ladder. `updater.ts` is where to begin reading.
 *
 * @module
 */
export * from "./managers.ts";
export * from "./updater.ts";
