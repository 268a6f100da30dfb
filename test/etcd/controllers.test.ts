/** Two servers over one etcd whose controllers are killed in the middle of their work, in turn: each thing is done once. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { amount } from "../../src/util/testing/amount.ts";
import { Http2Client, Keelson, Scratch, until } from "../serve/keelson.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

/** A multiple of the sizes, so that there is a volume for each claim. */
const COUNT = amount("CLAIMS", 160, 300);
const SIZES = 20;
/** A Lease is waited for 15 s, and looked at every two. */
const TAKEN_OVER_MS = 40_000;
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const MAPS = "/api/v1/namespaces/default/configmaps";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/keelson-controllers";

interface Found {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly volumeName?: string;
    readonly claimRef?: { readonly uid?: string };
    readonly holderIdentity?: string;
  };
  readonly status: { readonly phase: string };
}

describe.skipIf(!(await hasEtcd()))("controllers of two servers on one etcd", { timeout: 180_000 }, () => {
  const scratch = new Scratch();
  const directories = [scratch.fresh(), scratch.fresh()];
  let etcd: EtcdCluster;
  let flags: string[];
  const servers: Keelson[] = [];

  const start = async (i: number): Promise<Http2Client> => {
    servers[i] = await Keelson.serve(["--data-dir", directories[i]!, ...flags]);
    return Http2Client.connect(servers[i], directories[i]!);
  };

  beforeAll(async () => {
    etcd = await startEtcd();
    flags = ["--port", "0", "--dialect", "kubernetes", "--store", "etcd", "--etcd-servers", etcd.endpoints.join(",")];
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
    await etcd?.close();
    scratch.remove();
  });

  const all = async (client: Http2Client, path: string): Promise<readonly Found[]> =>
    (await client.send("GET", path)).json.items as Found[];
  const holderOf = async (client: Http2Client): Promise<string> =>
    ((await client.send("GET", LEASE)).json as Found).spec.holderIdentity ?? "";

  test("killed in turn while they bind claims and collect dependents, they leave each claim with a volume of its own", async () => {
    const first = await start(0);
    mkdirSync(directories[1]!, { mode: 0o700 });
    for (const name of ["pki", "admin.token"]) {
      cpSync(join(directories[0]!, name), join(directories[1]!, name), { recursive: true });
    }
    let other = await start(1);
    const numbers = Array.from({ length: COUNT }, (_, i) => i);
    const size = (i: number): string => `${1 + (i % SIZES)}Gi`;
    const makes = (client: Http2Client, path: string, body: (i: number) => object) =>
      Promise.all(numbers.map((i) => client.send("POST", path, body(i))));
    await makes(other, "/api/v1/persistentvolumes", (i) => ({
      metadata: { name: `volume-${i}` },
      spec: {
        capacity: { storage: size(i) },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "c",
        csi: { driver: "d.example.com", volumeHandle: String(i) },
      },
    }));
    // A volume can be chosen once it is Available: each claim then finds one of its own size, and none is left over.
    await until(async () => {
      const volumes = await all(other, "/api/v1/persistentvolumes");
      return volumes.every(({ status }) => status.phase === "Available");
    }, TAKEN_OVER_MS);
    const killed = await holderOf(other);

    const claimed = makes(other, CLAIMS, (i) => ({
      metadata: { name: `claim-${i}` },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "c",
        resources: { requests: { storage: size(i * 7) } },
      },
    }));
    const bound = async (): Promise<number> =>
      (await all(other, CLAIMS)).filter(({ status }) => status.phase === "Bound").length;
    await until(async () => (await bound()) > 5, TAKEN_OVER_MS);
    await servers[0]!.stop("SIGKILL");
    first.close();
    await claimed;
    const atDeath = await bound();
    await until(async () => (await bound()) === COUNT, TAKEN_OVER_MS);
    expect(atDeath).toBeLessThan(COUNT);
    expect(await holderOf(other)).not.toBe(killed);

    // The server that took over is killed while an owner waits for its dependents; the other one, which is back, continues.
    const owner = (await other.send("POST", MAPS, { metadata: { name: "owner" } })).json as Found;
    const { name, uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true }];
    await makes(other, MAPS, (i) => ({
      metadata: {
        name: `dependent-${i}`,
        ownerReferences,
        ...(i === 7 ? { finalizers: ["test.example.com/held"] } : {}),
      },
    }));
    const back = await start(0);
    await other.send("DELETE", `${MAPS}/owner`, { propagationPolicy: "Foreground" });
    await servers[1]!.stop("SIGKILL");
    other.close();
    other = back;
    const left = async (): Promise<readonly string[]> =>
      (await all(back, MAPS)).map(({ metadata }) => metadata.name).filter((it) => it !== "kube-root-ca.crt");
    await until(async () => (await left()).length === 2, TAKEN_OVER_MS);
    expect((await left()).toSorted()).toEqual(["dependent-7", "owner"]);
    await back.send(
      "PATCH",
      `${MAPS}/dependent-7`,
      { metadata: { finalizers: null } },
      { "content-type": "application/merge-patch+json" },
    );
    await until(async () => (await left()).length === 0, TAKEN_OVER_MS);

    const [claims, volumes] = [await all(back, CLAIMS), await all(back, "/api/v1/persistentvolumes")];
    const named = new Map(volumes.map((volume) => [volume.metadata.name, volume]));
    expect(new Set(claims.map(({ spec }) => spec.volumeName)).size).toBe(COUNT);
    for (const { metadata, spec } of claims) expect(named.get(spec.volumeName!)?.spec.claimRef?.uid).toBe(metadata.uid);
    back.close();
  });
});
