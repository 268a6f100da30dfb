import { badRequest } from "../../meta/status.ts";

/** Reads a `resourceVersion` parameter: undefined when unset, a number of at least 0 otherwise; anything else is 400. */
export function parseVersion(text: string): number | undefined {
  if (text === "") return undefined;
  const version = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(version)) {
    throw badRequest(`expected resourceVersion to be a number from 0 up, got "${text.slice(0, 100)}"`);
  }
  return version;
}
