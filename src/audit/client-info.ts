/**
 * The user agent and the addresses of a client, from the headers of its request and its connection (AUDIT-21, AUDIT-22).
 *
 * @module
 */
import { flatCopy } from "../util/flat-copy.ts";

const MAX_USER_AGENT_LENGTH = 1024;

/** The user agent of a client, truncated to 1024 characters. */
export function userAgentOf(sent: string): string {
  return sent.length <= MAX_USER_AGENT_LENGTH ? sent : flatCopy(`${sent.slice(0, MAX_USER_AGENT_LENGTH)}...TRUNCATED`);
}

/**
 * The addresses of a request, each once: those of `X-Forwarded-For`, that of `X-Real-Ip`, then the peer. Invalid addresses are
 * left out. The result does not keep the headers in memory, since events wait until they are sent.
 */
export function sourceIPsOf(forwarded: string, real: string, peer: string): readonly string[] {
  const own = plainAddress(peer);
  if (forwarded === "" && real === "") return own === "" ? [] : [own];
  const found = forwarded
    .split(",")
    .map((part) => part.trim())
    .filter(isAddress)
    .map(flatCopy);
  const more = [real.trim(), own].filter((address) => isAddress(address));
  for (const address of more) if (!found.includes(address)) found.push(address);
  return found;
}

/** An IPv4-mapped IPv6 address as IPv4. */
const plainAddress = (address: string): string => (address.startsWith("::ffff:") ? address.slice(7) : address);

const V4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|\d\d|\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|\d\d|\d)){3}$/;

function isAddress(text: string): boolean {
  if (V4.test(text)) return true;
  return text.includes(":") && text.length <= 45 && URL.canParse(`http://[${text}]/`);
}
