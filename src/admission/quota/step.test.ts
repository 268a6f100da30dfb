import { describe, expect, test } from "vitest";
import { kubernetes } from "../../meta/dialect.ts";
import { conflict, notFound } from "../../meta/status.ts";
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { EventLoop } from "../../util/loop.ts";
import type { AdmissionRequest } from "../contract.ts";
import { atOnce, objectOf, requestOf } from "../testing/requests.ts";
import type { AmendOptions } from "./charge-writer.ts";
import { isQuota } from "./charges.ts";
import { resourceQuota } from "./step.ts";

const QUOTAS = { group: "", plural: "resourcequotas", kind: "ResourceQuota" };
const CLAIMS = { group: "", plural: "persistentvolumeclaims", kind: "PersistentVolumeClaim" };

type Amounts = Record<string, string>;

/** Stored quotas of the namespace `team`, the step over them, and the writes of it. */
class World {
  readonly quotas = new Map<string, ApiObject>();
  readonly writes: string[] = [];
  readonly locks: AmendOptions[] = [];
  /** What another server does before the next write. */
  meanwhile: (() => void) | undefined;
  #revision = 1;

  readonly lookup: Lookup = {
    get: (_, __, name) => this.quotas.get(name),
    collect: async (_, read) => [...this.quotas.values()].map(read).filter((found) => found !== undefined),
    first: () => [],
    follow: () => this.#followed(),
  };
  readonly step = resourceQuota({
    dialect: kubernetes,
    clock: { now: () => 0, loop: new EventLoop() },
    lookup: this.lookup,
    amend: (_, { name }, change, options) => this.#amend(name, change, options),
  });

