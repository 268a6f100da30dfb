/** Creates the system namespaces again after their deletion. */
import { attempt } from "../../client/index.ts";
import { Namespace } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type Controller, defineKeyController, sharedInformer } from "../../runtime/index.ts";

/** The controller named `system-namespaces`; a key is the name of one. */
export function systemNamespaces({ rules: { systemNamespaces: names } }: Dialect): Controller {
  const namespaces = sharedInformer(Namespace);
  return defineKeyController({
    name: "keelson-system-namespaces",
    uses: [namespaces],
    begin({ own }, add) {
      for (const name of names) add(name);
      return own(namespaces).on(({ type, object: { metadata } }) => {
        if (type === "deleted" && names.includes(metadata.name)) add(metadata.name);
      });
    },
    async reconcile({ key: name, informer, client }) {
      if (informer(namespaces).get({ name })) return;
      await attempt(client.resource(Namespace).create({ metadata: { name } }), "AlreadyExists");
    },
  });
}
