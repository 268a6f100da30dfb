/** What is projected into the volumes of a Pod: PROJ-1..34, LIM-7..11, DEC-53. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";

const api = serve();
const bundles = serve({ "feature-gates": "ClusterTrustBundleProjection=true" });

type Source = Readonly<Record<string, unknown>>;

/** Creates a Pod with one volume in a namespace of its own. */
function volume(member: string, source: Source, target = api) {
  return target.post(`/api/v1/namespaces/${fresh("ns")}/pods`, {
    metadata: { name: "p" },
    spec: {
      serviceAccountName: "a",
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", [member]: source }],
    },
  });
}

const projected = (source: Source, target = api) => volume("projected", { sources: [source] }, target);

const SOURCE_PATH = "spec.volumes.0.projected.sources.0";

const LISTS: readonly [string, (items: readonly object[]) => Promise<Awaited<ReturnType<typeof volume>>>][] = [
  ["a configMap volume", (items) => volume("configMap", { name: "c", items })],
  ["a secret volume", (items) => volume("secret", { secretName: "s", items })],
  ["a configMap projection", (items) => projected({ configMap: { name: "c", items } })],
  ["a secret projection", (items) => projected({ secret: { name: "s", items } })],
];

describe.each(LISTS)("the items of %s", (_, create) => {
  test.each([
    ["PROJ-1", { path: "p" }],
    ["PROJ-2", { key: "k" }],
    ["PROJ-3", { key: "k", path: "/a" }],
    ["PROJ-3", { key: "k", path: "a/../b" }],
    ["PROJ-3", { key: "k", path: "../a" }],
    ["PROJ-3", { key: "k", path: "..a" }],
    ["PROJ-3", { key: "k", path: ".." }],
    ["PROJ-4, LIM-14", { key: "k", path: "p", mode: 512 }],
    ["PROJ-4, LIM-14", { key: "k", path: "p", mode: -1 }],
  ])("%s: %j is refused", async (__, item) => {
    const answer = await create([item]);
    expect(answer.status).toBe(422);
    expect(answer.fields.every((field) => field.includes(".items[0]."))).toBe(true);
  });

  test.each([
    ["PROJ-3", { key: "k", path: "a..b" }],
    ["PROJ-3", { key: "k", path: "a/b.c" }],
    ["PROJ-4, LIM-14", { key: "k", path: "p", mode: 511 }],
    ["PROJ-4, PROJ-5", { key: "k", path: "p", mode: 0 }],
    ["PROJ-5", { key: "k", path: "p" }],
  ])("%s: %j is stored as it was sent", async (__, item) => {
    const answer = await create([item]);
    expectStatus(answer, 201);
    expect(answer.text).toContain(`"items":[${JSON.stringify(item)}]`);
  });
});

const FILES: readonly [string, (items: readonly object[]) => Promise<Awaited<ReturnType<typeof volume>>>][] = [
  ["a downwardAPI volume", (items) => volume("downwardAPI", { items })],
  ["a downwardAPI projection", (items) => projected({ downwardAPI: { items } })],
];
const field = (fieldPath: string): Source => ({ path: "p", fieldRef: { fieldPath } });
const amount = (resource: string): Source => ({ path: "p", resourceFieldRef: { containerName: "c", resource } });

