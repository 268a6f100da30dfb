/** Quotas under writes that are stored together. */
import { expect, test } from "vitest";
import { resourceQuota as quotaStep } from "../../src/admission/quota/step.ts";
import { builtInDefinitions } from "../../src/kinds/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import { buildRegistry } from "../../src/registry/build.ts";
import { type Proposal, commit, commitTogether } from "../../src/registry/commit/commit.ts";
import type { WriteResult } from "../../src/registry/contract.ts";
import type { Kind } from "../../src/registry/kind/kind.ts";
import { newContext } from "../../src/registry/kind/write.ts";
import { CALLER, WRITE, bodyOf } from "../../src/registry/testing/registry.ts";
import { planNew } from "../../src/registry/verbs/create.ts";
import { amendStatus } from "../../src/registry/verbs/own.ts";
import { changeOf } from "../../src/registry/verbs/update.ts";
import { copyOf } from "../../src/schema/api-object.ts";
import type { ApiObject } from "../../src/schema/definition.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { EventLoop } from "../../src/util/loop.ts";

const at = (name: string, subresource = "") => ({ namespace: "team", name, subresource });

/** ConfigMaps under a quota, and the numbers of it. */
async function limited(most: number) {
  const clock = new ManualClock(undefined, 0, new EventLoop());
  const api = { dialect: kubernetes, gates: gatesOf(kubernetes), clock, random: seededRandom(1) };
  const { kinds, lookup } = await buildRegistry({
    api,
    store: await openMemoryStore(),
    definitions: builtInDefinitions(api).filter(({ kind }) => kind === "ConfigMap" || kind === "ResourceQuota"),
    handlers: (access) => ({
      admission: [
        quotaStep({
          ...access.api,
          lookup: access.lookup,
          amend: async (resource, key, change, options) =>
            amendStatus(access.kinds.stored(resource)!, key, change, options),
        }),
      ],
      actions: new Map(),
    }),
  });
  const quotas = kinds.stored("resourcequotas")!;
  const hard = { configmaps: String(most) };
  const status = { hard, used: { configmaps: "0" } };
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { namespace: "team", name: "q" }, spec: { hard } };
  const resource = kinds.find("", "v1", "resourcequotas")!;
  await resource.create(at(""), bodyOf(quota), WRITE, CALLER);
  await resource.update(at("q", "status"), bodyOf({ ...quota, status }), WRITE, CALLER);
  const used = (): unknown => (lookup.get("resourcequotas", "team", "q")!["status"] as typeof status).used.configmaps;
  const stored = (): number => lookup.first("configmaps", 1000).length;
  return { maps: kinds.stored("configmaps")!, quotas, used, stored };
}

const writeOf = (kind: Kind, name: string) => {
  const ctx = newContext(kind);
  return { kind, target: at(name), options: WRITE, caller: CALLER, ctx, limit: ctx.clock.loop.slice() };
};

function creation(kind: Kind, name: string): Proposal<WriteResult> {
  const write = writeOf(kind, "");
  const object: ApiObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "team" } };
  return { ...write, lock: undefined, judge: (attempt) => planNew(write, attempt, copyOf(object)) };
}

/** Labels an object, under its lock. */
const labelled = (kind: Kind, name: string, value: string): Proposal<WriteResult> =>
  changeOf(writeOf(kind, name), {
    change(old) {
      const object = copyOf(old);
      object.metadata.labels = { value };
      return object;
    },
  });

test("QUOTA-3: transactions that exceed a quota together are stored as a whole, or not at all", async () => {
  const { maps, used, stored } = await limited(37);
  const done = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => {
      const [first, ...others] = Array.from({ length: 5 }, (_one, j) => creation(maps, `c${i}-${j}`));
      return commitTogether([first!, ...others]);
    }),
  );
  expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  expect([used(), stored()]).toEqual(["35", 35]);
});

test("QUOTA-4: a transaction with a name that is taken books nothing", async () => {
  const { maps, used } = await limited(37);
  await commit(creation(maps, "a"));
  await expect(commitTogether([creation(maps, "b"), creation(maps, "a")])).rejects.toMatchObject({ code: 409 });
  expect(used()).toBe("1");
});

test("a transaction that writes the quota itself is charged to it, while others are, too", async () => {
  const { maps, quotas, used, stored } = await limited(100);
  const both = (i: number) =>
    commitTogether([labelled(quotas, "q", `v${i}`), creation(maps, `a${i}`), creation(maps, `b${i}`)]);
  const one = (i: number): Promise<unknown> => commit(creation(maps, `c${i}`));
  await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 4 === 0 ? both(i) : one(i))));
  expect([used(), stored()]).toEqual(["25", 25]);
});
