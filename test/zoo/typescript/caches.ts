/**
 * Programs that trust what they have seen: caches that lag, and kinds that they do not wait for.
 *
 * @module
 */
import { type ApiObject, type ObjectIn, attempt, keyOf, keyText, parseKey } from "../../../src/client/index.ts";
import { ConfigMap, Secret } from "../../../src/client/kinds/index.ts";
import {
  type Controller,
  type GetInformer,
  defineController,
  sharedInformer,
  watches,
} from "../../../src/runtime/index.ts";
import type { ProgramContext, Step } from "../../../src/testing/explore/scenario.ts";
import {
  App,
  Member,
  Page,
  Pool,
  Rotation,
  Team,
  Tenant,
  configMap,
  definitionOf,
  named,
  objectOf,
} from "../definitions/kinds.ts";
import type { InProcessEntry } from "../entry.ts";
import { Keys, follow, informersOf } from "./keys.ts";

const POOL = "pool";

async function pools(context: ProgramContext, mended: boolean): Promise<void> {
  await using informers = informersOf(context);
  const all = informers.informer(Pool);
  const members = informers.informer(sharedInformer(ConfigMap, { labelSelector: POOL }));
  await informers.synced();
  const keys = new Keys(context);
  follow(all, (pool) => keyText(keyOf(pool)), keys.add);
  follow(members, ({ metadata: { namespace, labels } }) => `${namespace}/${labels?.[POOL]}`, keys.add);
  await keys.run(async (text) => {
    const key = parseKey(text);
    const pool = all.get(key);
    if (!pool) return;
    const { namespace, name } = key;
    const { apiVersion, kind, metadata } = pool;
    const owner = { apiVersion, kind, name, uid: metadata.uid, controller: true };
    const present = members.list({ namespace, labels: { [POOL]: name } });
    const common = { namespace, labels: { [POOL]: name }, ownerReferences: [owner] };
    const maps = context.client.resource(ConfigMap);
    for (let i = present.length; i < pool.spec.size; i++) {
      const names = mended ? { name: `${name}-${i}` } : { generateName: `${name}-` };
      await attempt(maps.create({ metadata: { ...common, ...names } }), "AlreadyExists");
    }
    if (pool.status?.members === pool.spec.size) return;
    await attempt(context.client.resource(Pool).status.patch(key, { status: { members: pool.spec.size } }), "NotFound");
  });
}

const TENANT = "tenant";

/** Removes the settings of tenants that are gone. */
async function sweeper(context: ProgramContext, mended: boolean): Promise<void> {
  await using informers = informersOf(context);
  const tenants = informers.informer(Tenant);
  const settings = informers.informer(sharedInformer(ConfigMap, { labelSelector: TENANT }));
  await informers.synced();
  const keys = new Keys(context);
  follow(settings, (one) => keyText(keyOf(one)), keys.add);
  tenants.on(({ type, object: { metadata } }) => {
    if (type !== "deleted") return;
    for (const one of settings.list({ labels: { [TENANT]: metadata.name } })) keys.add(keyText(keyOf(one)));
  });
  await keys.run(async (text) => {
    const one = settings.get(parseKey(text));
    const name = one?.metadata.labels?.[TENANT];
    if (!one || name === undefined) return;
    const owner = { namespace: one.metadata.namespace ?? "", name };
    if (tenants.get(owner)) return;
    // It is tried again when the cache has it.
    if (mended && (await context.client.resource(Tenant).find(owner))) throw new Error("the cache is behind");
    const { resourceVersion } = one.metadata;
    const maps = context.client.resource(ConfigMap);
    // Not where the tenant has come back meanwhile, with newer settings.
    const deletion = mended ? maps.delete(one, { resourceVersion }) : maps.delete(keyOf<"Namespaced">(one));
    await attempt(deletion, "NotFound", "Conflict");
  });
}

