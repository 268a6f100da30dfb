/** Quotas and limit ranges, as a client sees them. */
import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import type { Answer } from "./answer.ts";
import { Api, fresh, serve, worldOf } from "./api.ts";

const PLUGINS = { "enable-admission-plugins": "LimitRanger,ResourceQuota" };

describe.each([neutral, kubernetes])("quotas in the $name dialect", (dialect) => {
  const api = serve({ ...PLUGINS, dialect: dialect.name, "feature-gates": { VolumeAttributesClass: true } });
  const inNamespace = (ns: string, plural: string): string => `/api/v1/namespaces/${ns}/${plural}`;
  const spec = (hard: object, more: object) => ({ metadata: { name: "q" }, spec: { hard, ...more } });

  /** A namespace with a quota whose usage was counted. */
  async function limited(hard: Record<string, string>, used: Record<string, string> = {}, more: object = {}) {
    const ns = fresh("ns");
    await api.post("/api/v1/namespaces", { metadata: { name: ns } });
    await api.post(inNamespace(ns, "resourcequotas"), spec(hard, more));
    const nothing = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
    await api.merge(`${inNamespace(ns, "resourcequotas")}/q/status`, {
      status: { hard, used: { ...nothing, ...used } },
    });
    return ns;
  }

  const usedIn = async (ns: string, name = "q"): Promise<unknown> =>
    ((await api.get(`${inNamespace(ns, "resourcequotas")}/${name}`)).body["status"] as { used: unknown }).used;

  const configMap = (ns: string, name: string, query: Record<string, string> = {}): Promise<Answer> =>
    api.post(inNamespace(ns, "configmaps"), { metadata: { name } }, query);

  const claim = (ns: string, name: string, storage: string, more: object = {}): Promise<Answer> =>
    api.post(inNamespace(ns, "persistentvolumeclaims"), {
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage } }, ...more },
    });

  const pod = (ns: string, name: string, resources: object, more: object = {}): Promise<Answer> =>
    api.post(inNamespace(ns, "pods"), {
      metadata: { name },
      spec: { containers: [{ name: "c", image: "i", resources }], ...more },
    });

  test("QUOTA-2, KIND-ResourceQuota-5: a quota without a status restricts nothing, and nothing counts in it", async () => {
    const ns = fresh("ns");
    await api.post("/api/v1/namespaces", { metadata: { name: ns } });
    await api.post(inNamespace(ns, "resourcequotas"), spec({ configmaps: "0" }, {}));
    expect((await configMap(ns, "a")).status).toBe(201);
    expect((await api.get(`${inNamespace(ns, "resourcequotas")}/q`)).body["status"] ?? {}).toEqual({});
  });

  test("QUOTA-2, QUOTA-3: what fits is charged, what does not is refused with the numbers; a delete gives nothing back", async () => {
    const ns = await limited({ configmaps: "1", secrets: "5" });
    expect((await configMap(ns, "a")).status).toBe(201);
    const refused = await configMap(ns, "b");
    expect(refused).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
    expect(refused.body["message"]).toContain(
      "exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1",
    );
    await api.delete(`${inNamespace(ns, "configmaps")}/a`);
    expect(await usedIn(ns)).toEqual({ configmaps: "1", secrets: "0" });
    expect((await configMap(ns, "b")).status).toBe(403);
  });

  test("QUOTA-2: the status is enforced, not the spec", async () => {
    const ns = await limited({ configmaps: "2" });
    await api.merge(`${inNamespace(ns, "resourcequotas")}/q`, { spec: { hard: { configmaps: "0" } } });
    expect((await configMap(ns, "a")).status).toBe(201);
  });

  test("QUOTA-3: all quotas must allow; only if all do, all are charged", async () => {
    const ns = await limited({ configmaps: "5" });
    await api.post(inNamespace(ns, "resourcequotas"), { metadata: { name: "r" }, spec: { hard: { configmaps: "1" } } });
    await api.merge(`${inNamespace(ns, "resourcequotas")}/r/status`, {
      status: { hard: { configmaps: "1" }, used: { configmaps: "0" } },
    });
    expect((await configMap(ns, "a")).status).toBe(201);
    expect((await configMap(ns, "b")).body["message"]).toContain("exceeded quota: r");
    expect([await usedIn(ns), await usedIn(ns, "r")]).toEqual([{ configmaps: "1" }, { configmaps: "1" }]);
  });

  test("QUOTA-4: an invalid object is not charged, an existing name is, a dry run is only checked", async () => {
    const ns = await limited({ configmaps: "3" });
    expect((await configMap(ns, "Bad_Name")).status).toBe(422);
    expect((await configMap(ns, "a", { dryRun: "All" })).status).toBe(201);
    expect(await usedIn(ns)).toEqual({ configmaps: "0" });
    await configMap(ns, "a");
    expect((await configMap(ns, "a")).status).toBe(409);
    expect(await usedIn(ns)).toEqual({ configmaps: "2" });
    const full = await limited({ configmaps: "0" });
    expect((await configMap(full, "a", { dryRun: "All" })).status).toBe(403);
  });

  test("QUOTA-4: names that are taken never fill a quota: each next charge takes off the one before it", async () => {
    const ns = await limited({ configmaps: "3" });
    await configMap(ns, "a");
    const again = await Promise.all([1, 2].map(() => configMap(ns, "a")));
    for (let i = 0; i < 4; i++) again.push(await configMap(ns, "a"));
    expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 409));
    expect([(await configMap(ns, "b")).status, await usedIn(ns)]).toEqual([201, { configmaps: "2" }]);
    expect((await configMap(ns, "a")).status).toBe(409);
    expect([(await configMap(ns, "c")).status, await usedIn(ns)]).toEqual([201, { configmaps: "3" }]);
    expect((await configMap(ns, "d")).status).toBe(403);
  });

  test("a charge is not subtracted twice: not where the quota was counted again since", async () => {
    const ns = await limited({ configmaps: "9" });
    await configMap(ns, "a");
    expect((await configMap(ns, "a")).status).toBe(409);
    const quota = `${inNamespace(ns, "resourcequotas")}/q`;
    await api.merge(`${quota}/status`, { status: { used: { configmaps: "1" } } });
    await configMap(ns, "b");
    expect(await usedIn(ns)).toEqual({ configmaps: "2" });
  });

  test("QUOTA-5: claims count, their storage in whole bytes, and both for their class", async () => {
    const ofGold = `gold.storageclass.storage.${dialect.domain}`;
    const names = ["persistentvolumeclaims", "requests.storage"];
    const hard = Object.fromEntries(
      [...names, ...names.map((name) => `${ofGold}/${name}`)].map((name) => [name, "9Gi"]),
    );
    const ns = await limited({ ...hard, persistentvolumeclaims: "9", [`${ofGold}/persistentvolumeclaims`]: "9" });
    await claim(ns, "a", "1Gi");
    await claim(ns, "b", "1Gi", { storageClassName: "gold" });
    expect(await usedIn(ns)).toEqual({
      persistentvolumeclaims: "2",
      "requests.storage": "2Gi",
      [`${ofGold}/persistentvolumeclaims`]: "1",
      [`${ofGold}/requests.storage`]: "1Gi",
    });
    const small = await limited({ "requests.storage": "10" });
    await claim(small, "a", "1500m");
    expect(await usedIn(small)).toEqual({ "requests.storage": "2" });
  });

  const sized = (storage: string) => ({ spec: { resources: { requests: { storage } } } });

  /** A claim of 2Gi with its volume, of a class of its own; the path of it. */
  async function bound(ns: string, name: string, allowVolumeExpansion: boolean): Promise<string> {
    const storageClassName = fresh("class");
    await api.post(`/apis/storage.${dialect.domain}/v1/storageclasses`, {
      metadata: { name: storageClassName },
      provisioner: "x",
      allowVolumeExpansion,
    });
    await claim(ns, name, "2Gi", { storageClassName, volumeName: "v" });
    const path = `${inNamespace(ns, "persistentvolumeclaims")}/${name}`;
    const capacity = { storage: "2Gi" };
    await api.merge(`${path}/status`, { status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity } });
    return path;
  }

  test("QUOTA-5, PVC-34, SUP-15: growth is charged by the difference; while more is allocated, that counts", async () => {
    const ns = await limited({ "requests.storage": "5Gi" });
    const path = await bound(ns, "a", true);
    const grown = async (storage: string): Promise<number> => (await api.merge(path, sized(storage))).status;
    expect([await grown("6Gi"), await grown("4Gi")]).toEqual([403, 200]);
    expect(await usedIn(ns)).toEqual({ "requests.storage": "4Gi" });
    await api.merge(`${path}/status`, { status: { allocatedResources: { storage: "4Gi" } } });
    expect([await grown("3Gi"), await usedIn(ns)]).toEqual([200, { "requests.storage": "4Gi" }]);
  });

  test("QUOTA-5: what a status says is allocated is counted, whatever the quota allows", async () => {
    const ns = await limited({ "requests.storage": "2Gi" });
    const path = await bound(ns, "a", true);
    const allocated = await api.merge(`${path}/status`, { status: { allocatedResources: { storage: "3Gi" } } });
    expect([allocated.status, await usedIn(ns)]).toEqual([200, { "requests.storage": "3Gi" }]);
  });

  test("QUOTA-6: a quota of attributes classes counts the claims that name one", async () => {
    const expression = { scopeName: "VolumeAttributesClass", operator: "In", values: ["gold"] };
    const scopeSelector = { matchExpressions: [expression] };
    const ns = await limited({ persistentvolumeclaims: "1" }, {}, { scopeSelector });
    const of = (name: string, more: object): Promise<Answer> => claim(ns, name, "1Gi", more);
    const gold = { volumeAttributesClassName: "gold" };
    expect([(await of("a", gold)).status, (await of("b", gold)).status]).toEqual([201, 403]);
    expect((await of("c", { volumeAttributesClassName: "silver" })).status).toBe(201);
    expect((await of("d", {})).status).toBe(201);
  });

  test.runIf(dialect === kubernetes)(
    "QUOTA-13: growth needs a class that allows it and a bound claim, and none asks for less than before",
    async () => {
      const ns = fresh("ns");
      await api.post("/api/v1/namespaces", { metadata: { name: ns } });
      const refused = await api.merge(await bound(ns, "fixed", false), sized("3Gi"));
      expect(refused.status).toBe(403);
      expect((await api.merge(await bound(ns, "grows", true), sized("1Gi"))).status).toBe(422);
      await claim(ns, "free", "1Gi");
      expect((await api.merge(`${inNamespace(ns, "persistentvolumeclaims")}/free`, sized("2Gi"))).status).toBe(422);
    },
  );

  test("QUOTA-7: any kind is counted by count/, and some by their plural, too", async () => {
    const leases = `coordination.${dialect.domain}`;
    const ns = await limited({ configmaps: "9", "count/configmaps": "9", [`count/leases.${leases}`]: "1" });
    await configMap(ns, "a");
    const lease = (name: string) => api.post(`/apis/${leases}/v1/namespaces/${ns}/leases`, { metadata: { name } });
    expect([(await lease("a")).status, (await lease("b")).status]).toEqual([201, 403]);
    expect(await usedIn(ns)).toEqual({ configmaps: "1", "count/configmaps": "1", [`count/leases.${leases}`]: "1" });
  });

  test("QUOTA-7: Events are not counted", async () => {
    const ns = await limited({ "count/events": "0" });
    const event = {
      metadata: { name: "e" },
      involvedObject: { namespace: ns },
      reason: "r",
      message: "m",
      type: "Normal",
    };
    expect((await api.post(inNamespace(ns, "events"), event)).status).toBe(201);
  });

  test("QUOTA-8: above the limit already, only what needs more is refused", async () => {
    const ns = await limited({ "requests.storage": "1Gi" });
    await claim(ns, "a", "1Gi");
    const path = `${inNamespace(ns, "resourcequotas")}/q/status`;
    await api.merge(path, { status: { hard: { "requests.storage": "500Mi" } } });
    const relabelled = await api.merge(`${inNamespace(ns, "persistentvolumeclaims")}/a`, {
      metadata: { labels: { a: "b" } },
    });
    expect(relabelled.status).toBe(200);
    expect((await claim(ns, "b", "1")).status).toBe(403);
    expect((await configMap(ns, "a")).status).toBe(201);
  });

  test("Pods count with what they ask for, and must say what is limited", async () => {
    const ns = await limited({ pods: "9", "requests.cpu": "1", "limits.cpu": "2", "count/pods": "9" });
    expect((await pod(ns, "a", {})).body["message"]).toContain("must specify limits.cpu for: c; requests.cpu for: c");
    expect((await pod(ns, "b", { requests: { cpu: "300m" }, limits: { cpu: "1" } })).status).toBe(201);
    expect(await usedIn(ns)).toEqual({ pods: "1", "count/pods": "1", "requests.cpu": "300m", "limits.cpu": "1" });
    const more = await pod(ns, "d", { requests: { cpu: "800m" }, limits: { cpu: "1" } });
    expect(more.body["message"]).toContain(
      "requested: requests.cpu=800m, used: requests.cpu=300m, limited: requests.cpu=1",
    );
  });

  test("a quota that is not counted completely admits nothing that it limits", async () => {
    const ns = await limited({ configmaps: "9" });
    await api.merge(`${inNamespace(ns, "resourcequotas")}/q/status`, { status: { used: { configmaps: null } } });
    expect((await configMap(ns, "a")).body["message"]).toContain("status unknown for quota: q, resources: configmaps");
  });

  test("Services count with their ports of nodes", async () => {
    const ns = await limited({ services: "9", "services.nodeports": "2" });
    const service = (name: string, ports: number[], type: string) =>
      api.post(inNamespace(ns, "services"), {
        metadata: { name },
        spec: { type, ports: ports.map((port) => ({ name: `p${port}`, port })) },
      });
    expect((await service("a", [1, 2, 3], "NodePort")).status).toBe(403);
    expect((await service("b", [1, 2], "NodePort")).status).toBe(201);
    expect((await service("c", [1], "ClusterIP")).status).toBe(201);
    expect(await usedIn(ns)).toEqual({ services: "2", "services.nodeports": "2" });
    const grown = await api.merge(`${inNamespace(ns, "services")}/c`, { spec: { type: "NodePort" } });
    expect(grown.status).toBe(403);
  });

  test("what the server charges is its own", async () => {
    const ns = await limited({ configmaps: "9" });
    await configMap(ns, "a");
    const { metadata } = (await api.get(`${inNamespace(ns, "resourcequotas")}/q`)).body as {
      metadata: { managedFields: object[] };
    };
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: dialect.rules.serverManager, subresource: "status" }),
    );
  });

  test("hundreds at a time get what there is, in few writes", async () => {
    const ns = await limited({ configmaps: "100" });
    const before = api.world.cluster.store.revision;
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => configMap(ns, `c${i}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(200);
    expect(await usedIn(ns)).toEqual({ configmaps: "100" });
    expect(api.world.cluster.store.revision - before).toBeLessThan(100 + 20);
  });

  describe("limit ranges", () => {
    async function ranged(...limits: object[]): Promise<string> {
      const ns = fresh("ns");
      await api.post("/api/v1/namespaces", { metadata: { name: ns } });
      await api.post(inNamespace(ns, "limitranges"), { metadata: { name: "l" }, spec: { limits } });
      return ns;
    }

    test("QUOTA-11: claims are held between min and max, growth too", async () => {
      const ns = await ranged({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } });
      const statuses = [];
      for (const storage of ["1Gi", "5Gi", "1073741823", "6Gi"]) {
        statuses.push((await claim(ns, `c${statuses.length}`, storage)).status);
      }
      expect(statuses).toEqual([201, 201, 403, 403]);
      expect((await claim(ns, "x", "1Mi")).body["message"]).toContain(
        "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi",
      );
      const path = await bound(ns, "grows", true);
      const grown = async (storage: string): Promise<number> => (await api.merge(path, sized(storage))).status;
      expect([await grown("6Gi"), await grown("5Gi")]).toEqual([403, 200]);
    });

    test("QUOTA-12: containers get what they lack, and an annotation says so", async () => {
      const ns = await ranged({
        type: "Container",
        default: { cpu: "500m", memory: "512Mi" },
        defaultRequest: { cpu: "100m" },
      });
      const made = await pod(ns, "a", { limits: { memory: "1Gi" } });
      expect(made.body).toMatchObject({
        metadata: {
          annotations: {
            [`${dialect.labelDomain}/limit-ranger`]:
              "LimitRanger plugin set: cpu request for container c; cpu limit for container c",
          },
        },
        spec: {
          containers: [
            { resources: { limits: { cpu: "500m", memory: "1Gi" }, requests: { cpu: "100m", memory: "1Gi" } } },
          ],
        },
        status: { qosClass: "Burstable" },
      });
    });

    test("QUOTA-12: then minimum, maximum, ratio and the sums of the Pod are checked", async () => {
      const ns = await ranged(
        { type: "Container", min: { cpu: "100m" }, max: { cpu: "1" } },
        { type: "Pod", max: { cpu: "1500m" }, maxLimitRequestRatio: { memory: "2" } },
      );
      const memory = "1Gi";
      const of = async (requests: object, limits: object, more?: object): Promise<string> => {
        const { status, body } = await pod(ns, fresh("p"), { requests: { memory, ...requests }, limits }, more);
        return status === 201 ? "" : String(body["message"]);
      };
      expect(await of({ cpu: "500m" }, { cpu: "1", memory: "2Gi" })).toBe("");
      expect(await of({ cpu: "50m" }, { cpu: "1", memory })).toContain(
        "minimum cpu usage per Container is 100m, but request is 50m",
      );
      expect(await of({ cpu: "500m" }, { cpu: "2", memory })).toContain(
        "maximum cpu usage per Container is 1, but limit is 2",
      );
      expect(await of({ cpu: "500m" }, { cpu: "1", memory: "3Gi" })).toContain(
        "memory max limit to request ratio per Pod is 2",
      );
      const two = {
        containers: ["a", "b"].map((name) => ({ name, image: "i", resources: { limits: { cpu: "1", memory } } })),
      };
      expect(await of({}, {}, two)).toContain("maximum cpu usage per Pod is 1500m, but limit is 2");
    });
  });
});

test("QUOTA-2, QUOTA-3: servers over one store give out together no more than there is", async () => {
  const store = await openMemoryStore();
  const options = { ...PLUGINS, dialect: "kubernetes", controllers: "none" };
  const apis = await Promise.all(
    [1, 2, 3].map(async () => {
      const api = new Api();
      api.use(await worldOf(options, { store }));
      return api;
    }),
  );
  const [first] = apis as [Api, Api, Api];
  const quotas = "/api/v1/namespaces/default/resourcequotas";
  await first.post(quotas, { metadata: { name: "q" }, spec: { hard: { configmaps: "25" } } });
  await first.merge(`${quotas}/q/status`, { status: { hard: { configmaps: "25" }, used: { configmaps: "0" } } });
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      apis[i % 3]!.post("/api/v1/namespaces/default/configmaps", { metadata: { name: `c${i}` } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(25);
  expect((await first.get(`${quotas}/q`)).body["status"]).toMatchObject({ used: { configmaps: "25" } });
  for (const { world } of apis) await world.cluster.close(0);
});
