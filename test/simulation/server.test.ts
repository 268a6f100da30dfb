/**
 * Simulated nodes of a server: they survive a restart, and their time may pass faster.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { OptionError, type RunningServer, type StartOptions, startServer } from "../../src/app/index.ts";
import { Node, Pod } from "../../src/client/kinds/index.ts";

const dataDir = mkdtempSync(join(tmpdir(), "keelson-simulated-"));
const open: RunningServer[] = [];
const start = async (options: StartOptions): Promise<RunningServer> => {
  const server = await startServer({ port: 0, dialect: "kubernetes", ...options });
  open.push(server);
  return server;
};
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
const pods = (server: RunningServer) => server.client("test").resource(Pod);
const nodes = async (server: RunningServer) => (await server.client("test").resource(Node).list()).items;
const pod = (name: string, annotations: Readonly<Record<string, string>> = {}) => ({
  metadata: { name, namespace: "default", annotations },
  spec: { restartPolicy: "Never", automountServiceAccountToken: false, containers: [{ name: "c", image: "x" }] },
});
const phase = (server: RunningServer, name: string) => async (): Promise<string | undefined> =>
  (await pods(server).get({ namespace: "default", name })).status.phase;

describe("simulated nodes of a server", { timeout: 60_000 }, () => {
  test("nodes are made where fewer are stored; a later start goes on with them, whatever its options", async () => {
    const first = await start({ dataDir, nodes: "2,zone=a" });
    expect(await nodes(first)).toHaveLength(2);
    await pods(first).create(pod("a"));
    await expect.poll(phase(first, "a"), { timeout: 10_000 }).toBe("Running");
    await first.close();
    const second = await start({ dataDir });
    expect(await nodes(second)).toHaveLength(2);
    await pods(second).create(pod("b"));
    await expect.poll(phase(second, "b"), { timeout: 10_000 }).toBe("Running");
    expect(await phase(second, "a")()).toBe("Running");
    await second.close();
    expect(await nodes(await start({ dataDir, nodes: "3" }))).toHaveLength(3);
    rmSync(dataDir, { recursive: true });
  });

  test("with --speed hours pass in seconds for objects, and not for credentials", async () => {
    const folder = mkdtempSync(join(tmpdir(), "keelson-speed-"));
    const server = await start({ dataDir: folder, nodes: "1", speed: 3600 });
    const began = Date.now();
    await pods(server).create(pod("long", { "simulation.keelson.dev/run-for": "2h" }));
    await expect.poll(phase(server, "long"), { timeout: 20_000 }).toBe("Succeeded");
    const { status } = await pods(server).get({ namespace: "default", name: "long" });
    const { startedAt, finishedAt } = status.containerStatuses![0]!.state!.terminated!;
    expect(Date.parse(finishedAt!) - Date.parse(startedAt!)).toBe(2 * 3_600_000);
    expect(Date.now() - began).toBeLessThan(20_000);
    const answer = await server
      .client("test")
      .json<{ readonly status: { readonly expirationTimestamp: string } }>(
        "POST",
        "/api/v1/namespaces/default/serviceaccounts/default/token",
        { body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } } },
      );
    const { expirationTimestamp } = answer.status;
    expect(Math.abs(Date.parse(expirationTimestamp) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    await server.close();
    const later = await start({ dataDir: folder });
    const made = await pods(later).create(pod("later"));
    expect(Date.parse(made.metadata.creationTimestamp!)).toBeGreaterThanOrEqual(Date.parse(finishedAt!));
    await later.close();
    rmSync(folder, { recursive: true });
  });

  test("stages move the Pods; a file with a mistake is named", async () => {
    const folder = mkdtempSync(join(tmpdir(), "keelson-stages-"));
    const file = join(folder, "stages.yaml");
    writeFileSync(
      file,
      `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-fails}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions: [{key: .status.phase, operator: In, values: [Pending]}, {key: .spec.nodeName, operator: Exists}]
  next: {statusTemplate: "phase: Failed"}
`,
    );
    const server = await start({ dev: true, nodes: "1", stages: [file] });
    await pods(server).create(pod("x"));
    await expect.poll(phase(server, "x"), { timeout: 10_000 }).toBe("Failed");
    await expect(start({ dev: true, nodes: "1", stages: [join(folder, "none.yaml")] })).rejects.toThrow(OptionError);
    writeFileSync(file, "apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {name: bad}\nspec: {next: {}}\n");
    await expect(start({ dev: true, nodes: "1", stages: [file] })).rejects.toThrow("stages.yaml");
    rmSync(folder, { recursive: true });
  });

  test("the neutral dialect has no Pods to simulate", async () => {
    await expect(start({ dev: true, dialect: "neutral", nodes: "1" })).rejects.toThrow("--dialect kubernetes");
  });
});
