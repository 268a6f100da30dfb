import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { NODE_ANNOTATION } from "../simulation/index.ts";

/** The number of simulated nodes that are stored. */
export const countSimulatedNodes = async (lookup: Lookup): Promise<number> =>
  (await lookup.collect("nodes", isMarked)).length;

const isMarked = ({ metadata: { annotations = {} } }: ApiObject): true | undefined =>
  (annotations[NODE_ANNOTATION] ?? "false") !== "false" || annotations["kwok.x-k8s.io/node"] === "fake"
    ? true
    : undefined;
