/**
 * A controller: it copies a pull secret from one namespace into every namespace with a label, restores changed copies, and deletes
 * a copy when its label is removed.
 *
 * Run: `keelson serve --dev --insecure-http --dialect kubernetes --port 8080`, then
 * `KEELSON_URL=http://127.0.0.1:8080 KEELSON_TOKEN=... node examples/controller.ts`. The tutorial is `docs/guides/controllers.md`.
 */
import { Client, nodeTransport } from "../src/client/index.ts";
import { Namespace, Secret } from "../src/client/kinds/index.ts";
import { createManager, defineController, sharedInformer, watches } from "../src/runtime/index.ts";

const LABEL = "example.com/pull-secret";
const SOURCE = { namespace: "default", name: "registry" };

/** The namespaces, indexed by the label. */
const namespaces = sharedInformer(Namespace, {
  indexes: { wants: ({ metadata }) => metadata.labels?.[LABEL] },
});

/** Every secret of the name: the source and its copies. */
const secrets = sharedInformer(Secret, { fieldSelector: `metadata.name=${SOURCE.name}` });

export const pullSecrets = defineController({
  name: "pull-secrets",
  for: namespaces,
  sources: [
    // A change of the source is for all namespaces with the label; a change of a copy is for its namespace.
    watches(secrets, ({ metadata: { namespace = "" } }, informer) =>
      namespace === SOURCE.namespace
        ? informer(namespaces)
            .by("wants", "yes")
            .map(({ metadata }) => ({ name: metadata.name }))
        : [{ name: namespace }],
    ),
  ],
  async reconcile({ object: namespace, informer, apply, delete: remove, events }) {
    const place = { namespace: namespace.metadata.name, name: SOURCE.name };
    if (place.namespace === SOURCE.namespace || namespace.metadata.deletionTimestamp !== undefined) return;
    const [source, copy] = [informer(secrets).get(SOURCE), informer(secrets).get(place)];
    if (source && namespace.metadata.labels?.[LABEL] === "yes") {
      await apply(Secret, { metadata: place, type: source.type, data: source.data ?? {} });
      if (!copy) events.normal("Copied", `copied the secret ${SOURCE.name} into the namespace`);
    } else if (copy) {
      await remove(Secret, copy);
    }
  },
});

/** Runs until SIGINT. */
async function main(url: string, token: string | undefined): Promise<void> {
  const client = new Client(nodeTransport({ url, token }), { userAgent: "pull-secrets" });
  const manager = createManager({ client, name: "pull-secrets" }).add(pullSecrets);
  await manager.start();
  console.log(manager.status());
  await Promise.race([manager.failed, new Promise((resolve) => process.once("SIGINT", resolve))]);
  await manager.stop();
}

const { KEELSON_URL, KEELSON_TOKEN } = process.env;
if (KEELSON_URL !== undefined && import.meta.main) await main(KEELSON_URL, KEELSON_TOKEN);
