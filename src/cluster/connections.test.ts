import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdmissionRequest, type AdmissionStep, refusal } from "../admission/contract.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Cluster, createCluster } from "./index.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const POD = "/api/v1/namespaces/default/pods/p";

const asked: string[] = [];
const shown = ({ operation, ref, namespace, name, subresource, object }: AdmissionRequest): string =>
  `${operation} ${ref.plural}/${subresource} ${namespace}/${name} ${JSON.stringify(object)}`;

const guard: AdmissionStep = {
  name: "Guard",
  connects: true,
  validate(request) {
    if (request.operation !== "CONNECT") return;
    asked.push(shown(request));
    const { command } = request.object as unknown as { command?: readonly string[] };
    if (command?.includes("rm")) throw refusal(request, "nothing is removed here");
  },
};
const writesOnly: AdmissionStep = {
  name: "Writes only",
  validate(request) {
    if (request.operation === "CONNECT") asked.push("a step that does not connect");
  },
};

let cluster: Cluster;
beforeAll(async () => {
  const time = { clock: new ManualClock(), random: seededRandom(1) };
  const steps = [guard, writesOnly];
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    ...time,
    steps,
    plugins: { disable: ["ServiceAccount"] },
  });
  await ask("POST", "/api/v1/namespaces/default/pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
});
afterAll(() => cluster.close(0));
beforeEach(() => void asked.splice(0));

async function ask(method: string, url: string, body?: object): Promise<string> {
  const sent = body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
  const response = await cluster.server.inject({ method, url, identity: ADMIN, ...sent });
  return `${response.code} ${(JSON.parse(await response.text()) as { message?: string }).message}`;
}

test.each([
  [
    "a command",
    "GET",
    `${POD}/exec?command=ls&command=-l&container=c&stdout=1&tty=false`,
    'pods/exec default/p {"kind":"PodExecOptions","apiVersion":"v1","stdout":true,"container":"c","command":["ls","-l"]}',
  ],
  [
    "what runs already",
    "POST",
    `${POD}/attach?stdin=true`,
    'pods/attach default/p {"kind":"PodAttachOptions","apiVersion":"v1","stdin":true}',
  ],
  [
    "ports",
    "POST",
    `${POD}/portforward?ports=80&ports=443`,
    'pods/portforward default/p {"kind":"PodPortForwardOptions","apiVersion":"v1","ports":[80,443]}',
  ],
  [
    "a path behind a port",
    "DELETE",
    `${POD}:80/proxy/a/b`,
    'pods/proxy default/p:80 {"kind":"PodProxyOptions","apiVersion":"v1","path":"/a/b"}',
  ],
  [
    "a node",
    "GET",
    "/api/v1/nodes/n/proxy/",
    'nodes/proxy /n {"kind":"NodeProxyOptions","apiVersion":"v1","path":"/"}',
  ],
])("admission is asked about a connection to %s, before anything is looked up", async (_, method, url, wanted) => {
  await ask(method, url);
  expect(asked).toEqual([`CONNECT ${wanted}`]);
});

test("a port that is no number is 400, before admission is asked", async () => {
  expect(await ask("POST", `${POD}/portforward?ports=http`)).toBe(
    '400 expected ports to be a whole number, got "http"',
  );
  expect(asked).toEqual([]);
});

test("a connection that admission refuses is 403, and a log is no connection", async () => {
  expect(await ask("POST", `${POD}/exec?command=rm`)).toBe('403 pods "p" is forbidden: nothing is removed here');
  asked.length = 0;
  await ask("GET", `${POD}/log`).catch(() => undefined);
  expect(asked).toEqual([]);
});
