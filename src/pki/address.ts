/** An address without the zone behind it: `fe80::1` of `fe80::1%eth0`. */
export const withoutZone = (address: string): string => /^([^%]*)%.*$/.exec(address)?.[1] ?? address;

/** The bytes of an IP address, 4 or 16 of them; undefined for a text that is none. A zone (`%eth0`) does not count. */
export function addressBytes(text: string): Buffer | undefined {
  const bare = withoutZone(text);
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(bare)?.slice(1).map(Number);
  if (v4) return v4.every((part) => part < 256) ? Buffer.from(v4) : undefined;
  if (!bare.includes(":") || !URL.canParse(`http://[${bare}]`)) return undefined;
  // As a host of a URL it is hexadecimal throughout, with one gap at most.
  const [head = [], tail = []] = new URL(`http://[${bare}]`).hostname
    .slice(1, -1)
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  const groups = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
