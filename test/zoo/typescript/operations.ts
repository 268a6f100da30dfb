/**
 * Controllers that remember: what was wanted before is still there after a change.
 *
 * @module
 */
import { attempt } from "../../../src/client/index.ts";
import { ConfigMap } from "../../../src/client/kinds/index.ts";
import { type Controller, defineController } from "../../../src/runtime/index.ts";
import { Alias, Banner, Cache, Logger, configMap, definitionOf, objectOf } from "../definitions/kinds.ts";
import type { InProcessEntry } from "../entry.ts";

const aliases = (mended: boolean): Controller =>
  defineController({
    name: "aliases",
    for: Alias,
    owns: [ConfigMap],
    async reconcile({ object, owned, apply, delete: remove }) {
      const { target, value } = object.spec;
      await apply(ConfigMap, { metadata: { name: target }, data: { value } });
      if (!mended) return;
      for (const other of owned(ConfigMap)) if (other.metadata.name !== target) await remove(ConfigMap, other);
    },
  });

const loggers = (mended: boolean): Controller =>
  defineController({
    name: "loggers",
    for: Logger,
    owns: [ConfigMap],
    async reconcile({ object, key, apply, client }) {
      const { file, level } = object.spec;
      const name = `${key.name}-config`;
      if (mended) return void (await apply(ConfigMap, { metadata: { name }, data: { file, level: level ?? "info" } }));
      const { apiVersion, kind, metadata } = object;
      const ownerReferences = [{ apiVersion, kind, name: key.name, uid: metadata.uid, controller: true }];
      const maps = client.resource(ConfigMap);
      const data = { file, ...(level === undefined ? {} : { level }) };
      const changed = await attempt(maps.patch({ ...key, name }, { data }), "NotFound");
      if (changed.ok) return undefined;
      await maps.create({ metadata: { ...key, name, ownerReferences }, data: { level: "info", ...data } });
      return undefined;
    },
  });

const caches = (mended: boolean): Controller =>
  defineController({
    name: "caches",
    for: Cache,
    owns: [ConfigMap],
    async reconcile({ object, key, owned, apply, delete: remove, status }) {
      if (!mended && object.status?.phase === "Failed") return;
      const { size } = object.spec;
      const parts = /^(\d+)Mi$/.exec(size);
      if (!parts) {
        for (const map of owned(ConfigMap)) await remove(ConfigMap, map);
        return void (await status({ phase: "Failed", message: `cannot read ${size}` }));
      }
      await apply(ConfigMap, { metadata: { name: `${key.name}-cache` }, data: { megabytes: parts[1]! } });
      await status({ phase: "Ready" });
    },
  });

/** Adds a message to a ConfigMap of another owner. */
const banners = (mended: boolean): Controller =>
  defineController({
    name: "banners",
    for: Banner,
    async reconcile({ object, key, client }) {
      const maps = client.resource(ConfigMap);
      const target = await maps.find({ ...key, name: object.spec.target });
      if (!target) return { requeueAfter: "1m" };
      const { text } = object.spec;
      if (target.data?.["banner"] === text) return undefined;
      const changed = maps.update({ ...target, data: { ...target.data, banner: text } });
      await (mended ? changed : attempt(changed, "Conflict"));
      return undefined;
    },
  });

export const operations: readonly InProcessEntry[] = [
  {
    name: "aliases",
    language: "TypeScript",
    class: "a renamed member leaves the old object",
    fault: "It creates the ConfigMap of the new target and leaves that of the old one.",
    kinds: ["remembers"],
    scenario: {
      name: "aliases",
      start: [definitionOf(Alias)],
      steps: [{ apply: objectOf(Alias, "mail", { target: "mail-settings", value: "a" }) }],
    },
    operations: objectOf(Alias, "mail", { target: "mail-settings", value: "a" }),
    programs: (mended) => ({ aliases: { controllers: () => aliases(mended) } }),
  },
  {
    name: "loggers",
    language: "TypeScript",
    class: "a default is not applied again",
    fault: "It patches what is set, so that a level that was unset stays as it was.",
    kinds: ["remembers"],
    scenario: {
      name: "loggers",
      start: [definitionOf(Logger)],
      steps: [{ apply: objectOf(Logger, "web", { file: "web.log", level: "debug" }) }],
    },
    operations: objectOf(Logger, "web", { file: "web.log", level: "debug" }),
    programs: (mended) => ({ loggers: { controllers: () => loggers(mended) } }),
  },
  {
    name: "caches",
    language: "TypeScript",
    class: "a mended value is not tried again",
    fault: "If it could not read the size of an object once, it never checks the object again.",
    kinds: ["remembers"],
    scenario: {
      name: "caches",
      start: [definitionOf(Cache)],
      steps: [{ apply: objectOf(Cache, "web", { size: "64Mi" }) }],
    },
    operations: objectOf(Cache, "web", { size: "64Mi" }),
    programs: (mended) => ({ caches: { controllers: () => caches(mended) } }),
  },
  {
    name: "banners",
    language: "TypeScript",
    class: "a conflict is taken for success",
    fault: "It ignores a conflict, as if another client had written the same.",
    kinds: ["differs", "missing"],
    scenario: {
      name: "banners",
      start: [definitionOf(Banner)],
      steps: [
        {
          apply: [configMap("site", { title: "Shop" }), objectOf(Banner, "sale", { target: "site", text: "20 % off" })],
        },
        { apply: objectOf(Banner, "sale", { target: "site", text: "30 % off" }) },
      ],
    },
    programs: (mended) => ({ banners: { controllers: () => banners(mended) } }),
  },
];
