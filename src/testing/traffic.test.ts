import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Client } from "../client/index.ts";
import { ConfigMap, Secret } from "../client/kinds/index.ts";
import { type Cluster, type RequestRecord, createCluster } from "./index.ts";
import { Traffic, matches } from "./traffic.ts";

const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace: "default" }, data });

describe("rule 11: requests", () => {
  let cluster: Cluster;
  let subject: Client;
  beforeEach(async () => {
    cluster = await createCluster();
    subject = cluster.as({ user: "alice", groups: ["system:masters"] });
  });
  afterEach(() => cluster.close());

  test("are listed in the order of arrival, with user and result", async () => {
    const configMaps = subject.resource(ConfigMap);
    await configMaps.create(map("a"), { fieldManager: "me" });
    await configMaps.apply(map("a", { x: "1" }), { fieldManager: "me", dryRun: true });
    await configMaps.list({ namespace: "default" });
    await configMaps.find({ namespace: "default", name: "none" });
    expect(cluster.requests()).toMatchObject([
      {
        verb: "create",
        kind: "ConfigMap",
        group: "",
        namespace: "default",
        name: "a",
        fieldManager: "me",
        user: "alice",
        userAgent: "alice",
        origin: "subject",
        at: "2026-01-01T00:00:00.000Z",
        body: { metadata: { name: "a" } },
        dryRun: false,
        code: 201,
        changed: true,
      },
      { verb: "apply", dryRun: true, code: 200, changed: false },
      { verb: "list", namespace: "default", code: 200, changed: false },
      { verb: "get", name: "none", code: 404, reason: "NotFound" },
    ]);
  });

  test("changed is false for writes that changed nothing, deletes of what is gone among them", async () => {
    const configMaps = subject.resource(ConfigMap);
    const made = await configMaps.create(map("a"));
    await configMaps.update(made);
    await configMaps.patch({ namespace: "default", name: "a" }, { data: { x: "1" } });
    await configMaps.delete(made).catch(() => {});
    await configMaps.delete({ namespace: "default", name: "a" }).catch(() => {});
    expect(cluster.requests({ verb: "writes" }).map(({ verb, changed }) => [verb, changed])).toEqual([
      ["create", true],
      ["update", false],
      ["patch", true],
      ["delete", true],
      ["delete", false],
    ]);
  });

  test("a record is there before its response, and a watch counts its events", async () => {
    const watch = subject.resource(ConfigMap).watch({ namespace: "default", resourceVersion: "0" });
    await watch.next();
    const [record] = cluster.requests({ verb: "watch" });
    expect(record).toMatchObject({ kind: "ConfigMap", events: 1 });
    await cluster.apply(ConfigMap, map("a"));
    await watch.next();
    expect(record!.events).toBe(2);
    await watch.return(undefined);
  });

  test("record has what is met from now on, as long as it is not disposed, and survives a ring of 10,000", async () => {
    await subject.resource(Secret).list();
    const recording = cluster.record({ kind: ConfigMap });
    await subject.resource(ConfigMap).list();
    await subject.resource(Secret).list();
    recording[Symbol.dispose]();
    await subject.resource(ConfigMap).list();
    expect([recording.requests.length, cluster.requests().length]).toEqual([1, 4]);
  });
});

describe("matches", () => {
  const request: RequestRecord = {
    verb: "patch",
    kind: "Lease",
    group: "coordination.k8s.io",
    namespace: "kube-system",
    name: "web-0",
    dryRun: false,
    user: "alice",
    userAgent: "a/1",
    fieldManager: "m",
    origin: "subject",
    at: "",
    changed: true,
  };
  const lease = { group: "coordination.k8s.io", kind: "Lease" };

  test.each([
    [{}, true],
    [{ verb: "writes" }, true],
    [{ verb: ["get", "patch"] }, true],
    [{ verb: "update" }, false],
    [{ kind: lease }, true],
    [{ kind: { ...lease, group: "" } }, false],
    [{ name: "web-0" }, true],
    [{ name: /^web/ }, true],
    [{ name: "web" }, false],
    [{ subresource: "" }, true],
    [{ subresource: "status" }, false],
    [{ namespace: "default" }, false],
    [{ user: "bob" }, false],
    [{ fieldManager: "m" }, true],
    [{ origin: "test" }, false],
    [{ origin: "any" }, true],
    [{ where: ({ changed }: RequestRecord) => !changed }, false],
  ] as const)("%o: %o", (match, expected) => {
    expect(matches(match, request)).toBe(expected);
  });

  test("the last 10,000 are kept, the first are left out by skip", () => {
    const traffic = new Traffic();
    for (let i = 0; i < 25_000; i++) traffic.add({ ...request, name: String(i) });
    const kept = traffic.requests();
    expect([kept.length, kept[0]!.name, kept.at(-1)!.name]).toEqual([10_000, "15000", "24999"]);
    expect(traffic.requests({ skip: 9_999 })).toHaveLength(1);
  });
});
