/** Two servers over one etcd with simulated nodes: the leader is killed while workloads roll out, and the other one continues. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Http2Client, Keelson, Scratch, until } from "../serve/keelson.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

/** A Lease is waited for 15 s, and looked at every two; a busy machine takes longer for all that follows. */
const TAKEN_OVER_MS = 120_000;
const REPLICAS = 12;
/** Of 12 Pods a quarter may be unavailable. */
const MIN_AVAILABLE = 9;
const COMPLETIONS = 16;
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/keelson-controllers";
const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments";
const SET = "/apis/apps/v1/namespaces/default/statefulsets";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const MERGE = { "content-type": "application/merge-patch+json" };

interface Found {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly holderIdentity?: string; readonly containers?: readonly { readonly image: string }[] };
  readonly status: Readonly<Record<string, unknown>> & {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const template = (app: string, image: string): object => ({
  metadata: { labels: { app }, annotations: { "simulation.keelson.dev/ready-after": "1s" } },
  spec: { containers: [{ name: "c", image }] },
});
const selector = (app: string): object => ({ matchLabels: { app } });

describe.skipIf(!(await hasEtcd()))("workloads of two servers on one etcd", { timeout: 600_000 }, () => {
  const scratch = new Scratch();
  const directories = [scratch.fresh(), scratch.fresh()];
  let etcd: EtcdCluster;
  const servers: Keelson[] = [];

  const start = async (i: number): Promise<Http2Client> => {
    const flags = ["--port", "0", "--dialect", "kubernetes", "--store", "etcd", "--nodes", "3,zone=a,zone=b"];
    const store = ["--etcd-servers", etcd.endpoints.join(",")];
    servers[i] = await Keelson.serve(["--data-dir", directories[i]!, ...flags, ...store]);
    return Http2Client.connect(servers[i], directories[i]!);
  };

  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
    await etcd?.close();
    scratch.remove();
  });

  const get = async (client: Http2Client, path: string): Promise<Found> =>
    (await client.send("GET", path)).json as Found;
  const podsOf = async (client: Http2Client, app: string): Promise<readonly Found[]> =>
    (await client.send("GET", `${PODS}?labelSelector=app%3D${app}`)).json.items as Found[];
  const isAvailable = ({ metadata, status }: Found): boolean =>
    metadata.deletionTimestamp === undefined &&
    status.conditions?.some(({ type, status: said }) => type === "Ready" && said === "True") === true;

  test("killed in the middle of rollouts and a Job, they leave no Pod twice, no completion lost and the budget kept", async () => {
    const leader = await start(0);
    mkdirSync(directories[1]!, { mode: 0o700 });
    for (const name of ["pki", "admin.token"]) {
      cpSync(join(directories[0]!, name), join(directories[1]!, name), { recursive: true });
    }
    const other = await start(1);
    const holder = (await get(other, LEASE)).spec.holderIdentity;
    await other.send("POST", DEPLOYMENT, {
      metadata: { name: "web" },
      spec: { replicas: REPLICAS, selector: selector("web"), template: template("web", "web:1") },
    });
    await other.send("POST", SET, {
      metadata: { name: "db" },
      spec: { replicas: 4, serviceName: "db", selector: selector("db"), template: template("db", "db:1") },
    });
    await other.send("POST", BUDGETS, {
      metadata: { name: "web" },
      spec: { selector: selector("web"), minAvailable: MIN_AVAILABLE },
    });
    const statusOf = async (path: string) => (await get(other, path)).status;
    await until(async () => (await statusOf(`${DEPLOYMENT}/web`))["readyReplicas"] === REPLICAS, TAKEN_OVER_MS);
    await until(async () => (await statusOf(`${SET}/db`))["readyReplicas"] === 4, TAKEN_OVER_MS);

    // The server that does not lead says who has the logs and answers commands.
    const refused = await other.send("GET", `${PODS}/db-0/log`);
    expect(refused.status).toBe(503);
    expect((refused.json as unknown as { message: string }).message).toContain("ask that one");
    expect((await leader.send("GET", `${PODS}/db-0/log`)).status).toBe(200);

    await other.send("POST", JOBS, {
      metadata: { name: "work" },
      spec: {
        completions: COMPLETIONS,
        parallelism: 4,
        completionMode: "Indexed",
        template: {
          metadata: { labels: { app: "work" } },
          spec: { restartPolicy: "Never", containers: [{ name: "c", image: "work" }] },
        },
      },
    });
    const image = (app: string, next: string): object => ({ spec: { template: template(app, next) } });
    await other.send("PATCH", `${DEPLOYMENT}/web`, image("web", "web:2"), MERGE);
    await other.send("PATCH", `${SET}/db`, image("db", "db:2"), MERGE);
    // In the middle of all three.
    await until(async () => Number((await statusOf(`${DEPLOYMENT}/web`))["updatedReplicas"] ?? 0) > 2, TAKEN_OVER_MS);
    await until(async () => Number((await statusOf(`${JOBS}/work`))["succeeded"] ?? 0) > 0, TAKEN_OVER_MS);
    await servers[0]!.stop("SIGKILL");
    leader.close();
    const atDeath = [await statusOf(`${DEPLOYMENT}/web`), await statusOf(`${JOBS}/work`), await statusOf(`${SET}/db`)];
    expect(atDeath[1]!["succeeded"]).not.toBe(COMPLETIONS);
    expect(atDeath[2]!["updatedReplicas"] ?? 0).not.toBe(4);

    let least = REPLICAS;
    let most = 0;
    const workers = new Map<string, string>();
    const isOver = async (): Promise<boolean> => {
      const web = await podsOf(other, "web");
      least = Math.min(least, web.filter(isAvailable).length);
      most = Math.max(most, web.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length);
      for (const { metadata } of await podsOf(other, "work")) {
        workers.set(metadata.uid, metadata.labels?.["batch.kubernetes.io/job-completion-index"] ?? "");
      }
      const [deployment, job, set] = [
        await statusOf(`${DEPLOYMENT}/web`),
        await statusOf(`${JOBS}/work`),
        await statusOf(`${SET}/db`),
      ];
      return (
        deployment["updatedReplicas"] === REPLICAS &&
        deployment["availableReplicas"] === REPLICAS &&
        deployment["replicas"] === REPLICAS &&
        job["succeeded"] === COMPLETIONS &&
        set["updatedReplicas"] === 4 &&
        set["readyReplicas"] === 4
      );
    };
    await until(isOver, TAKEN_OVER_MS * 2);
    expect((await get(other, LEASE)).spec.holderIdentity).not.toBe(holder);
    // A quarter more and a quarter less than wanted, at no time more.
    expect(least).toBeGreaterThanOrEqual(MIN_AVAILABLE);
    expect(most).toBeLessThanOrEqual(REPLICAS + 3);
    expect([...workers.values()].toSorted()).toEqual(
      Array.from({ length: COMPLETIONS }, (_, i) => String(i)).toSorted(),
    );
    expect((await statusOf(`${JOBS}/work`))["failed"]).toBeUndefined();
    const images = async (app: string) => (await podsOf(other, app)).map(({ spec }) => spec.containers?.[0]?.image);
    await until(async () => (await images("web")).length === REPLICAS, TAKEN_OVER_MS);
    expect(new Set(await images("web"))).toEqual(new Set(["web:2"]));
    expect(await images("db")).toEqual(Array.from({ length: 4 }, () => "db:2"));
    // The current leader responds.
    await until(async () => (await other.send("GET", `${PODS}/db-0/log`)).status === 200, TAKEN_OVER_MS);
    other.close();
  });
});
