/** The promise that nothing holds the event loop: whatever one client asks for, the others are answered meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cacher, type Selection, type WatchBatch } from "../../src/cache/index.ts";
import { cacheResource } from "../../src/registry/versions/codec.ts";
import { type MemoryStore, openMemoryStore } from "../../src/storage/memory/store.ts";
import type { StoredRecord } from "../../src/storage/contract.ts";
import { MAX_SLICE_MS, expectNoLongSlice } from "../../src/util/testing/slices.ts";
import { APPLY, Api, JSON_PATCH, MERGE, STRATEGIC, worldOf } from "../rules/api.ts";

const PREFIX = "/core/configmaps/";
const KIB = { text: "x".repeat(800) };

/** ConfigMaps as they are stored; each of a thousand values of the label `part` is rare. */
const records = (count: number): StoredRecord[] =>
  Array.from({ length: count }, (_, i) => {
    const metadata = { name: `object-${i}`, namespace: "default", labels: { part: String(i % 1000) } };
    const value = Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data: KIB }));
    return { key: `${PREFIX}default/object-${i}`, value, revision: i + 1 };
  });

const many = (one: (i: number) => string): string => Array.from({ length: 10_000 }, (_, i) => one(i)).join(",");

describe("of the cache, over 50 000 objects that must be parsed to be selected", () => {
  const MOST = 30;
  const filter: Selection = { id: "f", prefix: "", matches: ({ labels }) => labels["part"] === "7" };
  const equal: Selection = { id: "e", prefix: "", labels: [["part", "7"]] };
  let store: MemoryStore;
  beforeAll(async () => {
    store = await openMemoryStore({ records: records(50_000), revision: 50_000 });
  });

  /** A cache none of whose entries anybody has looked into. */
  const open = async () => (await Cacher.open(store, [cacheResource(PREFIX)])).resource(PREFIX);

  test("no turn of a list with a selector is long", { timeout: 120_000 }, async () => {
    await expectNoLongSlice(
      open,
      async (cache) => {
        expect((await cache.snapshot().listInSlices(filter)).entries).toHaveLength(50);
      },
      MOST,
    );
  });

  test("no turn of a list for which an index of labels is made is long", { timeout: 120_000 }, async () => {
    await expectNoLongSlice(
      open,
      async (cache) => {
        await cache.prepare(equal);
        expect((await cache.snapshot().listInSlices(equal)).entries).toHaveLength(50);
      },
      MOST,
    );
  });

  test("no turn of the start of a watch with a selector is long", { timeout: 120_000 }, async () => {
    await expectNoLongSlice(
      open,
      async (cache) => {
        const { promise, resolve } = Promise.withResolvers<number>();
        let events = 0;
        const deliver = (batch: WatchBatch): void => {
          events += batch.events.length;
          if (batch.initialEnd) resolve(events);
        };
        const watch = cache.watch(filter, { initial: true }, { deliver, ended: () => resolve(-1) });
        expect(await promise.finally(() => watch.close())).toBe(50);
      },
      MOST,
    );
  });
});

describe("of the choice of a default class among 30 000", () => {
  const NEWEST = 20_000;
  const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
  const storageClass = (i: number, isDefault: boolean): StoredRecord => {
    const metadata = {
      name: `class-${i}`,
      creationTimestamp: `2026-01-0${i === NEWEST ? 2 : 1}T00:00:00Z`,
      annotations: { "storageclass.kubernetes.io/is-default-class": String(isDefault) },
    };
    const object = {
      kind: "StorageClass",
      apiVersion: "storage.k8s.io/v1",
      metadata,
      provisioner: "example.com/disks",
    };
    const value = Buffer.from(JSON.stringify({ ...object, parameters: KIB }));
    return { key: `/storage.k8s.io/storageclasses/${metadata.name}`, value, revision: i + 1 };
  };

  test.each<[string, (i: number) => boolean]>([
    ["one is", (i) => i === NEWEST],
    ["all are", () => true],
  ])("no turn is long: %s", { timeout: 120_000 }, async (_, isDefault) => {
    const classes = Array.from({ length: 30_000 }, (__, i) => storageClass(i, isDefault(i)));
    const api = new Api();
    const prepare = async (): Promise<void> => {
      const store = await openMemoryStore({ records: classes, revision: classes.length });
      api.use(await worldOf({ controllers: "none", dialect: "kubernetes" }, { store }));
    };
    await expectNoLongSlice(
      prepare,
      async () => {
        const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
        const answer = await api.post(CLAIMS, { metadata: { name: "a" }, spec });
        expect(answer.body).toMatchObject({ spec: { storageClassName: `class-${NEWEST}` } });
        await api.world.cluster.close(0);
      },
      30,
    );
  });
});