describe.each(FILES)("the items of %s", (_, create) => {
  test.each([
    ["PROJ-6", { fieldRef: { fieldPath: "metadata.name" } }],
    ["PROJ-6", { ...field("metadata.name"), path: "/a" }],
    ["PROJ-6", { ...field("metadata.name"), path: "a/../b" }],
    ["PROJ-6", { path: "p" }],
    ["PROJ-6", { ...field("metadata.name"), ...amount("limits.cpu") }],
    ["PROJ-7", field("spec.nodeName")],
    ["PROJ-7", field("status.podIP")],
    ["PROJ-7", field("metadata.generation")],
    ["PROJ-8", amount("limits.disk")],
    ["PROJ-8", amount("cpu")],
    ["PROJ-8, DEC-53", { path: "p", resourceFieldRef: { resource: "limits.cpu" } }],
    ["PROJ-9, LIM-14", { ...field("metadata.name"), mode: 512 }],
  ])("%s: %j is refused", async (__, item) => {
    expect((await create([item])).status).toBe(422);
  });

  test.each<readonly [string, Source]>([
    ...["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"].map(
      (path) => ["PROJ-7", field(path)] as const,
    ),
    ["DEC-53", field("metadata.labels['k']")],
    ["DEC-53", field("metadata.annotations['k']")],
    ...["limits.cpu", "limits.memory", "requests.cpu", "requests.memory"].map((r) => ["PROJ-8", amount(r)] as const),
    ["AMB-30", amount("limits.ephemeral-storage")],
    ["PROJ-9", { ...field("metadata.name"), mode: 256 }],
  ])("%s: %j is accepted", async (__, item) => {
    const answer = await create([item]);
    expectStatus(answer, 201);
    const stored = (answer.at(`${SOURCE_PATH}.downwardAPI.items.0`) ??
      answer.at("spec.volumes.0.downwardAPI.items.0")) as Source;
    expect(stored).toMatchObject(item);
  });

  test("DEC-45: apiVersion and divisor get their defaults", async () => {
    const named = (await create([field("metadata.name")])).text;
    expect(named).toMatch(/"fieldRef":\{("apiVersion":"v1","fieldPath"|"fieldPath":"metadata.name","apiVersion":"v1")/);
    expect((await create([amount("limits.cpu")])).text).toContain('"divisor":"0"');
  });
});

describe("sources", () => {
  test.each([[{}], [{ secret: { name: "s" }, configMap: { name: "c" } }]])(
    "VOL-17: a source of %j is refused",
    async (source) => {
      expect((await projected(source)).status).toBe(422);
    },
  );

  test("PROJ-17, VOL-4: a configMap has name, optional and items, and no mode", async () => {
    const configMap = { name: "c", optional: true, items: [{ key: "k", path: "p" }] };
    expect((await projected({ configMap })).at(`${SOURCE_PATH}.configMap`)).toEqual(configMap);
    const moded = await projected({ configMap: { name: "c", defaultMode: 420 } });
    expect(moded.at(`${SOURCE_PATH}.configMap`)).toEqual({ name: "c" });
    expect(moded.warnings).toEqual(['unknown field "spec.volumes[0].projected.sources[0].configMap.defaultMode"']);
  });

  test("PROJ-30, DEC-51: a secret has name, optional and items", async () => {
    const secret = { name: "s", optional: true, items: [{ key: "k", path: "p" }] };
    expect((await projected({ secret })).at(`${SOURCE_PATH}.secret`)).toEqual(secret);
    expect((await projected({ secret: {} })).status).toBe(201);
  });

  test("PROJ-18: downwardAPI has items", async () => {
    const items = [{ path: "p", fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } }];
    expect((await projected({ downwardAPI: { items } })).at(`${SOURCE_PATH}.downwardAPI.items`)).toEqual(items);
  });
});

describe("serviceAccountToken", () => {
  const token = (serviceAccountToken: Source) => projected({ serviceAccountToken });

  test("PROJ-31, PROJ-34, LIM-11: the default lifetime is an hour, the audience is optional", async () => {
    const answer = await token({ path: "p" });
    expect([answer.status, answer.at(`${SOURCE_PATH}.serviceAccountToken`)]).toEqual([
      201,
      { path: "p", expirationSeconds: 3600 },
    ]);
    const full = { path: "p", audience: "a", expirationSeconds: 600 };
    expect((await token(full)).at(`${SOURCE_PATH}.serviceAccountToken`)).toEqual(full);
  });

  test.each([
    ["PROJ-31", {}],
    ["PROJ-31", { path: "/p" }],
    ["PROJ-31", { path: "../p" }],
    ["PROJ-34, LIM-11", { path: "p", expirationSeconds: 599 }],
    ["DEC-39", { path: "p", expirationSeconds: 4_294_967_297 }],
  ])("%s: %j is refused", async (_, source) => {
    const answer = await token(source);
    expect(answer.status).toBe(422);
    expect(answer.fields.every((f) => f.startsWith("spec.volumes[0].projected.sources[0].serviceAccountToken."))).toBe(
      true,
    );
  });
});

