import { addressBytes, specialAddressFault, legacyAddressFault } from "../../meta/addresses.ts";

/** What is wrong with the address of an endpoint, which may have a legacy form; undefined when nothing is. */
export function endpointAddressFault(text: string): string | undefined {
  const bytes = addressBytes(text);
  return bytes ? specialAddressFault(bytes) : legacyAddressFault(text);
}
