/**
 * Programs that live from events: what they do not see, does not happen.
 *
 * @module
 */
import { attempt, keyOf, keyText, parseKey } from "../../../src/client/index.ts";
import { ConfigMap, Secret } from "../../../src/client/kinds/index.ts";
import type { ProgramContext } from "../../../src/testing/explore/scenario.ts";
import { Certificate, Feature, Tenant, definitionOf, named, objectOf } from "../definitions/kinds.ts";
import type { InProcessEntry } from "../entry.ts";
import { Keys, follow, informersOf, listAndWatch } from "./keys.ts";

/** Publishes a message while a feature is on. */
async function features(context: ProgramContext, mended: boolean): Promise<void> {
  await using informers = informersOf(context);
  const all = informers.informer(Feature);
  const maps = context.client.resource(ConfigMap);
  const keys = new Keys(context);
  all.on((event) => {
    const before = event.type === "changed" && event.old.spec.enabled;
    if (mended || event.object.spec.enabled !== before) keys.add(keyText(keyOf(event.object)));
  });
  await informers.synced();
  await keys.run(async (text) => {
    const key = parseKey(text);
    const feature = all.get(key);
    const message = { namespace: key.namespace, name: `${key.name}-message` };
    if (!feature?.spec.enabled) {
      const there = await maps.find(message);
      if (there) await attempt(maps.delete(there), "NotFound", "Conflict");
      return;
    }
    const { apiVersion, kind, metadata } = feature;
    const ownerReferences = [{ apiVersion, kind, name: key.name, uid: metadata.uid, controller: true }];
    const data = { message: feature.spec.message ?? "" };
    await maps.apply({ metadata: { ...message, ownerReferences }, data }, { fieldManager: "features", force: true });
  });
}

/** Makes the settings of a tenant; its list and watch are written by hand. */
async function tenants(context: ProgramContext, mended: boolean): Promise<void> {
  const uids = new Map<string, string>();
  await listAndWatch(context, Tenant, async (type, { apiVersion, kind, metadata, spec }) => {
    const { namespace = "", name } = metadata;
    if (type === "DELETED") {
      uids.delete(name);
      return;
    }
    const uid = uids.get(name) ?? metadata.uid;
    uids.set(name, uid);
    const owner = { apiVersion, kind, name, uid: mended ? metadata.uid : uid, controller: true };
    const settings = { metadata: { namespace, name, ownerReferences: [owner] }, data: { contact: spec.contact ?? "" } };
    await context.client.resource(ConfigMap).apply(settings, { fieldManager: "tenants", force: true });
  });
}

/** Asks an authority for certificates. An error is logged, and the next event will come. */
async function requests(context: ProgramContext, mended: boolean): Promise<void> {
  await using informers = informersOf(context);
  const all = informers.informer(Certificate);
  const keys = new Keys(context);
  follow(all, (certificate) => keyText(keyOf(certificate)), keys.add);
  await informers.synced();
  await keys.run(async (text) => {
    const key = parseKey(text);
    const certificate = all.get(key);
    if (!certificate) return;
    const { apiVersion, kind, metadata, spec } = certificate;
    const ownerReferences = [{ apiVersion, kind, name: key.name, uid: metadata.uid, controller: true }];
    const secret = { metadata: { ...key, ownerReferences }, stringData: { request: spec.host } };
    await context.client.resource(Secret).apply(secret, { fieldManager: "requests", force: true });
  }, mended);
}

export const events: readonly InProcessEntry[] = [
  {
    name: "features",
    language: "TypeScript",
    class: "triggered by a change, not by a state",
    fault: "It acts when it sees that a feature is switched on or off: what it missed, or what failed, is never done.",
    kinds: ["missing", "leaked", "differs"],
    scenario: {
      name: "features",
      start: [definitionOf(Feature)],
      steps: [
        {
          apply: [
            objectOf(Feature, "sale", { enabled: true, message: "20 % off" }),
            objectOf(Feature, "beta", { enabled: true, message: "Try it" }),
          ],
        },
        {
          apply: [
            objectOf(Feature, "sale", { enabled: false, message: "20 % off" }),
            objectOf(Feature, "beta", { enabled: false, message: "Try it" }),
          ],
        },
        { apply: objectOf(Feature, "sale", { enabled: true, message: "30 % off" }) },
      ],
    },
    programs: (mended) => ({ features: { main: (context) => features(context, mended) } }),
  },
  {
    name: "tenants",
    language: "TypeScript",
    class: "owner reference with the uid of an object that is gone",
    fault:
      "It remembers the uid of a name until it sees the deletion, and uses it for what belongs to the next object of that name.",
    kinds: ["missing", "dangling", "differs", "unsettled"],
    scenario: {
      name: "tenants",
      start: [definitionOf(Tenant)],
      steps: [
        { apply: objectOf(Tenant, "acme", { contact: "ann@example.com" }) },
        { delete: named(Tenant, "acme") },
        { apply: objectOf(Tenant, "acme", { contact: "ben@example.com" }) },
      ],
    },
    programs: (mended) => ({ tenants: { main: (context) => tenants(context, mended) } }),
  },
  {
    name: "requests",
    language: "TypeScript",
    class: "an error drops the key",
    fault: "It logs an error of the server and forgets the certificate.",
    kinds: ["missing", "differs"],
    scenario: {
      name: "requests",
      start: [definitionOf(Certificate)],
      steps: [
        { apply: objectOf(Certificate, "shop", { host: "shop.example.com" }) },
        { apply: objectOf(Certificate, "shop", { host: "www.example.com" }) },
      ],
    },
    programs: (mended) => ({ requests: { main: (context) => requests(context, mended) } }),
  },
];
