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

const SLOPPY = /^0*\d{1,3}(?:\.0*\d{1,3}){3}$/;
const MAPPED = /^\[::ffff:[\da-f]+:[\da-f]+\]$/;

/** Warnings about an address that is taken and will not be, or not as it is written; none about what is no address. */
export function addressWarnings(field: string, address: string): readonly string[] {
  if (SLOPPY.test(address) && !DOTTED.test(address)) {
    const canonical = address.split(".").map(Number);
    if (canonical.some((part) => part > 255)) return [];
    return [`${field}: non-standard IP address "${address}" will be considered invalid: use "${canonical.join(".")}"`];
  }
  if (addressVersion(address) !== 6) return [];
  const { hostname } = new URL(`http://[${address}]`);
  if (MAPPED.test(hostname)) {
    return [`${field}: non-standard IP address "${address}" will be considered invalid: use IPv4`];
  }
  const canonical = hostname.slice(1, -1);
  return canonical === address
    ? []
    : [`${field}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${canonical}")`];
}

/** The version of a network written as `ADDRESS/BITS` (RFC 4632, RFC 4291), 0 for what is none. */
export function networkVersion(network: string): 0 | 4 | 6 {
  const [, address = "", bits = ""] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(network) ?? [];
  const version = addressVersion(address);
  return Number(bits) <= (version === 4 ? 32 : 128) ? version : 0;
}
