/**
 * A program over HTTP, as a beginner writes it: each ConfigMap with the label `wants: ticket` gets a Secret, whose name is written into the
 * ConfigMap. `--generate` adds the fault: a program that is killed between the two writes creates a second Secret, which is never removed.
 * `--at-once` sends both writes together. `--any-state` lists as informers of client-go do: with whatever state a server has.
 */
import { type ConfigMap as Wanted, ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import { attempt, fromKubeconfig } from "../../src/client/index.ts";

const ANNOTATION = "example.com/ticket";
const { client } = await fromKubeconfig();
const generates = process.argv.includes("--generate");
const isAtOnce = process.argv.includes("--at-once");
const [maps, secrets] = [client.resource(ConfigMap), client.resource(Secret)];

async function reconcile({ metadata }: Wanted): Promise<void> {
  const { name, namespace = "default", annotations, deletionTimestamp } = metadata;
  if (annotations?.[ANNOTATION] !== undefined || deletionTimestamp !== undefined) return;
  const wanted = generates ? { generateName: `${name}-`, namespace } : { name, namespace };
  const making = secrets
    .create({ metadata: wanted })
    .catch(async (error: { readonly status?: { readonly code?: number } }) => {
      if (error.status?.code !== 409) throw error;
      return secrets.get({ namespace, name });
    });
  const ticket = isAtOnce ? name : (await making).metadata.name;
  await Promise.all([making, maps.patch({ namespace, name }, { metadata: { annotations: { [ANNOTATION]: ticket } } })]);
}

console.log("tickets begins");
const anyState = process.argv.includes("--any-state") ? { resourceVersion: "0" } : {};
async function follow(resourceVersion: string): Promise<void> {
  for await (const event of maps.watch({ labelSelector: "wants=ticket", resourceVersion })) {
    if (event.type === "BOOKMARK") console.log("tickets gets a bookmark");
    if (event.type === "ADDED" || event.type === "MODIFIED") await reconcile(event.object);
  }
}

for (;;) {
  const list = await maps.list({ labelSelector: "wants=ticket", ...anyState });
  for (const map of list.items) await reconcile(map);
  await attempt(follow(list.metadata.resourceVersion!), "Expired");
}
