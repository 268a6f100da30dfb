/**
 * What stands for calls of webhooks in a page, which opens no connection to another place.
 *
 * @module
 */
import type { Hooks } from "../../../src/hooks/contract.ts";

/** Refuses each call; the failure policy of a webhook decides what that means. */
export const openHooks = (): Hooks => ({
  call: () => Promise.reject(new Error("a cluster in a page calls no webhook")),
  close: () => {},
});
