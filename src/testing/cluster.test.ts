import { describe, expect, test } from "vitest";
import { ClusterTrustBundle, ConfigMap, Namespace, Pod, Service, ServiceAccount } from "../client/kinds/index.ts";
import { createCluster } from "./cluster.ts";
import type { ClusterOptions } from "./contract.ts";

const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace: "default" }, data });

describe("createCluster", () => {
  test("responds in process, as the real server does, with what every namespace has", async () => {
    await using cluster = await createCluster();
    const client = cluster.client();
    expect((await client.resource(Namespace).list()).items.map(({ metadata }) => metadata.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    expect(await client.resource(ServiceAccount).get({ namespace: "default", name: "default" })).toMatchObject({
      metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
    });
    const [applied] = await cluster.apply(ConfigMap, map("a", { colour: "red" }));
    expect(applied).toMatchObject({ data: { colour: "red" }, metadata: { managedFields: [{ manager: "test" }] } });
  });

  test("two of one seed are alike, uid by uid; another seed is not", async () => {
    const uids = async (seed: number): Promise<unknown> => {
      await using cluster = await createCluster({ seed });
      const [made] = await cluster.apply(ConfigMap, map("a"));
      const { items } = await cluster.client().resource(Namespace).list();
      return [made, ...items].map((object) => [
        object!.metadata.name,
        object!.metadata.uid,
        object!.metadata.resourceVersion,
      ]);
    };
    const first = await uids(1);
    expect(await uids(1)).toEqual(first);
    expect(await uids(2)).not.toEqual(first);
  });

  test("those of the same options know nothing of each other, and outlive one another", async () => {
    const first = await createCluster();
    await first.apply(ConfigMap, map("a"));
    await first.clock.advance("1h");
    await using second = await createCluster();
    expect(second.clock.now()).toBe(Date.parse("2026-01-01T00:00:00Z"));
    expect(second.requests()).toEqual([]);
    await first.close();
    const names = async (): Promise<readonly string[]> =>
      (await second.client().resource(ConfigMap).list({ namespace: "default" })).items.map(
        ({ metadata }) => metadata.name,
      );
    expect(await names()).toEqual(["kube-root-ca.crt"]);
    await second.apply(Namespace, { metadata: { name: "own" } });
    await second.settled();
    expect(await second.client().resource(ServiceAccount).find({ namespace: "own", name: "default" })).toBeDefined();
  });

  test("kinds of feature gates are served where the gate is on, also in what is forked and in a snapshot", async () => {
    await using cluster = await createCluster({ featureGates: { ClusterTrustBundle: true } });
    await using fork = cluster.fork();
    const from = cluster.snapshot();
    await using again = await createCluster({ from, featureGates: { ClusterTrustBundle: true } });
    for (const one of [cluster, fork, again]) {
      expect((await one.client().resource(ClusterTrustBundle).list()).items).toEqual([]);
    }
    await using plain = await createCluster();
    await expect(plain.client().resource(ClusterTrustBundle).list()).rejects.toMatchObject({ status: { code: 404 } });
  });

  test("steps of admission are switched on, also in what is forked", async () => {
    const pod = { metadata: { name: "p", namespace: "default" }, spec: { containers: [{ name: "c", image: "i" }] } };
    await using cluster = await createCluster({ admission: { enable: ["Priority"] } });
    await using fork = cluster.fork();
    for (const one of [cluster, fork]) {
      expect(await one.client().resource(Pod).create(pod)).toMatchObject({ spec: { priority: 0 } });
    }
    await using plain = await createCluster();
    expect((await plain.client().resource(Pod).create(pod)).spec.priority).toBeUndefined();
  });

  test.each([
    [{ dialect: "klingon" }, "expected dialect to be kubernetes or neutral, got klingon"],
    [{ clock: "real" }, "expected clock to be virtual or system, got real"],
    [{ seed: Number.NaN }, "expected seed to be an integer, got NaN"],
    [{ now: "yesterday" }, "expected now to be a time such as 2026-01-01T00:00:00Z, got yesterday"],
    [{ controllers: "gardener" }, 'got "gardener"'],
    [{ admission: { enable: ["Gardener"] } }, "got Gardener"],
    [{ featureGates: { Gardener: true } }, "got Gardener"],
  ])("%j is refused", async (options, message) => {
    await expect(createCluster(options as never)).rejects.toThrow(message);
  });
});

test("Services of the type LoadBalancer get addresses of given networks, and none without them", async () => {
  const make = async (options: ClusterOptions) => {
    await using cluster = await createCluster(options);
    const services = cluster.client().resource(Service);
    const spec = { type: "LoadBalancer", ports: [{ port: 80 }] };
    await services.create({ metadata: { name: "s", namespace: "default" }, spec });
    await cluster.settled();
    return (await services.get({ name: "s", namespace: "default" })).status.loadBalancer.ingress;
  };
  expect(await make({ loadBalancerAddresses: ["192.0.2.0/24"] })).toEqual([{ ip: "192.0.2.1", ipMode: "VIP" }]);
  expect(await make({ loadBalancerAddresses: ["192.0.2.0/24"], controllers: "all" })).toHaveLength(1);
  expect(await make({ controllers: "all" })).toBeUndefined();
  await expect(createCluster({ loadBalancerAddresses: ["nonsense"] })).rejects.toThrow(
    "loadBalancerAddresses: expected networks",
  );
});
