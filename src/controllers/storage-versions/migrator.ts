/**
 * Storage version migration: every object of a resource is written again, so that all of them are stored in the version of
 * today (SVM-2..5, SVM-14, SVM-15, DEC-55).
 *
 *     created ──► version noted ──► Running ──► Succeeded        Failed: an error that no retry mends
 *
 * Each reconcile takes one step or writes one page, and notes in `continueToken` where the next one begins; so whoever
 * stops, another one goes on there. What is younger than the version that was noted is stored as it should be already, and
 * who writes an object meanwhile has done the same. Objects are written no faster than others can bear.
 *
 * @module
 */
import {
  type ServedKind,
  attempt,
  inDomain,
  isStatus,
  metadataOf,
  nameOfKind,
  preferredKinds,
} from "../../client/index.ts";
import { StorageVersionMigrationV1alpha1 as Migration } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { StatusReason } from "../../meta/status.ts";
import { formatTime, parseTime } from "../../meta/time.ts";
import {
  type Context,
  type Controller,
  type Result,
  changed,
  conditionOf,
  defineController,
  keysPushed,
  sharedInformer,
} from "../../runtime/index.ts";
import { pageOf, rewrite } from "./pages.ts";
import { errorText } from "../../util/cut-text.ts";

/** What may be set of the migrator. */
export interface MigratorSettings {
  /** So many objects are written in a second, of all migrations together. Default 500. */
  readonly perSecond?: number;
}

const NAME = "keelson-storage-version-migrator";
/** A resource that nobody serves is waited for so long, and looked for after growing times between these. */
const SERVED_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = { least: 1000, most: 15_000 };
/** Somebody else has written, which memory will show. */
const AGAIN: Result = { requeueAfter: "100ms" };
const REQUEUE_NOW: Result = { requeueAfter: 0 };
/** What the server refuses for good; everything else is tried again. */
const FINAL_REASONS: readonly StatusReason[] = [
  "BadRequest",
  "Forbidden",
  "Invalid",
  "MethodNotAllowed",
  "NotAcceptable",
  "UnsupportedMediaType",
];

type MigrationContext = Context<Migration, "Cluster">;
type Condition = NonNullable<Migration["status"]["conditions"]>[number];

