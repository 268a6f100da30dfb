/**
 * Where a request comes from, as it says itself and as its connection shows (AUDIT-21, AUDIT-22).
 *
 * @module
 */

/** Longer names of programs are cut. */
const MOST_AGENT = 1024;

/** The name of the program that asks, cut after 1024 bytes. */
export function agentOf(sent: string): string {
  return sent.length <= MOST_AGENT ? sent : `${sent.slice(0, MOST_AGENT)}...TRUNCATED`;
}

/**
 * The addresses of a request: those of `X-Forwarded-For`, that of `X-Real-Ip`, the peer; the last two where they are not
 * named before. What is no address is left out.
 */
export function sourcesOf(forwarded: string, real: string, peer: string): readonly string[] {
  const own = plainAddress(peer);
  if (forwarded === "" && real === "") return own === "" ? [] : [own];
  const found = forwarded
    .split(",")
    .map((part) => part.trim())
    .filter(isAddress);
  const more = [real.trim(), own].filter((address) => isAddress(address));
  for (const address of more) if (!found.includes(address)) found.push(address);
  return found;
}

/** IPv4 in the clothes of IPv6 is IPv4. */
const plainAddress = (address: string): string => (address.startsWith("::ffff:") ? address.slice(7) : address);

const V4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|\d\d|\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|\d\d|\d)){3}$/;

/** Whether a text is an address of IPv4 or IPv6. */
function isAddress(text: string): boolean {
  if (V4.test(text)) return true;
  return text.includes(":") && text.length <= 45 && URL.canParse(`http://[${text}]/`);
}
