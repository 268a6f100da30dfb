/** Volumes that the agent writes, made of objects of a server that it may read only as a node. */
import { existsSync, lstatSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ConfigMap, ClusterTrustBundle, Secret } from "../../src/client/kinds/index.ts";
import { authority } from "../../src/pki/certificate.ts";
import { WrittenWorld } from "./written-world.ts";

const key = (name: string) => ({ namespace: "default", name });
const configMap = (name: string, data: Record<string, string>, more: object = {}) => ({
  metadata: key(name),
  data,
  ...more,
});
const ofConfigMap = (name: string, more: object = {}) => ({ name: "v", configMap: { name, ...more } }) as const;

test("PROJ-55, CM-2: a change of a ConfigMap reaches the files when the watch has told of it", async () => {
  await using world = await WrittenWorld.create();
  const objects = world.admin.resource(ConfigMap);
  await objects.create(configMap("m", { a: "1" }));
  const pod = await world.pod("p", [ofConfigMap("m")]);
  await world.setUp(pod, "v");
  const before = readlinkSync(`${world.path(pod, "v")}/..data`);
  await world.settled();
  expect([world.read(pod, "v", "a"), world.looks]).toEqual(["1", []]);
  await objects.patch(key("m"), { data: { a: "2", b: "3" } });
  await world.settled();
  expect(world.looks).toEqual(["p"]);
  await world.setUp(pod, "v");
  expect([world.read(pod, "v", "a"), world.read(pod, "v", "b")]).toEqual(["2", "3"]);
  expect(readlinkSync(`${world.path(pod, "v")}/..data`)).not.toBe(before);
});

test("PROJ-55, SEC-2: a change of a Secret reaches the files of all Pods that use it, by one watch", async () => {
  await using world = await WrittenWorld.create();
  const objects = world.admin.resource(Secret);
  await objects.create({ metadata: key("s"), data: { a: "MQ==" } });
  const pods = await Promise.all(
    ["p", "q"].map((name) => world.pod(name, [{ name: "v", secret: { secretName: "s" } }])),
  );
  for (const pod of pods) await world.setUp(pod, "v");
  await objects.patch(key("s"), { data: { a: "Mg==" } });
  await world.settled();
  expect(world.looks.toSorted()).toEqual(["p", "q"]);
  for (const pod of pods) await world.setUp(pod, "v");
  expect(pods.map((pod) => world.read(pod, "v", "a"))).toEqual(["2", "2"]);
  expect(world.requests.filter((path) => path.includes("watch=true"))).toHaveLength(1);
});

test("VOL-10, PROJ-37: a Pod waits for a missing ConfigMap, is looked at when it comes, and leaves nothing until then", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [ofConfigMap("m", { items: [{ key: "a", path: "a" }] })]);
  await expect(world.setUp(pod, "v")).rejects.toThrow('configMap "m": not found');
  await world.settled();
  expect([world.looks, existsSync(world.path(pod, "v"))]).toEqual([[], false]);
  await world.admin.resource(ConfigMap).create(configMap("m", { b: "1" }));
  await world.settled();
  expect(world.looks).toEqual(["p"]);
  await expect(world.setUp(pod, "v")).rejects.toThrow('configMap "m": its items reference non-existent key "a"');
  await world.admin.resource(ConfigMap).patch(key("m"), { data: { a: "x" } });
  await world.settled();
  await world.setUp(pod, "v");
  expect(world.read(pod, "v", "a")).toBe("x");
});

test("VOL-5: a missing ConfigMap that is optional does not keep a Pod waiting, and is seen when it comes", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [ofConfigMap("m", { optional: true })]);
  await world.setUp(pod, "v");
  await world.settled();
  expect(readdirSync(world.path(pod, "v"))).toHaveLength(2);
  await world.admin.resource(ConfigMap).create(configMap("m", { a: "1" }));
  await world.settled();
  expect(world.looks).toEqual(["p"]);
  await world.setUp(pod, "v");
  expect(world.read(pod, "v", "a")).toBe("1");
});