/** The controller named `storage-version-migrator`. */
export function storageVersionMigrator({ domain }: Dialect, { perSecond = 500 }: MigratorSettings = {}): Controller {
  const kind = inDomain(Migration, domain);
  const migrations = sharedInformer(kind);
  const waiting = keysPushed<{ name: string }>((add, { kinds, own }) =>
    kinds.on(() => {
      for (const one of own(migrations).list()) if (!hasEnded(one)) add({ name: one.metadata.name });
    }),
  );
  return defineController({
    name: NAME,
    for: migrations,
    sources: [waiting],
    // What it notes itself is no reason to hurry.
    predicate: changed.status,
    async reconcile(ctx): Promise<Result> {
      const { object, kinds } = ctx;
      if (object.metadata.deletionTimestamp !== undefined) return undefined;
      if (hasEnded(object)) return writeToken(ctx, undefined);
      const served = servedOf(await kinds.read(), object);
      if (!served) return await waitUntilServed(ctx);
      const lacking = ["list", "patch"].filter((verb) => !served.verbs.includes(verb));
      if (lacking.length > 0) return await fail(ctx, `${nameOf(object)} has no ${lacking.join(" and no ")}`);
      try {
        return await migrateNext(ctx, served);
      } catch (error) {
        if (!isStatus(error, ...FINAL_REASONS)) throw error;
        return await fail(ctx, error.message);
      }
    },
  });

  /** Takes the next step. */
  async function migrateNext(ctx: MigrationContext, served: ServedKind): Promise<Result> {
    const { object, client } = ctx;
    const { resourceVersion: seen } = object.status;
    const { continueToken: token } = object.spec;
    const resource = client.resource(metadataOf(served));
    if (!seen) {
      const { metadata } = await resource.list({ limit: 1 });
      return writeStatus(ctx, { ...object.status, resourceVersion: metadata.resourceVersion });
    }
    if (conditionOf(object, "Running")?.status !== "True") {
      // A token of before is not ours.
      return token
        ? ((await writeToken(ctx, undefined)) ?? REQUEUE_NOW)
        : conclude(ctx, { Running: true }, "StorageVersionMigrationInProgress");
    }
    const { items, metadata } = await pageOf(resource, token);
    const count = await rewrite(resource, items, seen, NAME);
    if (!metadata.continue) {
      return conclude(ctx, { Running: false, Succeeded: true }, "StorageVersionMigrationSucceeded");
    }
    await writeToken(ctx, metadata.continue);
    // They share the rate.
    const running = ctx
      .informer(migrations)
      .list()
      .filter((one) => !hasEnded(one));
    return { requeueAfter: (count * running.length * 1000) / perSecond };
  }

  function writeToken({ object, client }: MigrationContext, token: string | undefined): Promise<Result> {
    if (!token && !object.spec.continueToken) return Promise.resolve();
    const { name, uid, resourceVersion } = object.metadata;
    const patch = { metadata: { uid, resourceVersion }, spec: { continueToken: token ?? null } };
    return written(client.resource(kind).patch({ name }, patch));
  }

  function conclude(
    ctx: MigrationContext,
    statuses: Readonly<Record<string, boolean>>,
    reason: string,
    message?: string,
  ): Promise<Result> {
    const { object, clock } = ctx;
    const conditions = [...(object.status.conditions ?? [])] as Condition[];
    for (const [type, is] of Object.entries(statuses)) {
      const at = conditions.findIndex((condition) => condition.type === type);
      // What ends keeps why it began.
      const before = is ? {} : conditions[at];
      const lastUpdateTime = formatTime(clock.now());
      const next = { reason, ...before, type, status: is ? "True" : "False", lastUpdateTime };
      conditions.splice(at < 0 ? conditions.length : at, 1, is && message ? { ...next, message } : next);
    }
    // A version there must be, also of a resource that nobody serves: the migration was seen at its own.
    return writeStatus(ctx, { resourceVersion: object.metadata.resourceVersion, ...object.status, conditions });
  }

  function fail(ctx: MigrationContext, message: string): Promise<Result> {
    const isRunning = conditionOf(ctx.object, "Running") !== undefined;
    const statuses = { ...(isRunning ? { Running: false } : {}), Failed: true };
    return conclude(ctx, statuses, "StorageVersionMigrationFailed", errorText(message));
  }

  function writeStatus({ object, client }: MigrationContext, status: Migration["status"]): Promise<Result> {
    return written(client.resource(kind).status.update({ ...object, status }));
  }

  /** A resource may come later (CTL-SVM-7). */
  async function waitUntilServed(ctx: MigrationContext): Promise<Result> {
    const { object, clock } = ctx;
    const { lastUpdateTime } = (conditionOf(object, "Running") ?? {}) as Partial<Condition>;
    const waited = clock.now() - (parseTime(lastUpdateTime ?? object.metadata.creationTimestamp) ?? 0);
    if (waited >= SERVED_TIMEOUT_MS) return await fail(ctx, `${nameOf(object)} is not served`);
    const pause = Math.max(POLL_INTERVAL_MS.least, Math.min(POLL_INTERVAL_MS.most, waited));
    return { requeueAfter: Math.min(pause, SERVED_TIMEOUT_MS - waited) };
  }
}

/** What was written comes back from memory, and with it the next step. */
async function written(write: Promise<unknown>): Promise<Result> {
  return (await attempt(write, "Conflict", "NotFound")).ok ? undefined : AGAIN;
}

/** Whether a migration has ended, which is for good (CTL-SVM-6). */
const hasEnded = (migration: Migration): boolean =>
  ["Succeeded", "Failed"].some((type) => conditionOf(migration, type)?.status === "True");

/** The kind that a migration is about, in the version that it names or in the preferred one. */
function servedOf(kinds: readonly ServedKind[], { spec }: Migration): ServedKind | undefined {
  const { group = "", resource, version } = spec.resource;
  const wanted = version ? kinds.filter((kind) => kind.version === version) : preferredKinds(kinds);
  return wanted.find((kind) => kind.group === group && kind.plural === resource);
}

const nameOf = ({ spec: { resource: named } }: Migration): string => {
  const { group = "", version, resource: plural = "" } = named;
  return `${nameOfKind({ group, plural })}${version ? ` in version ${version}` : ""}`;
};
