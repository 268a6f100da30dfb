/**
 * What webhooks cost a write, in CPU of this process: 100 of them that are about other resources, and one on the loopback, which
 * is a program of its own. The floor of the latter is an exchange of as many bytes over a TLS connection that is open, which wakes
 * that program, too.
 *
 * Requests come through the in-process transport, one after the other, to a store in memory. The cases take turns; the best of
 * several rounds counts.
 *
 *     node bench/webhooks.ts [requests per round] [rounds]
 *
 * @module
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { text } from "node:stream/consumers";
import { alwaysAllow } from "../src/auth/admin.ts";
import { createCluster } from "../src/cluster/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { authority, serving } from "../src/pki/certificate.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";

const WEBHOOKS = 100;
const ROOT = "/apis/admissionregistration.k8s.io/v1";
const HEADERS = { "content-type": "application/json" };

interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The webhook: allows everything. */
function serve(pair: KeyPair): void {
  const server = createServer(pair, (request, response) => {
    void text(request).then((body) => {
      const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true } };
      response.end(JSON.stringify(review));
    });
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
}

/** Sends the bytes of a review over one connection, and waits for a response. */
async function exchanging(port: number, ca: string): Promise<() => Promise<void>> {
  const socket = connect({ host: "127.0.0.1", port, ca });
  await once(socket, "secureConnect");
  const body = JSON.stringify({ request: { uid: "u", pad: "v".repeat(2500) } });
  const bytes = Buffer.from(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  return async () => {
    const response = once(socket, "data");
    socket.write(bytes);
    await response;
  };
}

async function measure(requests: number, rounds: number): Promise<void> {
  const term = { now: Date.now(), days: 1 };
  const ca = authority(term);
  const hook = fork(import.meta.filename, {
    env: { ...process.env, HOOK: JSON.stringify(serving(ca, ["127.0.0.1"], term)) },
  });
  const [port] = (await once(hook, "message")) as [number];
  const clientConfig = { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(ca.cert).toString("base64") };

  const open = async (webhooks: number, resource: string): Promise<() => Promise<unknown>> => {
    const cluster = await createCluster({
      store: await openMemoryStore(),
      dialect: kubernetes,
      authorizer: () => alwaysAllow,
    });
    const send = async (method: string, url: string, body: object): Promise<void> => {
      const identity = { user: "bench", groups: ["system:masters"] };
      const response = await cluster.server.inject({
        method,
        url,
        headers: HEADERS,
        body: JSON.stringify(body),
        identity,
      });
      if (response.code > 201) throw new Error(`expected 200 or 201, got ${response.code}`);
    };
    const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: [resource] }];
    for (let i = 0; i < webhooks; i++) {
      await send("POST", `${ROOT}/validatingwebhookconfigurations`, {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: `w${i}` },
        webhooks: [
          { name: "w.example.com", clientConfig, rules, sideEffects: "None", admissionReviewVersions: ["v1"] },
        ],
      });
    }
    const url = "/api/v1/namespaces/default/configmaps";
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v".repeat(1000) } };
    await send("POST", url, body);
    let n = 0;
    return () => send("PUT", `${url}/a`, { ...body, data: { ...body.data, n: String(n++) } });
  };

  const exchange = await exchanging(port, ca.cert);
  const plain = await open(0, "*");
  const cases = new Map([
    ["no webhook", plain],
    [`${WEBHOOKS} webhooks about other resources`, await open(WEBHOOKS, "widgets")],
    ["no webhook, and an exchange of bytes", () => plain().then(exchange)],
    ["1 webhook on the loopback", await open(1, "configmaps")],
  ]);
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, write] of cases) {
      const before = process.cpuUsage();
      for (let i = 0; i < requests; i++) await write();
      const { user, system } = process.cpuUsage(before);
      best.set(name, Math.min(best.get(name) ?? Infinity, (user + system) / requests));
    }
  }
  const floor = best.get("no webhook")!;
  for (const [name, micros] of best) console.log(`${micros.toFixed(1)} us  +${(micros - floor).toFixed(1)}  ${name}`);
  hook.kill();
}

const pair = process.env["HOOK"];
if (pair) serve(JSON.parse(pair) as KeyPair);
else {
  await measure(Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 7));
  process.exit(0);
}
