/**
 * The sessions of the console that have been signed out, in a ConfigMap: every server of a store reads them, and they survive a
 * restart. It is created with the first sign-out. It has the IDs of sessions, no credentials.
 *
 * A user who can write it can make the cookie of a signed-out session valid again. So it is in a namespace in which users have
 * no roles: where there is no `kube-system`, in one of its own, which the neutral dialect creates with the first object.
 *
 * @module
 */
import { type Client, isStatus } from "../../client/index.ts";
import { ConfigMap } from "../../client/kinds/index.ts";
import type { SharedSignOuts, ShareSignOut } from "../../console/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { Lookup } from "../../schema/lookup.ts";

const NAME = "keelson-console-signed-out";

const namespaceOf = ({ rules }: Dialect): string =>
  rules.systemNamespaces.includes("kube-system") ? "kube-system" : "keelson-system";

/** Reads them in the cache of a cluster. */
export function sharedSignOuts(lookup: Lookup, dialect: Dialect): SharedSignOuts {
  const namespace = namespaceOf(dialect);
  return {
    read: () => lookup.get("configmaps", namespace, NAME)?.["data"] as ReturnType<SharedSignOuts["read"]>,
  };
}

/** How often a write that conflicts with another one is retried. */
const TRIES = 5;

/** Writes them as a client of a cluster. */
export function shareSignOut(client: Client, dialect: Dialect): ShareSignOut {
  const maps = client.resource(ConfigMap);
  const key = { namespace: namespaceOf(dialect), name: NAME };
  return async (change) => {
    for (let left = TRIES; ; left--) {
      try {
        const found = await maps.find(key);
        if (found) await maps.update({ ...found, data: change(found.data ?? {}) });
        else await maps.create({ metadata: key, data: change({}) });
        return;
      } catch (error) {
        if (left <= 1 || !isStatus(error, "Conflict", "AlreadyExists", "NotFound")) throw error;
      }
    }
  };
}
