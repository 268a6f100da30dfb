/**
 * Controllers that do not come to rest, fight, crash, or forget the time.
 *
 * @module
 */
import { attempt, keyOf, keyText, parseKey } from "../../../src/client/index.ts";
import { ConfigMap } from "../../../src/client/kinds/index.ts";
import { type Controller, defineController } from "../../../src/runtime/index.ts";
import type { ProgramContext } from "../../../src/testing/explore/scenario.ts";
import { Alert, Grant, Probe, Schedule, Worker, definitionOf, named, objectOf } from "../definitions/kinds.ts";
import type { InProcessEntry } from "../entry.ts";
import { Keys, follow, informersOf } from "./keys.ts";

const probes = (mended: boolean): Controller =>
  defineController({
    name: "probes",
    for: Probe,
    resync: "10m",
    async reconcile({ object, clock, status }) {
      const healthy = object.spec.host.endsWith(".example.com");
      if (mended && object.status?.healthy === healthy) return;
      // Not more often than once a minute: its own write triggers it, too.
      const checked = object.status?.checked;
      if (checked !== undefined && clock.now() - Date.parse(checked) < 60_000) return;
      await status({ healthy, checked: new Date(clock.now()).toISOString() });
    },
  });

/** A controller that looks at the replicas every ten minutes. */
const replicas = (name: string, wanted: (load: number) => number): Controller =>
  defineController({
    name,
    for: Worker,
    predicate: ({ type }) => type === "added",
    resync: "10m",
    async reconcile({ object, key, client }) {
      const { replicas: now, load = 0 } = object.spec;
      if (now === wanted(load)) return;
      await client.resource(Worker).patch(key, { spec: { replicas: wanted(load) } }, { fieldManager: name });
    },
  });

const MOST = 3;

const grants = (mended: boolean): Controller => {
  const ends = new Map<string, number>();
  return defineController({
    name: "grants",
    for: Grant,
    async reconcile({ object, clock, status }) {
      const { uid, creationTimestamp } = object.metadata;
      const millis = object.spec.minutes * 60_000;
      if (object.status?.phase === "Expired") return undefined;
      if (object.status?.phase === undefined) {
        ends.set(uid, clock.steady() + millis);
        await status({ phase: "Active" });
      }
      const end = ends.get(uid);
      const left = mended ? Date.parse(creationTimestamp) + millis - clock.now() : (end ?? Infinity) - clock.steady();
      if (left === Infinity) return undefined;
      if (left > 0) return { requeueAfter: left };
      await status({ phase: "Expired" });
      return undefined;
    },
  });
};

const alerts = (mended: boolean): Controller =>
  defineController({
    name: "alerts",
    for: Alert,
    async reconcile({ object, status }) {
      const { expression } = object.spec;
      if (/^\w+ [<>] \d+$/.test(expression)) return void (await status({ valid: true }));
      const tries = Number(/^try (\d+)/.exec(object.status?.message ?? "")?.[1] ?? 0);
      const message = mended ? `cannot read ${expression}` : `try ${tries + 1}: cannot read ${expression}`;
      await status({ valid: false, message });
    },
  });

async function schedules(context: ProgramContext, mended: boolean): Promise<void> {
  await using informers = informersOf(context);
  const all = informers.informer(Schedule);
  const keys = new Keys(context);
  const failed = Promise.withResolvers<never>();
  follow(all, (schedule) => keyText(keyOf(schedule)), keys.add);
  await informers.synced();
  const work = keys.run(async (text) => {
    const key = parseKey(text);
    const schedule = all.get(key);
    if (!schedule) return;
    const { apiVersion, kind, metadata, spec } = schedule;
    const hours = mended ? (spec.hours ?? "") : spec.hours!;
    let data: Readonly<Record<string, string>>;
    try {
      data = Object.fromEntries(hours.split(",").map((hour, i) => [`${i}`, hour.trim()]));
    } catch (error) {
      // As an uncaught exception ends a program.
      return failed.reject(error);
    }
    const ownerReferences = [{ apiVersion, kind, name: key.name, uid: metadata.uid, controller: true }];
    const table = { metadata: { ...key, name: `${key.name}-table`, ownerReferences }, data };
    const applied = context.client.resource(ConfigMap).apply(table, { fieldManager: "schedules", force: true });
    await attempt(applied, "NotFound");
  });
  await Promise.race([work, failed.promise]);
}

export const time: readonly InProcessEntry[] = [
  {
    name: "probes",
    language: "TypeScript",
    class: "a write at every resync",
    fault: "It writes the time of its last check every ten minutes, though nothing has changed.",
    kinds: ["restless"],
    isNotice: true,
    scenario: {
      name: "probes",
      start: [definitionOf(Probe)],
      steps: [{ apply: objectOf(Probe, "shop", { host: "shop.example.com" }) }],
      quiet: "4h",
    },
    programs: (mended) => ({ probes: { controllers: () => probes(mended) } }),
  },
  {
    name: "workers",
    language: "TypeScript",
    class: "two controllers that fight",
    fault: "One sets the replicas by the load, the other one has an upper bound, and neither considers the other.",
    kinds: ["fight", "restless", "unsettled"],
    scenario: {
      name: "workers",
      start: [definitionOf(Worker)],
      steps: [
        { apply: objectOf(Worker, "web", { replicas: 1, load: 20 }) },
        { patch: { ...named(Worker, "web"), with: { spec: { load: 60 } } } },
      ],
      pause: "15m",
      quiet: "4h",
    },
    programs: (mended) => ({
      scaler: {
        controllers: () => replicas("scaler", (load) => Math.min(Math.ceil(load / 10), mended ? MOST : Infinity)),
      },
      limiter: {
        controllers: () => replicas("limiter", (load) => Math.min(Math.ceil(load / 10), MOST)),
      },
    }),
  },
  {
    name: "grants",
    language: "TypeScript",
    class: "a time that is only in memory",
    fault: "It keeps the end of a grant in memory, so that after a restart the grant never ends.",
    kinds: ["differs", "stale-status"],
    scenario: {
      name: "grants",
      start: [definitionOf(Grant)],
      steps: [{ apply: objectOf(Grant, "ann", { minutes: 60 }) }, { apply: objectOf(Grant, "ben", { minutes: 90 }) }],
    },
    programs: (mended) => ({ grants: { controllers: () => grants(mended) } }),
  },
  {
    name: "alerts",
    language: "TypeScript",
    class: "hot loop on an invalid spec",
    fault: "It counts its tries in the status, and each write is the event that makes it try again.",
    kinds: ["unsettled", "restless"],
    scenario: {
      name: "alerts",
      start: [definitionOf(Alert)],
      steps: [
        { apply: objectOf(Alert, "load", { expression: "load > 5" }) },
        { apply: objectOf(Alert, "load", { expression: "load is high" }) },
        { apply: objectOf(Alert, "load", { expression: "load > 7" }) },
      ],
    },
    programs: (mended) => ({ alerts: { controllers: () => alerts(mended) } }),
  },
  {
    name: "schedules",
    language: "TypeScript",
    class: "crash loop on an optional member",
    fault: "It reads the hours of a schedule that has none, which ends the program, again after each restart.",
    kinds: ["crash-loop"],
    scenario: {
      name: "schedules",
      start: [definitionOf(Schedule)],
      steps: [{ apply: objectOf(Schedule, "nightly", { hours: "1, 2" }) }, { apply: objectOf(Schedule, "manual", {}) }],
    },
    programs: (mended) => ({ schedules: { main: (context) => schedules(context, mended) } }),
  },
];