describe("of a server, over 50 000 objects", () => {
  const MOST = MAX_SLICE_MS;
  const ITEMS = "/api/v1/namespaces/default/configmaps";
  const api = new Api();
  beforeAll(async () => {
    const store = await openMemoryStore({ records: records(50_000), revision: 50_000 });
    api.use(await worldOf({ controllers: "none" }, { store }));
  });
  afterAll(() => api.world.cluster.close(0));

  /** Reads an answer to its end and keeps nothing of it. */
  async function bytesOf(path: string, query: Record<string, string>, accept = "application/json"): Promise<number> {
    let bytes = 0;
    const answer = await api.raw("GET", path, undefined, { query, headers: { accept } });
    expect(answer.code).toBe(200);
    for await (const piece of answer.pieces()) bytes += piece.length;
    return bytes;
  }

  test.each([
    ["all as JSON", {}, "application/json"],
    ["all as protobuf", {}, "application/vnd.kubernetes.protobuf"],
    ["all as a table", {}, "application/json;as=Table;g=meta.k8s.io;v=v1"],
    ["all as metadata", {}, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"],
    ["those that a label selector does not name", { labelSelector: "part!=7,none!=x" }, "application/json"],
    ["those that a field selector does not name", { fieldSelector: "metadata.name!=object-7" }, "application/json"],
    ["by labels that are missing, ten thousand", { labelSelector: many((i) => `!key-${i}`) }, "application/json"],
    [
      "by names that are not meant, ten thousand",
      { fieldSelector: many((i) => `metadata.name!=no-${i}`) },
      "application/json",
    ],
  ])("no turn of a list is long: %s", { timeout: 120_000 }, async (_, query, accept) => {
    await expectNoLongSlice(
      () => {},
      async () => expect(await bytesOf(ITEMS, query, accept)).toBeGreaterThan(1e6),
      MOST,
    );
  });

  test("no slice of a request that impersonates a user with too many attributes is long", async () => {
    const headers = { "impersonate-user": "jane", "impersonate-extra-scopes": Array<string>(300_000).fill("s") };
    await expectNoLongSlice(
      () => {},
      async () => expect((await api.raw("GET", ITEMS, undefined, { headers })).code).toBe(400),
      MOST,
    );
  });

  test("no turn of the start of a watch on all is long", { timeout: 120_000 }, async () => {
    await expectNoLongSlice(
      () => {},
      async () => {
        const answer = await api.raw("GET", ITEMS, undefined, { query: { watch: "true" } });
        let bytes = 0;
        for await (const piece of answer.pieces()) {
          bytes += piece.length;
          if (bytes > 45e6) break;
        }
      },
      MOST,
    );
  });

  const members = (value: string, count = 10_000): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, value]));
  const object = (value: string): object => ({ apiVersion: "v1", kind: "ConfigMap", data: members(value) });

  test.each([
    ["merge", MERGE, { data: members("b") }],
    ["strategic", STRATEGIC, { data: members("b") }],
    ["JSON", JSON_PATCH, Object.keys(members("")).map((key) => ({ op: "add", path: `/data/${key}`, value: "b" }))],
    ["apply", APPLY, object("b")],
  ])("no turn of a %s patch of ten thousand members is long", { timeout: 60_000 }, async (kind, type, body) => {
    let n = 0;
    const prepare = async (): Promise<string> => {
      const name = `of-${kind.toLowerCase()}-${n++}`;
      expect((await api.post(ITEMS, { metadata: { name }, ...object("a") })).status).toBe(201);
      return `${ITEMS}/${name}`;
    };
    await expectNoLongSlice(
      prepare,
      async (path) => {
        const answer = await api.patch(path, type, body, {
          fieldManager: "m",
          ...(type === APPLY ? { force: "true" } : {}),
        });
        expect(answer.status).toBe(200);
      },
      MOST,
    );
  });

  const KEYS = 16_000;
  /** A second try of a test finds what the first has made. */
  const MADE = [201, 409];
  test.each([
    ["as YAML", 42, "application/yaml", {}],
    ["as indented JSON", 75, "application/json", { pretty: "true" }],
    ["as protobuf", 42, "application/vnd.kubernetes.protobuf", {}],
    ["as metadata", 42, "application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", {}],
    ["who owns its fields", 75, "application/yaml;as=Blame;g=keelson.dev;v=v1", {}],
  ])("no turn of an answer of 16,000 keys is long: %s", { timeout: 60_000 }, async (what, most, accept, query) => {
    const name = `answered-${what.toLowerCase().replaceAll(" ", "-")}`;
    const made = await api.post(ITEMS, { metadata: { name }, data: members("v", KEYS) });
    expect(MADE).toContain(made.status);
    await expectNoLongSlice(
      () => {},
      async () => expect((await api.get(`${ITEMS}/${name}`, query, { accept })).status).toBe(200),
      most,
    );
  });

  test.each([
    ["of one object of sixteen thousand keys, as YAML", 42, 1, KEYS, "application/yaml"],
    ["of forty objects of four hundred keys, as YAML", 32, 40, KEYS / 40, "application/yaml"],
    ["of forty objects of four hundred keys, indented", 32, 40, KEYS / 40, "application/json"],
  ])("no turn of a list is long: %s", { timeout: 60_000 }, async (_, most, count, keys, accept) => {
    const namespace = `listed-${count}-${accept.slice(-4)}`;
    const items = ITEMS.replace("default", namespace);
    await api.post("/api/v1/namespaces", { metadata: { name: namespace } });
    for (let i = 0; i < count; i++) {
      const made = await api.post(items, { metadata: { name: `n-${i}` }, data: members("v", keys) });
      expect(MADE).toContain(made.status);
    }
    await expectNoLongSlice(
      () => {},
      async () => expect(await bytesOf(items, { pretty: "true" }, accept)).toBeGreaterThan(200_000),
      most,
    );
  });

  test("no turn of a refusal with sixteen thousand causes as YAML is long", { timeout: 60_000 }, async () => {
    const body = JSON.stringify({ metadata: { name: "x", labels: members("-", KEYS) } });
    await expectNoLongSlice(
      () => {},
      async () => expect((await api.post(ITEMS, body, {}, { accept: "application/yaml" })).status).toBe(422),
      MOST,
    );
  });

  const base64 = Object.fromEntries(Object.keys(members("", KEYS)).map((key) => [`binary-${key}`, "YQ=="]));
  const fourMaps = {
    metadata: { labels: members("v", KEYS), annotations: members("v", KEYS) },
    data: members("v", KEYS),
    binaryData: base64,
  };

  test.each([
    ["a create", "POST", {}],
    ["an update", "PUT", {}],
    ["an update that clears the owners", "PUT", { managedFields: [{}] }],
  ])("no turn of %s of four maps of sixteen thousand keys is long", { timeout: 60_000 }, async (what, method, meta) => {
    const name = what.replaceAll(" ", "-");
    if (method === "PUT") await api.post(ITEMS, { metadata: { name } });
    const body = JSON.stringify({ ...fourMaps, metadata: { ...fourMaps.metadata, ...meta, name } });
    await expectNoLongSlice(
      () => {},
      async () => {
        const path = method === "PUT" ? `${ITEMS}/${name}` : ITEMS;
        expect((await api.send(method, path, body, { headers: { "content-type": "application/json" } })).status).toBe(
          413,
        );
      },
      50,
    );
  });

  const side = (count: number, one: (i: number) => object | string): (object | string)[] =>
    Array.from({ length: count }, (_, i) => one(i));
  const owner = (i: number): object => ({ apiVersion: "v1", kind: "K", name: `n-${i}`, uid: `u-${i}` });
  const updater = (i: number): object => {
    const of = { operation: "Update", apiVersion: "v1", time: "2020-01-01T00:00:00Z", fieldsType: "FieldsV1" };
    return { manager: `m-${i}`, ...of, fieldsV1: { [`f:x-${i}`]: {} } };
  };

  const shared = (manager: string): object => ({
    manager,
    operation: "Apply",
    apiVersion: "v1",
    time: "2020-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": Object.fromEntries(Object.keys(members("", 6000)).map((key) => [`f:${key}`, {}])) },
  });
  const ofNine = { metadata: { managedFields: side(9, (i) => shared(`m-${i}`)) }, data: members("a", 6000) };
  const twoMaps = { metadata: { annotations: members("a", 16_000) }, data: members("a", 16_000) };

  test.each([
    ["that nine others refuse, field by field", 409, ofNine, "false"],
    ["that takes every field from nine others", 200, ofNine, "true"],
    ["of two maps of sixteen thousand keys over another's", 200, twoMaps, "true"],
  ])("no turn of an apply is long: %s", { timeout: 60_000 }, async (_, status, live, force) => {
    const intent = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      ...live,
      metadata: { ...live.metadata, managedFields: undefined },
    });
    let n = 0;
    const prepare = async (): Promise<string> => {
      const name = `applied-${status}-${force}-${Object.keys(live.data).length}-${n++}`;
      expect((await api.post(ITEMS, { ...live, metadata: { ...live.metadata, name } })).status).toBe(201);
      return `${ITEMS}/${name}`;
    };
    await expectNoLongSlice(
      prepare,
      async (path) => {
        const answer = await api.patch(path, APPLY, intent.replaceAll(':"a"', ':"b"'), { fieldManager: "m", force });
        expect(answer.status).toBe(status);
      },
      MOST,
    );
  });

  test.each<[string, number, () => object | string]>([
    ["as many members as an object may have", 201, () => ({ data: members("v", 16_384) })],
    ["labels that are none", 422, () => ({ metadata: { labels: members("-", 16_000) } })],
    ["one member too many", 413, () => ({ data: members("v", 16_385) })],
    ["a hundred thousand members", 413, () => ({ data: members("v", 100_000) })],
    [
      "many members everywhere",
      413,
      () => ({ metadata: { labels: members("v", 33_000), annotations: members("v", 33_000) } }),
    ],
    [
      "finalizers and owners",
      201,
      () => ({ metadata: { finalizers: side(9000, (i) => `a.b/f-${i}`), ownerReferences: side(3000, owner) } }),
    ],
    ["a hundred thousand finalizers", 413, () => ({ metadata: { finalizers: side(100_000, String) } })],
    ["owners of one field each", 201, () => ({ metadata: { managedFields: side(7000, updater) } })],
    ["fourteen thousand owners of one field each", 413, () => ({ metadata: { managedFields: side(14_000, updater) } })],
    ["three megabytes that are no JSON in the end", 400, () => `{"data":{"a":"${"\\\\".repeat(700_000)}\\x"}}`],
  ])("no turn of a create is long: %s", { timeout: 60_000 }, async (_, status, make) => {
    let n = 0;
    const prepare = (): Buffer => {
      const body = make();
      if (typeof body === "string") return Buffer.from(body);
      const name = `made-${status}-${n++}`;
      return Buffer.from(
        JSON.stringify({ ...body, metadata: { generateName: name, ...(body as { metadata?: object }).metadata } }),
      );
    };
    await expectNoLongSlice(
      prepare,
      async (body) => {
        expect((await api.post(ITEMS, body)).status).toBe(status);
      },
      MOST,
    );
  });
});

