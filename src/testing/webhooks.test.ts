import { expect, test } from "vitest";
import { ConfigMap } from "../client/kinds/index.ts";
import { createCluster, hang, internalError, lies, refuses, slow } from "./index.ts";

const at = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  metadata: { name, namespace: "default" },
  data,
});
const key = (name: string) => ({ name, namespace: "default" });

test("a function refuses, warns and sees the request", async () => {
  await using cluster = await createCluster();
  await using hook = await cluster.webhook({ name: "maps.example.com", for: ConfigMap }, ({ object }) =>
    object?.data?.["k"] === undefined ? { allowed: false, message: "k is missing", code: 422 } : { warnings: ["fine"] },
  );
  const maps = cluster.client().resource(ConfigMap);
  await expect(maps.create(at("a"))).rejects.toThrow(
    'admission webhook "maps.example.com" denied the request: k is missing',
  );
  await maps.create(at("b", { k: "v" }));
  expect(hook.calls).toMatchObject([
    { operation: "CREATE", name: "a", namespace: "default", dryRun: false, oldObject: null },
    { operation: "CREATE", name: "b", object: { kind: "ConfigMap", data: { k: "v" } } },
  ]);
});

test("a function that mutates returns the object, or a patch", async () => {
  await using cluster = await createCluster();
  const options = { for: ConfigMap, mutates: true };
  await cluster.webhook({ ...options, name: "a.example.com" }, ({ object }) =>
    object ? { object: { ...object, data: { ...object.data, a: "1" } } } : undefined,
  );
  await cluster.webhook({ ...options, name: "b.example.com" }, () => ({
    patch: [{ op: "add", path: "/data/b", value: "2" }],
  }));
  const made = await cluster
    .client()
    .resource(ConfigMap)
    .create(at("a", { k: "v" }));
  expect(made.data).toEqual({ k: "v", a: "1", b: "2" });
});

test("a fork has the functions, and a webhook that is disposed is called no more", async () => {
  await using cluster = await createCluster();
  const hook = await cluster.webhook({ name: "maps.example.com", for: ConfigMap }, () => ({ allowed: false }));
  await using fork = cluster.fork();
  await expect(fork.client().resource(ConfigMap).create(at("a"))).rejects.toThrow("denied the request");
  await hook[Symbol.asyncDispose]();
  await cluster.client().resource(ConfigMap).create(at("a"));
  expect(hook.calls).toHaveLength(1);
});

test("faults: it refuses, lies, fails, or is slow in the time of the cluster", async () => {
  await using cluster = await createCluster();
  const hook = await cluster.webhook({ name: "maps.example.com", for: ConfigMap, timeoutSeconds: 5 }, () => undefined);
  const maps = cluster.client().resource(ConfigMap);
  hook.next(refuses("not today"));
  await expect(maps.create(at("a"))).rejects.toThrow("denied the request: not today");
  hook.next(lies());
  await expect(maps.create(at("a"))).rejects.toThrow('failed calling webhook "maps.example.com"');
  hook.next(internalError());
  await expect(maps.create(at("a"))).rejects.toThrow("500");
  hook.next(slow("4s"));
  const late = maps.create(at("a"));
  await cluster.settled();
  await cluster.clock.advance("4s");
  await late;
  hook.next(hang());
  const never = Promise.allSettled([maps.create(at("b"))]);
  await cluster.settled();
  await cluster.clock.advance("5s");
  expect(await never).toMatchObject([{ reason: { message: expect.stringContaining("failed calling webhook") } }]);
  expect(await maps.find(key("b"))).toBeUndefined();
});

test("what a function throws is a failed call, which failurePolicy Ignore passes by", async () => {
  await using cluster = await createCluster();
  const failing = () => {
    throw new Error("no idea");
  };
  await cluster.webhook({ name: "maps.example.com", for: ConfigMap, failurePolicy: "Ignore" }, failing);
  expect(await cluster.client().resource(ConfigMap).create(at("a"))).toMatchObject({ metadata: { name: "a" } });
});
