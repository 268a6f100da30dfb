/**
 * Storage version migration: writes every object of a resource again, so that all are stored in the current version
 * (SVM-2..5, SVM-14, SVM-15, DEC-55).
 *
 *     created ──► resourceVersion set ──► Running ──► Succeeded        Failed: an error that a retry cannot fix
 *
 * Each reconcile takes one step or writes one page, and stores the `continueToken` of the next, so that any server can
 * continue. Objects newer than the stored resourceVersion are in the current version already. The rate of writes is
 * limited.
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
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import { pageOf, rewrite } from "./pages.ts";
import { errorText } from "../../util/cut-text.ts";

/** The settings of the migrator. */
export interface MigratorSettings {
  /** Objects to write per second, over all migrations. Default 500. */
  readonly perSecond?: number;
}

const NAME = "keelson-storage-version-migrator";
/** How long a resource may be unserved, and the bounds of the growing poll interval. */
const SERVED_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = { least: 1000, most: 15_000 };
const REQUEUE_NOW: Result = { requeueAfter: 0 };
/** Errors that end a migration; others are retried. */
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
    // Its own writes of continueToken add no key.
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
      // The token is from an earlier run.
      return token
        ? ((await writeToken(ctx, undefined)) ?? REQUEUE_NOW)
        : conclude(ctx, { Running: true }, "StorageVersionMigrationInProgress");
    }
    const { items, metadata } = await pageOf(resource, token);
    const count = await rewrite(resource, items, seen, NAME);
    if (!metadata.continue) {
      if (token) ctx.log.info("the stored objects of a resource have been migrated", { resource: nameOf(object) });
      return conclude(ctx, { Running: false, Succeeded: true }, "StorageVersionMigrationSucceeded");
    }
    // The log writes such lines once a minute.
    const { remainingItemCount: remaining } = metadata;
    ctx.log.info("migrating the stored objects of a resource", { resource: nameOf(object), remaining });
    await writeToken(ctx, metadata.continue);
    // Migrations share the rate.
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
    const conditions: Condition[] = [...(object.status.conditions ?? [])];
    for (const [type, is] of Object.entries(statuses)) {
      const at = conditions.findIndex((condition) => condition.type === type);
      // A condition that becomes False keeps its reason.
      const before = is ? {} : conditions[at];
      const lastUpdateTime = formatTime(clock.now());
      const next = { reason, ...before, type, status: is ? "True" : "False", lastUpdateTime };
      conditions.splice(at < 0 ? conditions.length : at, 1, is && message ? { ...next, message } : next);
    }
    // resourceVersion is required, also where the resource was never served.
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

  /** Waits until the resource is served (CTL-SVM-7). */
  async function waitUntilServed(ctx: MigrationContext): Promise<Result> {
    const { object, clock } = ctx;
    const { lastUpdateTime } = (conditionOf(object, "Running") ?? {}) as Partial<Condition>;
    const waited = clock.now() - (parseTime(lastUpdateTime ?? object.metadata.creationTimestamp) ?? 0);
    if (waited >= SERVED_TIMEOUT_MS) return await fail(ctx, `${nameOf(object)} is not served`);
    const pause = Math.max(POLL_INTERVAL_MS.least, Math.min(POLL_INTERVAL_MS.most, waited));
    return { requeueAfter: Math.min(pause, SERVED_TIMEOUT_MS - waited) };
  }
}

/** A write returns through the informer and triggers the next step. */
async function written(write: Promise<unknown>): Promise<Result> {
  return (await attempt(write, "Conflict", "NotFound")).ok ? undefined : REQUEUE_SOON;
}

/** Whether a migration has ended, for good (CTL-SVM-6). */
const hasEnded = (migration: Migration): boolean =>
  ["Succeeded", "Failed"].some((type) => conditionOf(migration, type)?.status === "True");

/** Returns the kind of a migration, in its version or the preferred one. */
function servedOf(kinds: readonly ServedKind[], { spec }: Migration): ServedKind | undefined {
  const { group = "", resource, version } = spec.resource;
  const wanted = version ? kinds.filter((kind) => kind.version === version) : preferredKinds(kinds);
  return wanted.find((kind) => kind.group === group && kind.plural === resource);
}

const nameOf = ({ spec: { resource: named } }: Migration): string => {
  const { group = "", version, resource: plural = "" } = named;
  return `${nameOfKind({ group, plural })}${version ? ` in version ${version}` : ""}`;
};
