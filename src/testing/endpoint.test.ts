import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Client, nodeTransport } from "../client/index.ts";
import { ConfigMap, Namespace } from "../client/kinds/index.ts";
import { crash, createCluster, eventually } from "./index.ts";
import { Sender } from "./sender.ts";
import type { TestCluster } from "./test-cluster.ts";

const MAP = { metadata: { name: "a", namespace: "default" } };

describe("listen", () => {
  test("returns URL, token, CA and kubeconfig for clients of other processes, which are subjects", async () => {
    await using cluster = await createCluster();
    const endpoint = await cluster.listen();
    const { url, token, ca, kubeconfig, env } = endpoint;
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(env).toEqual({
      KUBECONFIG: expect.stringMatching(/kubeconfig$/),
      KEELSON_URL: url,
      KEELSON_TOKEN: token,
      USE_EXISTING_CLUSTER: "true",
    });
    expect(readFileSync(env["KUBECONFIG"]!, "utf8")).toBe(kubeconfig);
    expect(parse(kubeconfig)).toMatchObject({ clusters: [{ cluster: { server: url } }] });
    const transport = nodeTransport({ url, ca, token });
    const outside = new Client(transport, { userAgent: "outside" });
    expect((await outside.resource(Namespace).list()).items).toHaveLength(4);
    expect(cluster.requests()).toMatchObject([{ verb: "list", userAgent: "outside", origin: "subject", code: 200 }]);
    transport.close();
    await endpoint.close();
    expect([existsSync(env["KUBECONFIG"]!), cluster.realTime]).toEqual([false, false]);
    await expect(outside.resource(Namespace).list()).rejects.toThrow("no response from");
  });

  test("refuses requests without a credential", async () => {
    await using cluster = await createCluster();
    await using endpoint = await cluster.listen();
    const transport = nodeTransport({ url: endpoint.url, ca: endpoint.ca, token: "another" });
    const stranger = new Client(transport, { userAgent: "stranger" });
    await expect(stranger.resource(Namespace).list()).rejects.toMatchObject({ status: { code: 401 } });
    transport.close();
  });

  test("two ports have one CA; while one is open, eventually waits in real time", async () => {
    await using cluster = await createCluster();
    await using first = await cluster.listen();
    await using second = await cluster.listen();
    expect([second.ca, second.token]).toEqual([first.ca, first.token]);
    const transport = nodeTransport({ url: second.url, ca: second.ca, token: second.token });
    const outside = new Client(transport, { userAgent: "outside" });
    const look = eventually(cluster, () =>
      cluster.client().resource(ConfigMap).get({ namespace: "default", name: "a" }),
    );
    await outside.resource(ConfigMap).create(MAP);
    expect((await look).metadata.name).toBe("a");
    transport.close();
  });
});

test("a port that opens while its cluster closes is closed with it", async () => {
  const servers = (): number => process.getActiveResourcesInfo().filter((one) => one === "TCPServerWrap").length;
  const before = servers();
  const cluster = await createCluster();
  const [opening] = await Promise.allSettled([cluster.listen(), cluster.close()]);
  expect(opening).toMatchObject({ status: "rejected", reason: { message: "The cluster has been closed" } });
  await expect.poll(servers).toBeLessThanOrEqual(before);
});

test("a port may belong to one program: a crash kills it, and no other client", async () => {
  await using cluster = (await createCluster()) as TestCluster;
  const killed: string[] = [];
  const [one, two] = ["one", "two"].map((name) => new Sender("subject", () => void killed.push(name)));
  await using first = await cluster.listenFor({ sender: () => one! });
  await using second = await cluster.listenFor({ sender: () => two! });
  cluster.faults.next({ verb: "create" }, crash({ when: "after" }));
  const transport = nodeTransport({ url: second.url, ca: second.ca, token: second.token });
  await expect(new Client(transport, { userAgent: "two" }).resource(ConfigMap).create(MAP)).rejects.toThrow(
    "no response from",
  );
  transport.close();
  expect([killed, first.url === second.url]).toEqual([["two"], false]);
});

/** Ports and connections of this process. */
const handles = (): string[] => process.getActiveResourcesInfo().filter((kind) => kind.startsWith("TCP"));

test("no handles are open before listen and after close", async () => {
  await untilClosed();
  const cluster = await createCluster();
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  await cluster.apply(MAP_MANIFEST);
  await cluster.settled();
  expect(handles()).toEqual([]);
  // Timers of what ran before in this process may have ended meanwhile.
  expect(timers()).toBeLessThanOrEqual(before);
  const endpoint = await cluster.listen();
  const transport = nodeTransport({ url: endpoint.url, ca: endpoint.ca, token: endpoint.token });
  const outside = new Client(transport, { userAgent: "outside" });
  const watch = outside.resource(ConfigMap).watch();
  await watch.next();
  const reading = watch.next().catch(() => {});
  await cluster.close();
  await reading;
  transport.close();
  await untilClosed();
  await cluster.close();
});

const MAP_MANIFEST = { apiVersion: "v1", kind: "ConfigMap", ...MAP };

/** Sockets end a turn or two after they were told to. */
async function untilClosed(): Promise<void> {
  for (let i = 0; i < 100 && handles().length > 0; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(handles()).toEqual([]);
}
