import type { Node } from "../client/kinds/index.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { isSimulated } from "../simulation/nodes/marks.ts";

/** The number of stored simulated nodes. */
export const countSimulatedNodes = async (lookup: Lookup): Promise<number> =>
  (await lookup.collect("nodes", isMarked)).length;

const isMarked = (node: ApiObject): true | undefined => isSimulated(node as unknown as Node) || undefined;