describe("of a server that keeps ten thousand objects in memory", () => {
  test("no turn of the deletion of all is long", { timeout: 60_000 }, async () => {
    const api = new Api();
    const prepare = async (): Promise<void> => {
      const store = await openMemoryStore({ records: records(10_000), revision: 10_000 });
      api.use(await worldOf({ controllers: "none" }, { store }));
    };
    await expectNoLongSlice(prepare, async () => {
      const answer = await api.raw("DELETE", "/api/v1/namespaces/default/configmaps");
      expect(answer.code).toBe(200);
      await answer.text();
      await api.world.cluster.close(0);
    });
  });
});

describe("of the rules of Pods, whose lists are compared with each other", () => {
  const N = 16_000;
  const HALF = N / 2;
  const PODS = "/api/v1/namespaces/default/pods";
  const api = new Api();
  beforeAll(async () => {
    api.use(await worldOf({ controllers: "none" }));
    await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  });
  afterAll(() => api.world.cluster.close(0));

  const times = <T>(count: number, one: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));
  const pod = (spec: object, container: object = {}): object => ({
    spec: { containers: [{ name: "c", image: "i", ...container }], ...spec },
  });
  let n = 0;
  const named = (body: object): object => ({ ...body, metadata: { name: `pod-${n++}` } });
  const files = (count: number, path: (i: number) => string): object => ({
    configMap: { name: "c", items: times(count, (i) => ({ key: "k", path: path(i) })) },
  });
  const devicesBesideMounts = (): object =>
    pod(
      {},
      {
        volumeDevices: times(N, (i) => ({ name: "v", devicePath: `/d-${i}` })),
        volumeMounts: times(N, (i) => ({ name: "w", mountPath: `/m-${i}` })),
      },
    );
  /** No turn of a create that is answered so is long. */
  const expectCreated = (path: string, status: number, make: () => object, usual?: number): Promise<void> =>
    expectNoLongSlice(
      () => JSON.stringify(named(make())),
      async (body) => expect((await api.post(path, body)).status).toBe(status),
      usual,
    );

  test.each<[string, number, () => object]>([
    ["ports that are all the same", 201, () => pod({}, { ports: times(N, () => ({ containerPort: 80 })) })],
    [
      "ports of one number on many of the node",
      201,
      () => pod({}, { ports: times(N, (i) => ({ containerPort: 80, hostPort: i + 1 })) }),
    ],
    [
      "ports of one number on many addresses",
      201,
      () =>
        pod({}, { ports: times(N, (i) => ({ containerPort: 80, hostPort: 80, hostIP: `1.1.${i >> 8}.${i & 255}` })) }),
    ],
    ["files that all have one path", 201, () => pod({ volumes: [{ name: "v", ...files(N, () => "p") }] })],
    ["files that are all apart", 201, () => pod({ volumes: [{ name: "v", ...files(N, (i) => `p-${i}`) }] })],
    ["devices beside mounts", 422, devicesBesideMounts],
    [
      "constraints of spread",
      413,
      () =>
        pod({
          topologySpreadConstraints: times(N, (i) => ({
            maxSkew: 1,
            topologyKey: `${i}`,
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: {},
          })),
        }),
    ],
  ])("no turn of a create is long: %s", { timeout: 60_000 }, async (_, status, make) => {
    await expectCreated(PODS, status, make);
  });

  test.each<[string, () => object, () => object]>([
    [
      "tolerations in another order",
      () => pod({ tolerations: times(N, (i) => ({ key: `k-${i}`, operator: "Exists" })) }),
      () => pod({ tolerations: times(N, (i) => ({ key: `k-${N - 1 - i}`, operator: "Exists" })) }),
    ],
    [
      "one gate less",
      () => pod({ schedulingGates: times(N, (i) => ({ name: `k-${i}` })) }),
      () => pod({ schedulingGates: times(N - 1, (i) => ({ name: `k-${i + 1}` })) }),
    ],
    [
      "projected volumes",
      () =>
        pod({ volumes: times(HALF, (i) => ({ name: `v-${i}`, projected: { sources: [{ secret: { name: "s" } }] } })) }),
      () =>
        pod({ volumes: times(HALF, (i) => ({ name: `v-${i}`, projected: { sources: [{ secret: { name: "s" } }] } })) }),
    ],
  ])("no turn of an update is long: %s", { timeout: 60_000 }, async (_, make, change) => {
    const prepare = async (): Promise<object> => {
      const { status, body } = await api.post(PODS, named(make()));
      expect(status).toBe(201);
      return { ...change(), metadata: { name: (body["metadata"] as { name: string }).name } };
    };
    await expectNoLongSlice(prepare, async (body) => {
      const path = `${PODS}/${(body as { metadata: { name: string } }).metadata.name}`;
      expect((await api.put(path, body)).status).toBe(200);
    });
  });

  test.each<[string, number, string, () => object]>([
    ["two lists by key in a container", 422, PODS, devicesBesideMounts],
    [
      "ports of a Service",
      413,
      "/api/v1/namespaces/default/services",
      () => ({ spec: { ports: times(N, (i) => ({ name: `p-${i}`, port: i + 1 })) } }),
    ],
  ])("no turn of the record of who owns entries is long: %s", { timeout: 60_000 }, async (_, status, path, make) => {
    await expectCreated(path, status, make, 42);
  });

  test(
    "no turn of a status is long: indexes that have failed beside those that have succeeded",
    { timeout: 60_000 },
    async () => {
      const path = "/apis/batch/v1/namespaces/default/jobs";
      const limits = { completions: 2 ** 31 - 1, backoffLimitPerIndex: 1, maxFailedIndexes: 1, parallelism: 1 };
      const template = { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } };
      const spec = { completionMode: "Indexed", ...limits, template };
      expect((await api.post(path, { metadata: { name: "indexes" }, spec })).status).toBe(201);
      const everySecond = (from: number): string => times(100_000, (i) => String(from + 2 * i)).join(",");
      const status = { completedIndexes: everySecond(0), failedIndexes: everySecond(1) };
      await expectNoLongSlice(
        () => {},
        async () => {
          expect((await api.merge(`${path}/indexes/status`, { status }, { dryRun: "All" })).status).toBe(200);
        },
      );
    },
  );

  test(
    "no turn of a definition is long: rules on every level above what cannot be read",
    { timeout: 60_000 },
    async () => {
      const rule = { rule: "true", fieldPath: ".a" };
      const leaves = Object.fromEntries(times(3000, (i) => [`k-${i}`, { type: "string" }]));
      let schema: object = { type: "object", properties: { ...leaves, z: { type: "string", $schema: "x" } } };
      for (let level = 0; level < 200; level++) {
        schema = { type: "object", properties: { a: schema }, "x-kubernetes-validations": [rule] };
      }
      const spec = {
        group: "example.com",
        names: { plural: "deeps", kind: "Deep" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      };
      const definition = { metadata: { name: "deeps.example.com" }, spec };
      await expectNoLongSlice(
        () => {},
        async () => {
          const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
          expect((await api.post(path, definition, { dryRun: "All" })).status).toBe(422);
        },
      );
    },
  );

  test("no turn of a dry run is long: stand-ins for the ports of a Service", { timeout: 60_000 }, async () => {
    const ports = times(N, (i) => ({ name: `p-${i}`, port: i + 1 }));
    const body = { metadata: { name: "ports" }, spec: { type: "NodePort", ports } };
    await expectNoLongSlice(
      () => {},
      async () => {
        expect((await api.post("/api/v1/namespaces/default/services", body, { dryRun: "All" })).status).toBe(201);
      },
    );
  });

  test("no turn of a table is long: gates that hold, one by one", { timeout: 60_000 }, async () => {
    const path = `${PODS}/pod-${n}`;
    const gates = times(HALF, (i) => ({ conditionType: `k-${i}` }));
    const conditions = times(HALF, (i) => ({ type: `k-${HALF - 1 - i}`, status: "True" }));
    expect((await api.post(PODS, named(pod({ readinessGates: gates })))).status).toBe(201);
    expect((await api.merge(`${path}/status`, { status: { conditions } })).status).toBe(200);
    await expectNoLongSlice(
      () => {},
      async () => {
        const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
        expect((await api.get(path, { includeObject: "None" }, { accept })).text).toContain(`"${HALF}/${HALF}"`);
      },
    );
  });
});
