import { addressBytes, unreachable, wrongOldAddress } from "../../meta/addresses.ts";

/** What is wrong with an address by which others are reached; the forms of old are taken. */
export function wrongReached(text: string): string | undefined {
  const bytes = addressBytes(text);
  return bytes ? unreachable(bytes) : wrongOldAddress(text);
}