/** A user makes the tenant, and then its settings. */
const moveIn = (plan: string): Step => ({
  name: `acme moves in with the plan ${plan}`,
  async do(cluster) {
    await cluster.apply(objectOf(Tenant, "acme", {}));
    await cluster.apply(configMap("acme", { plan }, { [TENANT]: "acme" }));
  },
});

const teamsByMember = sharedInformer(Team, { indexes: { member: ({ spec }) => spec.members } });
const people = sharedInformer(Member);

const teams = (mended: boolean): Controller =>
  defineController({
    name: "teams",
    for: teamsByMember,
    uses: [people],
    sources: mended
      ? [
          watches(people, ({ metadata }, informer) =>
            informer(teamsByMember)
              .by("member", metadata.name)
              .map((team) => keyOf<"Namespaced">(team)),
          ),
        ]
      : [],
    async reconcile({ object, informer, status }) {
      const { namespace = "" } = object.metadata;
      const isKnown = (name: string): boolean => informer(people).get({ namespace, name }) !== undefined;
      const known = object.spec.members.filter(isKnown);
      await status({ known, unknown: object.spec.members.filter((name) => !isKnown(name)) });
    },
  });

const TEMPLATE = "template";
const PAGE = "page";

/** Renders pages: one when it changes, all when the template does. */
async function renderer(context: ProgramContext, mended: boolean): Promise<void> {
  await using informers = informersOf(context);
  const pages = informers.informer(Page);
  const templates = informers.informer(sharedInformer(ConfigMap, { fieldSelector: `metadata.name=${TEMPLATE}` }));
  const outputs = informers.informer(sharedInformer(ConfigMap, { labelSelector: PAGE }));
  await informers.synced();
  const keys = new Keys(context);
  follow(outputs, ({ metadata: { namespace, labels } }) => `${namespace}/${labels?.[PAGE]}`, keys.add);
  const isRendered = ({ metadata, status }: ObjectIn<typeof Page>): boolean =>
    status?.observedGeneration === metadata.generation;
  follow(pages, (page) => (isRendered(page) ? undefined : keyText(keyOf(page))), keys.add);
  templates.on(() => {
    for (const page of pages.list()) keys.add(keyText(keyOf(page)));
  });
  await keys.run(async (text) => {
    const key = parseKey(text);
    const page = pages.get(key);
    const template = templates.get({ ...key, name: TEMPLATE });
    if (!page || !template) return;
    const { apiVersion, kind, metadata } = page;
    const owner = { apiVersion, kind, name: key.name, uid: metadata.uid, controller: true };
    const html = (template.data?.["html"] ?? "").replace("TITLE", page.spec.title);
    const names = { ...key, name: `${key.name}-html`, labels: { [PAGE]: key.name } };
    const output = { metadata: { ...names, ownerReferences: [owner] }, data: { html } };
    await context.client.resource(ConfigMap).apply(output, { fieldManager: "renderer", force: true });
    const all = context.client.resource(Page);
    const now = mended ? page : await all.get(key);
    await all.status.patch(key, { status: { observedGeneration: now.metadata.generation ?? 0 } });
  });
}

const passwords = sharedInformer(Secret, { fieldSelector: "type=Opaque" });
const appsByRotation = sharedInformer(App, { indexes: { rotation: ({ spec }) => spec.rotation } });

const rotator = defineController({
  name: "rotator",
  for: Rotation,
  async reconcile({ object, client, status }) {
    const { version } = object.spec;
    if (object.status?.version === version) return;
    const { namespace = "", name } = object.metadata;
    const password = { metadata: { namespace, name }, stringData: { password: `password ${version}` } };
    await client.resource(Secret).apply(password, { fieldManager: "rotator", force: true });
    await status({ version });
  },
});

const appsOf = ({ metadata }: ApiObject, informer: GetInformer) =>
  informer(appsByRotation)
    .by("rotation", metadata.name)
    .map((app) => keyOf<"Namespaced">(app));

