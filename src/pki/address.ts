/** An address without the zone behind it: `fe80::1` of `fe80::1%eth0`. */
export const withoutZone = (address: string): string =>
  address.includes("%") ? (/^([^%]*)%.*$/.exec(address)?.[1] ?? address) : address;

/** The 4 or 16 bytes of an IP address, without its zone (`%eth0`); undefined for any other text. */
export function addressBytes(text: string): Buffer | undefined {
  const bare = withoutZone(text);
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(bare)?.slice(1).map(Number);
  if (v4) return v4.every((part) => part < 256) ? Buffer.from(v4) : undefined;
  if (!bare.includes(":") || !URL.canParse(`http://[${bare}]`)) return undefined;
  // The host of a URL is hexadecimal, with at most one gap.
  const [head = [], tail = []] = new URL(`http://[${bare}]`).hostname
    .slice(1, -1)
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  const groups = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
