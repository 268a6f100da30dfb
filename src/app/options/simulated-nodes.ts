/**
 * The option `--nodes`: the number of simulated nodes and their properties.
 *
 * @module
 */
import { quantityFault } from "../../meta/quantity.ts";
import type { NodeOptions } from "../../simulation/index.ts";
import { ValueError } from "./error.ts";
import type { OptionType } from "./types.ts";

/** Simulated nodes of a server. */
export interface SimulatedNodes {
  readonly count: number;
  readonly options: NodeOptions;
}

const MAX_NODES = 10_000;
const CAPACITY: ReadonlySet<string> = new Set(["cpu", "memory", "pods", "ephemeral-storage"]);
const MEMBERS = ["zone", "region", "prefix", ...CAPACITY];

/** `3`, or `3,zone=a,zone=b,cpu=16,memory=64Gi`; empty for none. */
export const simulatedNodes: OptionType<string> = {
  name: "nodes",
  placeholder: "N[,KEY=VALUE...]",
  expects: `a number from 1 to ${MAX_NODES}, and members such as zone=a,zone=b,cpu=16,memory=64Gi`,
  words: [],
  read: (text) => (text === "" || nodesIn(text) !== undefined ? text : undefined),
};

/** The nodes of a text; undefined for another number of nodes. @throws ValueError for another member */
export function nodesIn(text: string): SimulatedNodes | undefined {
  const [first = "", ...members] = text.split(",");
  const count = /^[1-9]\d{0,4}$/.test(first) ? Number(first) : NaN;
  if (!(count <= MAX_NODES)) return undefined;
  const zones: string[] = [];
  const capacity: Record<string, string> = {};
  let options: { readonly region?: string; readonly prefix?: string } = {};
  for (const member of members) {
    const at = member.indexOf("=");
    const [key, value] = [member.slice(0, at), member.slice(at + 1)];
    if (at < 1 || value === "" || !MEMBERS.includes(key)) {
      throw new ValueError(
        `to have members KEY=VALUE with ${MEMBERS.join(", ")}, got ${JSON.stringify(member)}`,
        "nodes",
      );
    }
    if (key === "zone") zones.push(value);
    else if (!CAPACITY.has(key)) options = { ...options, [key]: value };
    else if (quantityFault(value) === undefined) capacity[key] = value;
    else throw new ValueError(`to have a quantity as ${key}, got ${JSON.stringify(value)}`, "nodes");
  }
  const more = Object.keys(capacity).length === 0 ? {} : { capacity };
  return { count, options: { ...options, ...(zones.length === 0 ? {} : { zone: zones }), ...more } };
}

/** How much faster the time of the cluster passes. */
export const speed: OptionType<number> = {
  name: "factor",
  placeholder: "FACTOR",
  expects: "a number from 1 to 10000",
  words: [],
  read(text) {
    const value = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
    return value >= 1 && value <= 10_000 ? value : undefined;
  },
};