const dependents = (mended: boolean): Controller =>
  defineController({
    name: "dependents",
    for: appsByRotation,
    uses: [passwords],
    sources: [mended ? watches(passwords, appsOf) : watches(Rotation, appsOf)],
    async reconcile({ object, informer, status }) {
      const { namespace = "" } = object.metadata;
      const password = informer(passwords).get({ namespace, name: object.spec.rotation });
      if (password) await status({ checksum: password.data?.["password"] ?? "" });
    },
  });

export const caches: readonly InProcessEntry[] = [
  {
    name: "pools",
    language: "TypeScript",
    class: "own writes not yet in the cache",
    fault:
      "It counts members in a cache which does not have its own creates yet, and creates them again with other names.",
    kinds: ["leaked", "made-twice"],
    scenario: {
      name: "pools",
      start: [definitionOf(Pool)],
      steps: [{ apply: objectOf(Pool, "web", { size: 2 }) }, { apply: objectOf(Pool, "web", { size: 3 }) }],
    },
    programs: (mended) => ({ pools: { main: (context) => pools(context, mended) } }),
  },
  {
    name: "sweeper",
    language: "TypeScript",
    class: "a cache decides what is unknown and is deleted",
    fault: "It deletes the settings of a tenant that its cache does not have yet.",
    kinds: ["missing", "deleted-needlessly", "deleted-unseen"],
    scenario: {
      name: "sweeper",
      start: [definitionOf(Tenant)],
      steps: [moveIn("small"), { delete: named(Tenant, "acme") }, moveIn("large")],
    },
    programs: (mended) => ({ sweeper: { main: (context) => sweeper(context, mended) } }),
  },
  {
    name: "teams",
    language: "TypeScript",
    class: "a status from the cache that nothing corrects",
    fault: "It searches for the members of a team once, and not again when they appear in its cache.",
    kinds: ["stale-status", "differs"],
    scenario: {
      name: "teams",
      start: [definitionOf(Team), definitionOf(Member)],
      steps: [
        {
          apply: [
            objectOf(Member, "ann", {}),
            objectOf(Member, "ben", {}),
            objectOf(Team, "shop", { members: ["ann", "ben"] }),
          ],
        },
        { apply: [objectOf(Member, "eve", {}), objectOf(Team, "shop", { members: ["ann", "eve"] })] },
      ],
    },
    programs: (mended) => ({ teams: { controllers: () => teams(mended) } }),
  },
  {
    name: "renderer",
    language: "TypeScript",
    class: "observedGeneration of what was not handled",
    fault: "It renders the page of its cache, and records the generation of the newer one that it reads afterwards.",
    kinds: ["differs", "stale-status"],
    scenario: {
      name: "renderer",
      start: [definitionOf(Page)],
      steps: [
        { apply: [configMap(TEMPLATE, { html: "<h1>TITLE</h1>" }), objectOf(Page, "home", { title: "Hello" })] },
        { apply: [objectOf(Page, "home", { title: "Welcome" }), configMap(TEMPLATE, { html: "<h2>TITLE</h2>" })] },
      ],
    },
    programs: (mended) => ({ renderer: { main: (context) => renderer(context, mended) } }),
  },
  {
    name: "rotations",
    language: "TypeScript",
    class: "two kinds whose order is not kept",
    fault:
      "It reads a new password from a cache that may still have the old one when the rotation is reported as finished.",
    kinds: ["differs", "stale-status"],
    scenario: {
      name: "rotations",
      start: [definitionOf(Rotation), definitionOf(App)],
      steps: [
        { apply: [objectOf(Rotation, "db", { version: 1 }), objectOf(App, "shop", { rotation: "db" })] },
        { apply: objectOf(Rotation, "db", { version: 2 }) },
      ],
    },
    programs: (mended) => ({ rotations: { controllers: () => [rotator, dependents(mended)] } }),
  },
];
