/**
 * The ranges of addresses and ports for Services.
 *
 * @module
 */
import { familyOf, networkOf } from "./addresses.ts";

/** The ranges of a server. */
export interface ServiceRanges {
  /** Networks for the addresses of Services: one, or one of each family; the family of the first is the default one. */
  readonly networks: readonly string[];
  /** The first and the last port on the nodes. */
  readonly nodePorts: readonly [number, number];
}

/** The default ranges. */
export const SERVICE_RANGES: ServiceRanges = { networks: ["10.0.0.0/24"], nodePorts: [30_000, 32_767] };

/** What is wrong with networks for Services; undefined when nothing is. */
export function serviceNetworkFault(texts: readonly string[]): string | undefined {
  const networks = texts.map(networkOf);
  if (networks.some((network) => !network)) return "expected networks such as 10.0.0.0/24 or fd00:10::/112";
  const families = networks.map((network) => familyOf(network!.bytes));
  if (families.length === 0 || families.length > 2 || new Set(families).size < families.length) {
    return "expected one network, or one of each family";
  }
  const small = networks.find((network) => network!.bits > network!.bytes.length * 8 - 3);
  if (small) return "expected networks with at least eight addresses";
  return undefined;
}