test("an object that goes between the first reading and the first list is noticed", async () => {
  await using world = await WrittenWorld.create();
  await world.admin.resource(ConfigMap).create(configMap("m", { a: "1" }));
  const pod = await world.pod("p", [ofConfigMap("m", { optional: true })]);
  const asked = world.setUp(pod, "v");
  await asked;
  await world.admin.resource(ConfigMap).delete(key("m"));
  await world.settled();
  expect(world.looks).toContain("p");
  await world.setUp(pod, "v");
  expect(existsSync(`${world.path(pod, "v")}/a`)).toBe(false);
});

test("PROJ-56: an object marked immutable is not watched, and a Pod keeps it although it is created again", async () => {
  await using world = await WrittenWorld.create();
  const objects = world.admin.resource(ConfigMap);
  await objects.create(configMap("m", { a: "1" }, { immutable: true }));
  const pod = await world.pod("p", [ofConfigMap("m")]);
  await world.setUp(pod, "v");
  await world.settled();
  expect(world.requests.filter((path) => path.includes("watch=true"))).toEqual([]);
  await objects.delete(key("m"));
  await objects.create(configMap("m", { a: "2" }, { immutable: true }));
  await world.settled();
  await world.setUp(pod, "v");
  expect([world.looks, world.read(pod, "v", "a")]).toEqual([[], "1"]);
  const later = await world.pod("q", [ofConfigMap("m")]);
  await world.setUp(later, "v");
  expect(world.read(later, "v", "a")).toBe("2");
});

test("PROJ-56: an object that becomes immutable is watched no more", async () => {
  await using world = await WrittenWorld.create();
  const objects = world.admin.resource(ConfigMap);
  await objects.create(configMap("m", { a: "1" }));
  const pod = await world.pod("p", [ofConfigMap("m")]);
  await world.setUp(pod, "v");
  await objects.patch(key("m"), { immutable: true });
  await world.settled();
  expect(world.looks).toEqual(["p"]);
  await world.setUp(pod, "v");
  await objects.delete(key("m"));
  await world.settled();
  await world.setUp(pod, "v");
  expect([world.looks, world.read(pod, "v", "a")]).toEqual([["p"], "1"]);
});

test("PROJ-57, PROJ-32: a token is in the file, is renewed in time, and the look at it is ordered", async () => {
  await using world = await WrittenWorld.create();
  const sources = [{ serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 3600 } }];
  const pod = await world.pod("p", [{ name: "v", projected: { sources } }]);
  const { againAfter } = await world.setUp(pod, "v");
  const first = JSON.parse(world.read(pod, "v", "token")) as {
    readonly number: number;
    readonly audiences: readonly string[];
  };
  expect(first.audiences).toEqual(["vault"]);
  expect(againAfter).toBeGreaterThan(0.8 * 3_600_000 - 10_000);
  expect(againAfter).toBeLessThanOrEqual(0.8 * 3_600_000);
  await world.advance(againAfter! - 1);
  await world.setUp(pod, "v");
  expect(JSON.parse(world.read(pod, "v", "token"))).toEqual(first);
  await world.advance(1);
  await world.setUp(pod, "v");
  expect(JSON.parse(world.read(pod, "v", "token"))).toMatchObject({ number: first.number + 1 });
});

test("PROJ-58: when a Pod ends its files are removed, its tokens forgotten, and what it used is watched no more", async () => {
  await using world = await WrittenWorld.create();
  await world.admin.resource(ConfigMap).create(configMap("m", { a: "1" }));
  const sources = [{ serviceAccountToken: { path: "token", expirationSeconds: 3600 } }, { configMap: { name: "m" } }];
  const pod = await world.pod("p", [{ name: "v", projected: { sources } }]);
  await world.setUp(pod, "v");
  const first = world.read(pod, "v", "token");
  await world.tearDown(pod, "v");
  await world.tearDown(pod, "v");
  world.plugin.forget(pod.metadata.uid);
  await world.settled();
  expect(existsSync(world.path(pod, "v"))).toBe(false);
  await world.admin.resource(ConfigMap).patch(key("m"), { data: { a: "2" } });
  await world.settled();
  expect(world.looks).toEqual([]);
  await world.setUp(pod, "v");
  expect(world.read(pod, "v", "token")).not.toBe(first);
});

