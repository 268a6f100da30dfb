/** Quotas with two servers on one etcd: the conditional write decides who gets what is left. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../src/util/clock.ts";
import { LONG } from "../../src/util/testing/amount.ts";
import { Http2Client, Keelson, Scratch, WatchReader } from "../serve/keelson.ts";
import { churn, counted, fill, limit } from "../serve/quota-load.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

const MOST = 40;

describe.skipIf(!(await hasEtcd()))("a quota on two servers of one etcd", { timeout: 90_000 }, () => {
  const scratch = new Scratch();
  const directories = [scratch.fresh(), scratch.fresh()];
  let etcd: EtcdCluster;
  let servers: Keelson[] = [];
  const serve = (directory: string): Promise<Keelson> => {
    const plugins = ["--enable-admission-plugins", "ResourceQuota"];
    const store = ["--store", "etcd", "--etcd-servers", etcd.endpoints.join(",")];
    return Keelson.serve(["--data-dir", directory, "--port", "0", ...store, ...plugins]);
  };
  const connect = (i: number): Promise<Http2Client> => Http2Client.connect(servers[i]!, directories[i]!);

  beforeAll(async () => {
    etcd = await startEtcd();
    servers = [await serve(directories[0]!)];
    // Servers that are one have one identity.
    mkdirSync(directories[1]!, { mode: 0o700 });
    for (const name of ["pki", "admin.token"]) {
      cpSync(join(directories[0]!, name), join(directories[1]!, name), { recursive: true });
    }
    servers.push(await serve(directories[1]!));
    await limit(await connect(0), MOST);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
    await etcd?.close();
    scratch.remove();
  });

  test("QUOTA-2, QUOTA-3: 64 writers get exactly what there is", async () => {
    const clients = await Promise.all([connect(0), connect(1)]);
    expect(await fill(clients, "a")).toBe(MOST);
    expect(await counted(clients[1]!)).toEqual({ used: MOST, stored: MOST });
    await clients[0]!.done("DELETE", "/api/v1/namespaces/full/configmaps");
    await counted(clients[0]!);
  });

  test.runIf(LONG)("QUOTA-2: 64 writers that create and delete never store more than allowed", async () => {
    const clients = await Promise.all([connect(0), connect(1)]);
    const path = "/api/v1/namespaces/full/configmaps?watch=true&timeoutSeconds=60";
    const watch = new WatchReader((await connect(0)).open("GET", path));
    const writing = churn(clients, "d", systemRandom);
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    for (const client of clients) client.session.destroy();
    expect(await writing).toBeGreaterThan(MOST);
    const live = new Set<string>();
    for (const { type, object } of watch.events) {
      if (type === "DELETED") live.delete(object.metadata.name!);
      else live.add(object.metadata.name!);
      expect(live.size).toBeLessThanOrEqual(MOST);
    }
    const client = await connect(0);
    await client.done("DELETE", "/api/v1/namespaces/full/configmaps");
    await counted(client);
  });

  test("QUOTA-2: one of them is killed: what it has booked and not stored is free after the next count", async () => {
    const clients = await Promise.all([connect(0), connect(1)]);
    const filling = fill(clients, "b");
    await new Promise((resolve) => setTimeout(resolve, 30));
    await servers[0]!.stop("SIGKILL");
    await filling;
    servers[0] = await serve(directories[0]!);
    const { stored } = await counted(clients[1]!, 60_000);
    expect(stored).toBeLessThanOrEqual(MOST);
    await fill([clients[1]!], "c");
    expect(await counted(clients[1]!)).toEqual({ used: MOST, stored: MOST });
  });
});
