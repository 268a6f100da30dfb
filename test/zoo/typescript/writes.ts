/**
 * Controllers that are killed between two writes, or do not get the answer to one.
 *
 * @module
 */
import { ConfigMap, Secret } from "../../../src/client/kinds/index.ts";
import { type Controller, defineController } from "../../../src/runtime/index.ts";
import {
  Bucket,
  Certificate,
  Mailbox,
  Order,
  Runner,
  definitionOf,
  named,
  namespaceNamed,
  objectOf,
} from "../definitions/kinds.ts";
import type { InProcessEntry } from "../entry.ts";

const certificates = (mended: boolean): Controller =>
  defineController({
    name: "certificates",
    for: Certificate,
    owns: [Secret, ConfigMap],
    async reconcile({ object, owned, apply }) {
      const { name } = object.metadata;
      if (!mended && owned(Secret).length > 0) return;
      const { host } = object.spec;
      await apply(Secret, { metadata: { name: `${name}-tls` }, stringData: { "tls.key": `key of ${host}` } });
      await apply(ConfigMap, { metadata: { name: `${name}-trust` }, data: { "ca.crt": `authority of ${host}` } });
    },
  });

const runners = (mended: boolean): Controller =>
  defineController({
    name: "runners",
    for: Runner,
    owns: [ConfigMap],
    async reconcile({ object, create, apply, status }) {
      if (object.status?.slot !== undefined) return;
      const data = { repository: object.spec.repository };
      const slot = mended
        ? await apply(ConfigMap, { metadata: { name: `${object.metadata.name}-slot` }, data })
        : await create(ConfigMap, { metadata: { generateName: `${object.metadata.name}-` }, data });
      await status({ slot: slot.metadata.name });
    },
  });

/** It looks for its invoice first, but what another replica has under way it cannot see. */
const invoices = (mended: boolean): Controller =>
  defineController({
    name: "invoices",
    for: Order,
    owns: [ConfigMap],
    async reconcile({ object, owned, create, apply }) {
      const { name } = object.metadata;
      const data = { amount: String(object.spec.amount) };
      const [invoice] = owned(ConfigMap);
      const at = invoice?.metadata.name ?? (mended ? `${name}-invoice` : undefined);
      if (at === undefined) await create(ConfigMap, { metadata: { generateName: `${name}-invoice-` }, data });
      else await apply(ConfigMap, { metadata: { name: at }, data });
    },
  });

const mailboxes = (mended: boolean): Controller =>
  defineController({
    name: "mailboxes",
    for: Mailbox,
    async reconcile({ object, client }) {
      const { name, namespace = "", uid } = object.metadata;
      const { apiVersion, kind } = object;
      const owner = { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
      const secrets = client.resource(Secret);
      const key = { namespace, name: `${name}-login` };
      if (await secrets.find(key)) return;
      const login = { stringData: { user: object.spec.address } };
      await secrets.create({ metadata: { ...key, ...(mended ? owner : {}) }, ...login });
      if (!mended) await secrets.patch(key, { metadata: owner });
    },
  });

const FINALIZER = "zoo.example.com/record";

/** Keeps a record of each bucket in the namespace `storage`. */
const buckets = (mended: boolean): Controller =>
  defineController({
    name: "buckets",
    for: Bucket,
    async reconcile({ object, key, client }) {
      const { deletionTimestamp, finalizers = [], resourceVersion } = object.metadata;
      const all = client.resource(Bucket);
      const maps = client.resource(ConfigMap);
      const record = { namespace: "storage", name: key.name };
      const isHeld = finalizers.includes(FINALIZER);
      const hold = (held: readonly string[]): Promise<unknown> =>
        all.patch(key, { metadata: { resourceVersion, finalizers: held } });
      if (deletionTimestamp !== undefined) {
        if (!isHeld) return;
        const there = await maps.find(record);
        if (there) await maps.delete(there);
        await hold(finalizers.filter((one) => one !== FINALIZER));
        return;
      }
      // The change of the finalizers brings it here again.
      if (mended && !isHeld) return void (await hold([...finalizers, FINALIZER]));
      await maps.apply(
        { metadata: record, data: { region: object.spec.region } },
        { fieldManager: "buckets", force: true },
      );
      if (!isHeld) await hold([...finalizers, FINALIZER]);
    },
  });

export const writes: readonly InProcessEntry[] = [
  {
    name: "certificates",
    language: "TypeScript",
    class: "crash between two writes",
    fault: "If the Secret exists, it assumes that all of the work is done, and never creates the ConfigMap.",
    kinds: ["missing"],
    scenario: {
      name: "certificates",
      start: [definitionOf(Certificate)],
      steps: [
        { apply: objectOf(Certificate, "shop", { host: "shop.example.com" }) },
        { delete: named(Certificate, "shop") },
        { apply: objectOf(Certificate, "shop", { host: "shop.example.com" }) },
      ],
    },
    programs: (mended) => ({ certificates: { controllers: () => certificates(mended) } }),
  },
  {
    name: "runners",
    language: "TypeScript",
    class: "create with generateName whose answer is lost",
    fault: "It creates another ConfigMap if it did not record the name of the first, and never searches for the first.",
    kinds: ["leaked", "made-twice"],
    scenario: {
      name: "runners",
      start: [definitionOf(Runner)],
      steps: [
        { apply: objectOf(Runner, "ci", { repository: "shop" }) },
        { apply: objectOf(Runner, "nightly", { repository: "shop" }) },
      ],
    },
    programs: (mended) => ({ runners: { controllers: () => runners(mended) } }),
  },
  {
    name: "invoices",
    language: "TypeScript",
    class: "two replicas without fencing",
    fault: "Its create is running while another replica leads and creates an invoice with another name.",
    kinds: ["leaked", "made-twice"],
    scenario: {
      name: "invoices",
      start: [definitionOf(Order)],
      steps: [
        { apply: objectOf(Order, "first", { amount: 10 }) },
        { apply: [objectOf(Order, "first", { amount: 12 }), objectOf(Order, "second", { amount: 7 })] },
      ],
    },
    programs: (mended) => ({ invoices: { controllers: () => invoices(mended), leaderElection: true } }),
  },
  {
    name: "mailboxes",
    language: "TypeScript",
    class: "owner reference in a second write",
    fault:
      "It adds the owner reference after the create, and not if the Secret exists: it remains when its owner is deleted.",
    kinds: ["leaked", "differs"],
    scenario: {
      name: "mailboxes",
      start: [definitionOf(Mailbox)],
      steps: [{ apply: objectOf(Mailbox, "ann", { address: "ann@example.com" }) }, { delete: named(Mailbox, "ann") }],
    },
    programs: (mended) => ({ mailboxes: { controllers: () => mailboxes(mended) } }),
  },
  {
    name: "buckets",
    language: "TypeScript",
    class: "finalizer added after the object that it is for",
    fault: "It adds its finalizer after the record: if a bucket is deleted between the two, its record remains.",
    kinds: ["leaked"],
    scenario: {
      name: "buckets",
      start: [namespaceNamed("storage"), definitionOf(Bucket)],
      steps: [{ apply: objectOf(Bucket, "photos", { region: "eu" }) }, { delete: named(Bucket, "photos") }],
    },
    programs: (mended) => ({ buckets: { controllers: () => buckets(mended) } }),
  },
];