  put(name: string, hard: Amounts, used: Amounts = {}, namespace = "team"): void {
    const zeros = Object.fromEntries(Object.keys(hard).map((counts) => [counts, "0"]));
    const metadata = { namespace, name, resourceVersion: String(this.#revision++) };
    const status = { hard, used: { ...zeros, ...used } };
    this.quotas.set(name, { ...objectOf(metadata, { spec: {}, status }), kind: "ResourceQuota" });
  }

  used(name = "q"): Amounts {
    const quota = this.quotas.get(name);
    return isQuota(quota) ? { ...quota.status.used } : {};
  }

  request(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
    return requestOf({ lookup: this.lookup, ...more });
  }

  /** Takes a request up to its write. */
  async book(request = this.request()): Promise<AdmissionRequest> {
    await this.step.validate!(request);
    await this.step.commit!(request);
    return request;
  }

  /** Says how a write has ended. */
  end(request: AdmissionRequest, isStored = true): void {
    if (!isStored) void this.step.rollback!(request);
    this.step.end!(request);
  }

  #followed(): ReturnType<Lookup["follow"]> {
    const revision = (): number => this.#revision;
    return {
      get mark() {
        return revision();
      },
      changedSince: () =>
        [...this.quotas.values(), objectOf({ name: "gone", namespace: "team" })].map(({ metadata }) => ({
          namespace: metadata.namespace ?? "",
          name: metadata.name ?? "",
        })),
    };
  }

  async #amend(name: string, change: (object: ApiObject) => void, options: AmendOptions): Promise<string | undefined> {
    const stored = this.quotas.get(name);
    if (!stored) throw notFound(QUOTAS, name);
    const object = copyOf(stored);
    change(object);
    this.locks.push(options);
    const { meanwhile } = this;
    this.meanwhile = undefined;
    meanwhile?.();
    await Promise.resolve();
    if (this.quotas.get(name) !== stored) throw conflict(QUOTAS, name, "another server was faster");
    if (JSON.stringify(object) !== JSON.stringify(stored)) {
      object.metadata.resourceVersion = String(this.#revision++);
      this.quotas.set(name, object);
      this.writes.push(name);
    }
    return object.metadata.resourceVersion;
  }
}

/** A world with one quota, whose quotas were read once. */
async function limited(hard: Amounts, used: Amounts = {}): Promise<World> {
  const world = new World();
  world.put("q", hard, used);
  await world.step.validate!(world.request({ namespace: "other" }));
  return world;
}

describe("where nothing is charged", () => {
  test("a request in a namespace without quotas does not wait", async () => {
    const world = await limited({ configmaps: "1" });
    const request = world.request({ namespace: "other" });
    atOnce(world.step.validate!(request));
    expect([world.step.commit!(request), world.step.rollback!(request)]).toEqual([undefined, undefined]);
    world.end(request);
    expect(world.writes).toEqual([]);
  });

  test("QUOTA-7: reviews and Events are not counted, custom kinds with such names are", async () => {
    const world = await limited({
      "count/events": "0",
      "count/localsubjectaccessreviews.authorization.k8s.io": "0",
      "count/codereviews.example.com": "0",
    });
    const create = (group: string, plural: string) =>
      world.step.validate!(world.request({ ref: { group, plural, kind: "X" } }));
    atOnce(create("", "events"));
    atOnce(create("authorization.k8s.io", "localsubjectaccessreviews"));
    expect(() => create("example.com", "codereviews")).toThrow("exceeded quota: q");
  });

  test("QUOTA-4: a dry run is checked and books nothing", async () => {
    const world = await limited({ configmaps: "1" });
    const dryRun = { options: { dryRun: true } };
    atOnce(world.step.validate!(world.request(dryRun)));
    expect(world.used()).toEqual({ configmaps: "0" });
    await world.book();
    expect(() => world.step.validate!(world.request(dryRun))).toThrow("exceeded quota: q");
  });
});

describe("one write", () => {
  test("QUOTA-3: a refusal has the numbers of the resources that exceed", async () => {
    const world = await limited({ configmaps: "2", "count/configmaps": "9" }, { configmaps: "2" });
    expect(() => world.step.validate!(world.request())).toThrow(
      'configmaps "a" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
    );
  });

  test("a quota that was not counted completely is reported before one that is exceeded", async () => {
    const world = await limited({ configmaps: "0" });
    world.put("r", { configmaps: "9" });
    delete (world.quotas.get("r") as { status?: { used?: Amounts } }).status!.used!["configmaps"];
    expect(() => world.step.validate!(world.request())).toThrow("status unknown for quota: r, resources: configmaps");
  });

  test("QUOTA-2: is booked when it commits, in one write, with what comes meanwhile in a second one", async () => {
    const world = await limited({ configmaps: "9" });
    const requests = Array.from({ length: 5 }, () => world.request());
    for (const request of requests) atOnce(world.step.validate!(request));
    expect(world.used()).toEqual({ configmaps: "0" });
    await Promise.all(requests.map(async (request) => world.step.commit!(request)));
    expect([world.used(), world.writes]).toEqual([{ configmaps: "5" }, ["q", "q"]]);
    expect(world.locks).toEqual([{ locks: true }, { locks: true }]);
  });

  test("QUOTA-3: what fits when it is validated and not when it commits is refused, and takes nothing of other quotas", async () => {
    const world = await limited({ configmaps: "3" });
    world.put("r", { configmaps: "1" });
    const requests = Array.from({ length: 3 }, () => world.request());
    for (const request of requests) atOnce(world.step.validate!(request));
    const done = await Promise.allSettled(requests.map(async (request) => world.step.commit!(request)));
    expect(done.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect([world.used("q"), world.used("r")]).toEqual([{ configmaps: "1" }, { configmaps: "1" }]);
  });

  test("QUOTA-3: what one quota refuses takes nothing of another from those that come after it", async () => {
    const world = await limited({ "requests.storage": "6Gi" });
    world.put("r", { "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1" });
    const claims = ["gold", "gold", "silver"].map((storageClassName) => {
      const resources = { requests: { storage: "3Gi" } };
      return world.request({ ref: CLAIMS, object: objectOf({ name: "c" }, { spec: { storageClassName, resources } }) });
    });
    for (const request of claims) atOnce(world.step.validate!(request));
    const done = await Promise.allSettled(claims.map(async (request) => world.step.commit!(request)));
    expect(done.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(world.used("q")).toEqual({ "requests.storage": "6Gi" });
  });

  test("QUOTA-3: where another server is faster with one of two quotas, the other gets back what was booked", async () => {
    const world = await limited({ configmaps: "3" });
    world.put("r", { configmaps: "1" });
    const request = world.request();
    atOnce(world.step.validate!(request));
    // While the first one is written.
    world.meanwhile = () => world.put("r", { configmaps: "1" }, { configmaps: "1" });
    await expect(world.step.commit!(request)).rejects.toThrow("exceeded quota: r");
    expect([world.used("q"), world.used("r")]).toEqual([{ configmaps: "0" }, { configmaps: "1" }]);
  });

  test("QUOTA-4: what is not stored is taken off by the next booking, which writes nothing where it takes as much", async () => {
    const world = await limited({ configmaps: "2" });
    world.end(await world.book(), false);
    expect(world.used()).toEqual({ configmaps: "1" });
    world.end(await world.book());
    expect([world.used(), world.writes]).toEqual([{ configmaps: "1" }, ["q"]]);
    world.end(await world.book());
    expect(() => world.step.validate!(world.request())).toThrow("exceeded quota");
  });

  test("QUOTA-4: nothing is taken off where another writer has written the quota since", async () => {
    const world = await limited({ configmaps: "9" });
    world.end(await world.book(), false);
    world.put("q", { configmaps: "9" }, { configmaps: "0" });
    world.end(await world.book());
    expect(world.used()).toEqual({ configmaps: "1" });
  });

  test("a quota that is deleted meanwhile limits nothing", async () => {
    const world = await limited({ configmaps: "9" });
    const request = world.request();
    atOnce(world.step.validate!(request));
    world.quotas.delete("q");
    await expect(world.step.commit!(request)).resolves.toBeUndefined();
  });

  test("QUOTA-5: growth of a claim takes the difference, a status what it reports even above the limit", async () => {
    const world = await limited({ "requests.storage": "5Gi" }, { "requests.storage": "2Gi" });
    const claim = (storage: string, status: object = {}): ApiObject =>
      objectOf({ name: "c" }, { spec: { resources: { requests: { storage } } }, status });
    const update = { operation: "UPDATE", ref: CLAIMS, old: claim("2Gi") } as const;
    await world.book(world.request({ ...update, object: claim("4Gi") }));
    expect(world.used()).toEqual({ "requests.storage": "4Gi" });
    expect(() => world.step.validate!(world.request({ ...update, object: claim("6Gi") }))).toThrow(
      "requested: requests.storage=4Gi, used: requests.storage=4Gi, limited: requests.storage=5Gi",
    );
    const object = claim("2Gi", { allocatedResources: { storage: "9Gi" } });
    await world.book(world.request({ ...update, subresource: "status", object }));
    expect(world.used()).toEqual({ "requests.storage": "11Gi" });
  });
});

describe("writes that are stored together", () => {
  test("see what those before them take, and are booked as one, without a lock", async () => {
    const world = await limited({ configmaps: "3" });
    const transaction = {};
    const requests = Array.from({ length: 3 }, () => world.request({ transaction }));
    for (const request of requests) atOnce(world.step.validate!(request));
    expect(() => world.step.validate!(world.request({ transaction }))).toThrow("exceeded quota: q");
    for (const request of requests) await world.step.commit!(request);
    expect([world.used(), world.writes, world.locks]).toEqual([{ configmaps: "3" }, ["q"], [{ locks: false }]]);
    for (const request of requests) world.end(request, false);
    await world.book();
    expect(world.used()).toEqual({ configmaps: "1" });
  });

  test("are booked in the quotas of each namespace", async () => {
    const world = await limited({ configmaps: "3" });
    world.put("far", { configmaps: "3" }, {}, "other");
    await world.step.validate!(world.request({ namespace: "third" }));
    const transaction = {};
    const requests = ["team", "other", "team"].map((namespace) => world.request({ transaction, namespace }));
    for (const request of requests) atOnce(world.step.validate!(request));
    for (const request of requests) await world.step.commit!(request);
    expect([world.used("q"), world.used("far")]).toEqual([{ configmaps: "2" }, { configmaps: "1" }]);
    for (const request of requests) world.end(request, false);
    for (const namespace of ["team", "other"]) world.end(await world.book(world.request({ namespace })));
    expect([world.used("q"), world.used("far")]).toEqual([{ configmaps: "1" }, { configmaps: "1" }]);
  });

  test("are booked again where another writer was faster, and not where too little is left", async () => {
    const world = await limited({ configmaps: "3" });
    const both = async (most: string): Promise<void> => {
      const transaction = {};
      const requests = [world.request({ transaction }), world.request({ transaction })];
      for (const request of requests) atOnce(world.step.validate!(request));
      world.meanwhile = () => world.put("q", { configmaps: most }, { configmaps: "1" });
      for (const request of requests) await world.step.commit!(request);
    };
    await both("3");
    expect(world.used()).toEqual({ configmaps: "3" });
    world.put("q", { configmaps: "2" });
    await expect(both("2")).rejects.toThrow("exceeded quota: q, requested: configmaps=1, used: configmaps=2");
  });
});

test("tens of thousands of quotas are judged in slices", async () => {
  const world = await limited({ configmaps: "1" });
  for (let i = 0; i < 30_000; i++) world.put(`q${i}`, { configmaps: "1" });
  world.put("full", { configmaps: "0" });
  await world.step.validate!(world.request({ namespace: "other" }));
  const judged = world.step.validate!(world.request());
  expect(judged).toBeInstanceOf(Promise);
  await expect(judged).rejects.toThrow("exceeded quota: full");
});

test("QUOTA-2: a dry run of the status waits for the writes whose charges are booked, and then nothing is taken off", async () => {
  const world = await limited({ configmaps: "9" });
  const count = world.request({
    ref: QUOTAS,
    operation: "UPDATE",
    subresource: "status",
    name: "q",
    options: { dryRun: true },
  });
  atOnce(world.step.validate!(count));
  const [one, other] = [await world.book(), await world.book()];
  const seen: string[] = [];
  const counting = Promise.resolve(world.step.validate!(count)).then(() => seen.push("counts"));
  for (const request of [one, other]) {
    await Promise.resolve();
    seen.push("ends");
    world.end(request, false);
  }
  await counting;
  expect(seen).toEqual(["ends", "ends", "counts"]);
  await world.book();
  expect(world.used()).toEqual({ configmaps: "3" });
});
