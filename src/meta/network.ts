/**
 * Addresses of networks, as far as objects name them.
 *
 * @module
 */

const DOTTED = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** The version of an IP address, 0 for what is none. */
function addressVersion(address: string): 0 | 4 | 6 {
  if (DOTTED.test(address)) return 4;
  return /^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]`) ? 6 : 0;
}

/** The version of a network written as `ADDRESS/BITS` (RFC 4632, RFC 4291), 0 for what is none. */
export function networkVersion(network: string): 0 | 4 | 6 {
  const [, address = "", bits = ""] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(network) ?? [];
  const version = addressVersion(address);
  return Number(bits) <= (version === 4 ? 32 : 128) ? version : 0;
}
