import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Client, type NewObject, fromKubeconfig } from "../../src/client/index.ts";
import { ConfigMap, Node, Pod } from "../../src/client/kinds/index.ts";
import { Keelson } from "./keelson.ts";

let open = new AsyncDisposableStack();
const directory = mkdtempSync(join(tmpdir(), "keelson-node-"));
afterEach(async () => {
  await open.disposeAsync();
  open = new AsyncDisposableStack();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const kubeconfig = join(directory, "kubeconfig");
const connect = async (): Promise<Client> => open.use(await fromKubeconfig({ path: kubeconfig })).client;

/** A Pod with the files of a ConfigMap, for a node. */
async function makePod(client: Client, nodeName: string): Promise<Pod> {
  await client
    .resource(ConfigMap)
    .create({ metadata: { namespace: "default", name: nodeName }, data: { key: "value" } });
  return client.resource(Pod).create({
    metadata: { namespace: "default", name: nodeName },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
      volumes: [{ name: "v", configMap: { name: nodeName } }],
    },
  } as NewObject<Pod>);
}

const fileOf = (root: string, { metadata }: Pod): string =>
  join(root, "pods", metadata.uid, "volumes", "kubernetes.io~configmap", "v", "key");

const expectSoon = (read: () => unknown, wanted: unknown) =>
  expect.poll(() => read(), { timeout: 20_000, interval: 50 }).toEqual(wanted);

test("NODE-1, NODE-2: serve --node is a node in the process of the server, and keelson node is one beside it", async () => {
  const [inside, beside] = [join(directory, "inside"), join(directory, "beside")];
  const common = ["--dev", "--port", "0", "--dialect", "kubernetes", "--kubeconfig-out", kubeconfig];
  const server = await Keelson.serve([...common, "--node", "n1", "--node-dir", inside, "--node-pods", "run-nothing"]);
  open.defer(async () => {
    server.process.kill();
    await server.ended;
  });
  const agent = new Keelson(["node", "--name", "n2", "--dir", beside, "--kubeconfig", kubeconfig, "--labels", "a=b"]);
  open.defer(async () => {
    agent.process.kill();
    await agent.ended;
  });
  await expectSoon(() => agent.stderr.includes("the node is ready"), true);
  const client = await connect();
  const { items } = await client.resource(Node).list();
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(["n1", "n2"]);
  expect(items.find(({ metadata }) => metadata.name === "n2")!.metadata.labels!["a"]).toBe("b");
  for (const [name, root, phase] of [
    ["n1", inside, "Running"],
    ["n2", beside, "Pending"],
  ] as const) {
    const pod = await makePod(client, name);
    await expectSoon(() => existsSync(fileOf(root, pod)), true);
    expect(readFileSync(fileOf(root, pod), "utf8")).toBe("value");
    const key = { namespace: "default", name };
    await expectSoon(async () => (await client.resource(Pod).get(key)).status.containerStatuses?.length, 1);
    expect((await client.resource(Pod).get(key)).status.phase).toBe(phase);
    await client.resource(Pod).delete(key);
    await expectSoon(() => client.resource(Pod).find(key), undefined);
    expect(existsSync(join(root, "pods", pod.metadata.uid))).toBe(false);
  }
  agent.process.kill();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
}, 60_000);

test("a node that is no name, and one without a directory where nothing is kept, are refused", async () => {
  for (const [args, words] of [
    [["--node", "A_B"], "expected --node to be a name"],
    [["--node", "n1"], "expected --node-dir to be given with --dev and --node"],
  ] as const) {
    const keelson = new Keelson(["serve", "--dev", "--port", "0", ...args]);
    expect((await keelson.ended).code).toBe(2);
    expect(keelson.stderr).toContain(words);
  }
  const keelson = new Keelson(["node", "--name", "n"]);
  expect((await keelson.ended).code).toBe(2);
  expect(keelson.stderr).toContain("--dir");
}, 60_000);

test("a real node and simulated nodes stand side by side: each lets its own Pods live", async () => {
  const root = join(directory, "real");
  const common = ["--dev", "--port", "0", "--dialect", "kubernetes", "--kubeconfig-out", kubeconfig];
  const real = ["--node", "real", "--node-dir", root, "--node-pods", "run-nothing"];
  const server = await Keelson.serve([...common, ...real, "--nodes", "1,prefix=simulated-"]);
  open.defer(async () => {
    server.process.kill();
    await server.ended;
  });
  const client = await connect();
  await expectSoon(
    async () => (await client.resource(Node).list()).items.map(({ metadata }) => metadata.name).toSorted(),
    ["real", "simulated-1"],
  );
  for (const [name, hasFile] of [
    ["real", true],
    ["simulated-1", false],
  ] as const) {
    const pod = await makePod(client, name);
    const key = { namespace: "default", name };
    await expectSoon(async () => (await client.resource(Pod).get(key)).status.phase, "Running");
    expect(existsSync(fileOf(root, pod))).toBe(hasFile);
    await client.resource(Pod).delete(key);
    await expectSoon(() => client.resource(Pod).find(key), undefined);
  }
});
