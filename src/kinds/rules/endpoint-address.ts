import { addressBytes, specialAddressFault, legacyAddressFault } from "../../meta/addresses.ts";

/** The fault of the address of an endpoint, which may have a legacy form; undefined for a valid one. */
export function endpointAddressFault(text: string): string | undefined {
  const bytes = addressBytes(text);
  return bytes ? specialAddressFault(bytes) : legacyAddressFault(text);
}