test("NODE-5: what a restarted agent finds is not written again; changed files are repaired", async () => {
  await using world = await WrittenWorld.create();
  await world.admin.resource(ConfigMap).create(configMap("m", { a: "1" }));
  const pod = await world.pod("p", [ofConfigMap("m")]);
  await world.setUp(pod, "v");
  const data = (): string => readlinkSync(`${world.path(pod, "v")}/..data`);
  const before = data();
  await world.setUp(pod, "v");
  expect(data()).toBe(before);
  writeFileSync(`${world.path(pod, "v")}/a`, "tampered");
  await world.setUp(pod, "v");
  expect([world.read(pod, "v", "a"), data() === before]).toEqual(["1", false]);
});

test("PROJ-53: a failure in a later look leaves the files", async () => {
  await using world = await WrittenWorld.create();
  await world.admin.resource(ConfigMap).create(configMap("m", { a: "1" }));
  const pod = await world.pod("p", [ofConfigMap("m")]);
  await world.setUp(pod, "v");
  await world.admin.resource(ConfigMap).delete(key("m"));
  await world.settled();
  await expect(world.setUp(pod, "v")).rejects.toThrow("not found");
  expect(world.read(pod, "v", "a")).toBe("1");
});

test("SUP-11, PROJ-13, PROJ-15, PROJ-16, PROJ-55: trust bundles of a signer, each certificate once, and a new one is seen", async () => {
  await using world = await WrittenWorld.create();
  const [one, two] = [certificate(100), certificate(200)];
  const signerName = "example.com/ca";
  const bundle = (name: string, pem: string) => ({
    metadata: { name: `example.com:ca:${name}`, labels: { live: "yes" } },
    spec: { signerName, trustBundle: pem },
  });
  const bundles = world.admin.resource(ClusterTrustBundle);
  const wish = { path: "ca.pem", signerName, labelSelector: { matchLabels: { live: "yes" } } };
  const pod = await world.pod("p", [
    { name: "v", projected: { sources: [{ clusterTrustBundle: wish }] } },
    { name: "o", projected: { sources: [{ clusterTrustBundle: { ...wish, optional: true } }] } },
  ]);
  await expect(world.setUp(pod, "v")).rejects.toThrow(
    'clusterTrustBundle "example.com/ca": no ClusterTrustBundle was found',
  );
  await world.setUp(pod, "o");
  expect(world.read(pod, "o", "ca.pem")).toBe("");
  await world.settled();
  await bundles.create(bundle("a", `${one}`));
  await world.settled();
  expect(world.looks).toEqual(["p"]);
  await bundles.create(bundle("b", `# comment\n${one}${two}`));
  await world.settled();
  await world.setUp(pod, "v");
  const text = world.read(pod, "v", "ca.pem");
  expect(text.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(text).not.toContain("comment");
  await world.setUp(pod, "o");
  expect(world.read(pod, "o", "ca.pem")).toBe(text);
});

test("PROJ-39: what a machine cannot mount is a directory with the usual mode", async () => {
  await using world = await WrittenWorld.create();
  await world.admin.resource(Secret).create({ metadata: key("s"), data: { a: "MQ==" } });
  const pod = await world.pod("p", [{ name: "v", secret: { secretName: "s" } }]);
  await world.setUp(pod, "v");
  expect(lstatSync(world.path(pod, "v")).mode & 0o7777).toBe(0o777);
});

const certificate = (days: number): string => authority({ now: Date.UTC(2026, 0, 1), days }).cert;