describe("clusterTrustBundle", () => {
  const bundle = (clusterTrustBundle: Source) => projected({ clusterTrustBundle }, bundles);

  test("PROJ-10, DEC-38: with the gate off, its default, it is dropped, with a warning", async () => {
    const answer = await projected({ clusterTrustBundle: { name: "b", path: "p" } });
    expect(answer.at(`${SOURCE_PATH}.clusterTrustBundle`)).toBeUndefined();
    expect(answer.warnings.join()).toMatch(/clusterTrustBundle.*ClusterTrustBundleProjection/);
  });

  test.each([
    ["PROJ-11, PROJ-12", { name: "b", path: "p" }],
    ["CONV-2", { signerName: "example.com/s", path: "p" }],
    ["PROJ-14", { signerName: "example.com/s", labelSelector: { matchLabels: { a: "b" } }, path: "p" }],
    ["PROJ-14", { signerName: "example.com/s", labelSelector: {}, path: "p" }],
    ["CONV-2", { name: "b", path: "p", optional: true }],
  ])("%s: %j is stored as it was sent", async (_, source) => {
    const answer = await bundle(source);
    expectStatus(answer, 201);
    expect(answer.at(`${SOURCE_PATH}.clusterTrustBundle`)).toEqual(source);
  });

  test.each([
    ["PROJ-11", { name: "b" }],
    ["PROJ-11", { name: "b", path: "/p" }],
    ["PROJ-11", { name: "b", path: "../p" }],
    ["PROJ-12", { name: "b", signerName: "example.com/s", path: "p" }],
    ["PROJ-12", { name: "b", labelSelector: {}, path: "p" }],
    ["PROJ-14", { labelSelector: {}, path: "p" }],
    ["PROJ-12", { path: "p" }],
  ])("%s: %j is refused", async (_, source) => {
    expect((await bundle(source)).status).toBe(422);
  });
});

describe("podCertificate", () => {
  const SOURCE = { signerName: "example.com/s", keyType: "ED25519", credentialBundlePath: "b.pem" };
  const certificate = (podCertificate: Source) => projected({ podCertificate });

  test.each(["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"])(
    "PROJ-19: the key type %s is accepted",
    async (keyType) => {
      const answer = await certificate({ ...SOURCE, keyType });
      expect([answer.status, answer.at(`${SOURCE_PATH}.podCertificate`)]).toEqual([201, { ...SOURCE, keyType }]);
    },
  );

  test.each([
    ["CONV-2", { credentialBundlePath: "a/b.pem" }],
    ["CONV-2", { keyPath: "k.pem", certificateChainPath: "c.pem" }],
    ["LIM-8", { maxExpirationSeconds: 3600 }],
    ["LIM-9", { maxExpirationSeconds: 7_862_400 }],
    ["PROJ-23, LIM-7", { maxExpirationSeconds: 86_400 }],
    ["PROJ-25", { userAnnotations: { "example.com/foo": "any value\n" } }],
    ["PROJ-26, DEC-53", { userAnnotations: { "example.com/foo": "x".repeat(262_129) } }],
  ])("%s: %#. member is stored as it was sent", async (_, extra) => {
    const answer = await certificate({ ...SOURCE, ...extra });
    expectStatus(answer, 201);
    expect(answer.at(`${SOURCE_PATH}.podCertificate`)).toEqual({ ...SOURCE, ...extra });
  });

  test("LIM-7, DEC-45: a lifetime that is absent is not written into the Pod", async () => {
    expect((await certificate(SOURCE)).at(`${SOURCE_PATH}.podCertificate`)).toEqual(SOURCE);
  });

  test.each<[string, Source]>([
    ["PROJ-19", { keyType: "RSA1024" }],
    ["PROJ-19", { keyType: undefined }],
    ["PROJ-20", { signerName: undefined }],
    ["DEC-53", { signerName: "noslash" }],
    ["DEC-53", { credentialBundlePath: undefined }],
    ["DEC-53", { credentialBundlePath: "/b.pem" }],
    ["DEC-53", { credentialBundlePath: "../b.pem" }],
    ["DEC-53", { credentialBundlePath: "b", keyPath: "b" }],
    ["LIM-8, PROJ-23", { maxExpirationSeconds: 3599 }],
    ["LIM-9, PROJ-23", { maxExpirationSeconds: 7_862_401 }],
    ["PROJ-25", { userAnnotations: { foo: "x" } }],
    ["PROJ-26, DEC-53", { userAnnotations: { "example.com/foo": "x".repeat(262_144) } }],
  ])("%s: %#. member is refused", async (_, extra) => {
    expect((await certificate({ ...SOURCE, ...extra })).status).toBe(422);
  });

  test("DEC-53: two sources of a volume do not write the same file", async () => {
    const sources = [{ podCertificate: SOURCE }, { configMap: { name: "c", items: [{ key: "k", path: "b.pem" }] } }];
    expect((await volume("projected", { sources })).status).toBe(422);
  });
});
