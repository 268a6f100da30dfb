import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, WatchReader, configMap, run, until } from "../serve/keelson.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

const LEASE = "/apis/coordination.svc.io/v1/namespaces/default/leases/keelson-history";

describe.skipIf(!(await hasEtcd()))("two servers on one etcd with TLS", { timeout: 120_000 }, () => {
  const scratch = new Scratch();
  let etcd: EtcdCluster;
  let tests = 0;
  let flags: string[];
  let directories: string[];
  let servers: Keelson[] = [];
  let clients: Http2Client[] = [];

  /** Whether both servers of the test before are still there. */
  const areThere = (): boolean =>
    servers.length > 0 &&
    servers.every(({ process: { exitCode, signalCode } }) => exitCode === null && signalCode === null);
  const stop = async (): Promise<void> => {
    for (const client of clients) client.close();
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
  };

  beforeAll(async () => {
    etcd = await startEtcd({ tls: true });
  });
  /** Tests share the servers until one of them has killed one. */
  beforeEach(async () => {
    if (areThere()) {
      await clients[0]!.send("DELETE", CONFIG_MAPS);
      return;
    }
    await stop();
    const { ca, cert, key } = etcd.tls!;
    const to = ["--etcd-servers", etcd.endpoints.join(","), "--etcd-prefix", `/servers-${tests++}`];
    const tls = ["--etcd-cacert", ca, "--etcd-cert", cert, "--etcd-key", key];
    flags = ["--port", "0", "--store", "etcd", ...to, ...tls, "--history", "5s"];
    directories = [scratch.fresh(), scratch.fresh()];
    servers = [await Keelson.serve(["--data-dir", directories[0]!, ...flags])];
    // Servers that are one have one identity: the same authority, the same keys, the same token of the admin.
    mkdirSync(directories[1]!, { mode: 0o700 });
    for (const name of ["pki", "admin.token"]) {
      cpSync(join(directories[0]!, name), join(directories[1]!, name), { recursive: true });
    }
    servers.push(await Keelson.serve(["--data-dir", directories[1]!, ...flags]));
    clients = await Promise.all(servers.map((server, i) => Http2Client.connect(server, directories[i]!)));
  });
  afterAll(async () => {
    await stop();
    await etcd?.close();
    scratch.remove();
  });

  /** The store as a third party sees it. */
  const look = () => {
    const { ca, cert, key } = etcd.tls!;
    const text = (file: string): string => readFileSync(file, "utf8");
    const credentials = () => ({ ca: text(ca), cert: text(cert), key: text(key) });
    const around = { clock: systemClock, random: systemRandom };
    return openEtcdStore({ endpoints: etcd.endpoints, prefix: `/servers-${tests - 1}`, credentials, ...around });
  };

  test("what is written to one is read from the other at once, by get and by list", async () => {
    for (let i = 0; i < 50; i++) {
      const [writer, reader] = i % 2 === 0 ? [clients[0]!, clients[1]!] : [clients[1]!, clients[0]!];
      const made = await writer.send("POST", CONFIG_MAPS, configMap(`made-${i}`, { n: String(i) }));
      expect(made.status).toBe(201);
      const got = await reader.send("GET", `${CONFIG_MAPS}/made-${i}`);
      expect(got.json).toEqual(made.json);
      const list = await reader.send("GET", CONFIG_MAPS);
      expect(list.json.items).toHaveLength(i + 1);
      expect(Number(list.json.metadata.resourceVersion)).toBeGreaterThanOrEqual(
        Number(made.json.metadata.resourceVersion),
      );
    }
    const gone = await clients[0]!.send("DELETE", `${CONFIG_MAPS}/made-7`);
    expect(gone.status).toBe(200);
    expect((await clients[1]!.send("GET", `${CONFIG_MAPS}/made-7`)).status).toBe(404);
  });

  test("a write to one starts from what was written to the other: update, patch, delete and create again", async () => {
    const [one, other] = [clients[0]!, clients[1]!];
    const merge = { "content-type": "application/merge-patch+json" };
    for (let i = 0; i < 100; i++) {
      const path = `${CONFIG_MAPS}/both`;
      const made = await one.send("POST", CONFIG_MAPS, configMap("both", { n: "0" }));
      const put = await other.send("PUT", path, { ...made.json, data: { n: "1" } });
      const patched = await one.send("PATCH", path, { data: { n: "2" } }, merge);
      // As it was before the last write: an old state in a cache would make this no change at all.
      const back = await other.send("PATCH", path, { data: { n: "1" } }, merge);
      const gone = await one.send("DELETE", path);
      const again = await other.send("POST", CONFIG_MAPS, configMap("both"));
      const last = await one.send("DELETE", path);
      const statuses = [made, put, patched, back, gone, again, last].map(({ status }) => status);
      expect(statuses).toEqual([201, 200, 200, 200, 200, 201, 200]);
      expect(Number(back.json.metadata.resourceVersion)).toBeGreaterThan(Number(patched.json.metadata.resourceVersion));
    }
  });

  test("of two updates of the same object through different servers one succeeds, the other gets 409", async () => {
    const { json } = await clients[0]!.send("POST", CONFIG_MAPS, configMap("contested"));
    const put = (i: number) =>
      clients[i]!.send("PUT", `${CONFIG_MAPS}/contested`, { ...json, data: { by: String(i) } });
    const answers = await Promise.all([put(0), put(1)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  test("KIND-Service-3, KIND-Service-5: no address and no port of a node is allocated twice, by any of the servers, also after a restart", async () => {
    const services = "/api/v1/namespaces/default/services";
    const service = (name: string, more: object = {}, port: object = {}): object => ({
      metadata: { name },
      spec: { type: "NodePort", ports: [{ port: 80, ...port }], ...more },
    });
    const all = Array.from({ length: 100 }, (_, i) => i);
    const made = await Promise.all(all.map((i) => clients[i % 2]!.send("POST", services, service(`s-${i}`))));
    expect(made.map(({ status }) => status)).toEqual(all.map(() => 201));
    const given = made.map(({ json }) => [json.spec.clusterIP, json.spec.ports[0].nodePort] as [string, number]);
    expect(new Set(given.map(([address]) => address)).size).toBe(100);
    expect(new Set(given.map(([, port]) => port)).size).toBe(100);
    const asksFor = async (client: Http2Client, [clusterIP, nodePort]: [string, number]): Promise<number[]> => {
      const byAddress = await client.send("POST", services, service("taken", { clusterIP }));
      return [byAddress.status, (await client.send("POST", services, service("taken", {}, { nodePort }))).status];
    };
    // The first was made by the first server.
    expect(await asksFor(clients[1]!, given[0]!)).toEqual([422, 422]);
    await servers[1]!.stop("SIGKILL");
    servers[1] = await Keelson.serve(["--data-dir", directories[1]!, ...flags]);
    clients[1]!.close();
    clients[1] = await Http2Client.connect(servers[1], directories[1]!);
    expect(await asksFor(clients[1], given[1]!)).toEqual([422, 422]);
    const { json } = await clients[1].send("POST", services, service("later"));
    expect(given.flat()).not.toContain(json.spec.clusterIP);
    expect(given.flat()).not.toContain(json.spec.ports[0].nodePort);
    // What is given back may be had again, from either.
    expect((await clients[0]!.send("DELETE", `${services}/s-1`)).status).toBe(200);
    const [clusterIP, nodePort] = given[1]!;
    expect((await clients[1].send("POST", services, service("again", { clusterIP }, { nodePort }))).status).toBe(201);
  });

  test("watches on both see the same events in the same order, for writes through either server", async () => {
    const { json } = await clients[0]!.send("GET", CONFIG_MAPS);
    const query = `watch=true&resourceVersion=${json.metadata.resourceVersion}`;
    const watches = clients.map((client) => new WatchReader(client.open("GET", `${CONFIG_MAPS}?${query}`)));
    const writer = async (client: Http2Client, name: string): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        await client.send("POST", CONFIG_MAPS, configMap(`${name}-${i}`));
        await client.send(
          "PATCH",
          `${CONFIG_MAPS}/${name}-${i}`,
          { data: { n: String(i) } },
          {
            "content-type": "application/merge-patch+json",
          },
        );
        await client.send("DELETE", `${CONFIG_MAPS}/${name}-${i}`);
      }
    };
    await Promise.all(clients.flatMap((client, i) => [writer(client, `a${i}`), writer(client, `b${i}`)]));
    await until(() => watches.every(({ events }) => events.length >= 240));
    expect(watches[0]!.events).toHaveLength(240);
    expect(watches[1]!.events).toEqual(watches[0]!.events);
    const last = watches[0]!.events.filter(({ type }) => type === "DELETED");
    expect(last).toHaveLength(80);
  });

  test("a server that is killed takes nothing with it", async () => {
    const kept: string[] = [];
    let on = true;
    const writing = (async () => {
      for (let i = 0; on; i++) {
        const answer = await clients[0]!.send("POST", CONFIG_MAPS, configMap(`k-${i}`)).catch(() => undefined);
        if (!answer) return;
        expect(answer.status).toBe(201);
        kept.push(`k-${i}`);
      }
    })();
    await expect.poll(() => kept.length).toBeGreaterThan(5);
    await servers[0]!.stop("SIGKILL");
    on = false;
    await writing;
    const { json } = await clients[1]!.send("GET", CONFIG_MAPS);
    const names = new Set(json.items.map((item: { metadata: { name: string } }) => item.metadata.name));
    for (const name of kept) expect(names).toContain(name);
    expect((await clients[1]!.send("POST", CONFIG_MAPS, configMap("after"))).status).toBe(201);
  });

  test("one of them lets the history go, and when it dies the other one does", async () => {
    const store = await look();
    const holder = async (i: number): Promise<string> =>
      (await clients[i]!.send("GET", LEASE)).json.spec?.holderIdentity ?? "";
    const compacted = async (): Promise<number> => (await store.stats()).compactedRevision;
    try {
      await clients[0]!.send("POST", CONFIG_MAPS, configMap("a"));
      const written = await store.currentRevision();
      await until(async () => (await compacted()) >= written);
      const first = await holder(0);
      expect(await holder(1)).toBe(first);
      // The first server was there before the second one, so it holds the Lease.
      await servers[0]!.stop("SIGKILL");
      await until(async () => ![first, ""].includes(await holder(1)));
      await clients[1]!.send("POST", CONFIG_MAPS, configMap("b"));
      const later = await store.currentRevision();
      await until(async () => (await compacted()) >= later);
      expect((await clients[1]!.send("GET", LEASE)).json.spec.leaseTransitions).toBe(1);
    } finally {
      await store.close();
    }
  });

  test("a server of the other dialect is refused, and so are options that do not fit together", async () => {
    const other = await run(["serve", "--data-dir", scratch.fresh(), "--dialect", "kubernetes", ...flags]);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('found that of "neutral"');
    for (const args of [
      ["--store", "etcd"],
      ["--store", "etcd", "--etcd-servers", "localhost:2379"],
      ["--store", "etcd", "--etcd-servers", etcd.endpoints[0]!, "--etcd-cert", "/tmp/x"],
      ["--store", "etcd", "--etcd-servers", etcd.endpoints[0]!, "--etcd-cacert", "/nonexistent/ca"],
    ]) {
      const { code, stderr } = await run(["serve", "--data-dir", scratch.fresh(), "--port", "0", ...args]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/expected --etcd-/);
    }
  });
});
