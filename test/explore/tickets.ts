/**
 * A program over HTTP, as a beginner writes it: each ConfigMap with the label `wants: ticket` gets a Secret, whose name is written into the
 * ConfigMap. `--generate` makes the fault: a program that is killed between the two writes makes a second Secret, which nobody removes.
 * `--any-state` lists as informers of client-go do: with whatever state a server has.
 */
import { type ConfigMap as Wanted, ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import { fromKubeconfig } from "../../src/client/index.ts";

const ANNOTATION = "example.com/ticket";
const { client } = await fromKubeconfig();
const generates = process.argv.includes("--generate");
const [maps, secrets] = [client.resource(ConfigMap), client.resource(Secret)];

async function reconcile({ metadata }: Wanted): Promise<void> {
  const { name, namespace = "default", annotations, deletionTimestamp } = metadata;
  if (annotations?.[ANNOTATION] !== undefined || deletionTimestamp !== undefined) return;
  const wanted = generates ? { generateName: `${name}-`, namespace } : { name, namespace };
  const ticket = await secrets
    .create({ metadata: wanted })
    .catch(async (error: { readonly status?: { readonly code?: number } }) => {
      if (error.status?.code !== 409) throw error;
      return secrets.get({ namespace, name });
    });
  await maps.patch({ namespace, name }, { metadata: { annotations: { [ANNOTATION]: ticket.metadata.name } } });
}

console.log("tickets begins");
const anyState = process.argv.includes("--any-state") ? { resourceVersion: "0" } : {};
const list = await maps.list({ labelSelector: "wants=ticket", ...anyState });
for (const map of list.items) await reconcile(map);
for await (const event of maps.watch({
  labelSelector: "wants=ticket",
  resourceVersion: list.metadata.resourceVersion,
})) {
  if (event.type === "ADDED" || event.type === "MODIFIED") await reconcile(event.object);
}
