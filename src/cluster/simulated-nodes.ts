import type { Client } from "../client/index.ts";
import { Node } from "../client/kinds/index.ts";
import { NODE_ANNOTATION } from "../simulation/index.ts";

/** How many nodes are read at a time. */
const PAGE = 500;

/** The number of simulated nodes that are stored. */
export async function countSimulatedNodes(client: Client): Promise<number> {
  const nodes = client.resource(Node);
  let count = 0;
  let token: string | undefined;
  do {
    // oxlint-disable-next-line no-await-in-loop -- page by page
    const page = await nodes.list({ limit: PAGE, ...(token === undefined ? {} : { continue: token }) });
    count += page.items.filter(isMarked).length;
    token = page.metadata.continue;
  } while (token !== undefined && token !== "");
  return count;
}

const isMarked = ({ metadata: { annotations = {} } }: Node): boolean =>
  (annotations[NODE_ANNOTATION] ?? "false") !== "false" || annotations["kwok.x-k8s.io/node"] === "fake";
