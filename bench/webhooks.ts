/**
 * What webhooks cost a write, in CPU of this process: 100 of them that are about other resources, and one on the loopback, which
 * is a program of its own. The floor of the latter is an exchange of as many bytes over a TLS connection that is open, which wakes
 * that program, too.
 *
 * Requests come through the in-process transport, one after the other, to a store in memory; the cases take turns, request by
 * request, so that a busy machine disturbs all of them alike. What counts is the CPU of the thread.
 *
 *     node bench/webhooks.ts [requests of each case]
 *
 * @module
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { text } from "node:stream/consumers";
import { requestOf } from "../src/admission/testing/requests.ts";
import { configuration, webhook, webhooksWith } from "../src/admission/webhooks/testing/webhooks.ts";
import { authority, serving } from "../src/pki/certificate.ts";
import { openWrites } from "./admission.ts";

const WEBHOOKS = 100;
const ROOT = "/apis/admissionregistration.k8s.io/v1";

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

/** Microseconds of both steps for a request that none of their webhooks concerns. */
async function unconcerned(): Promise<number> {
  const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["widgets"] }];
  const all = Array.from({ length: WEBHOOKS }, (_, i) => webhook(`w${i}`, { rules }));
  const world = webhooksWith([configuration("Mutating", "a", all), configuration("Validating", "a", all)]);
  const request = requestOf({ lookup: world.lookup });
  await world.chain.mutate(request);
  await world.chain.validate(request);
  const RUNS = 1_000_000;
  const before = process.cpuUsage();
  for (let i = 0; i < RUNS; i++)
    if (world.chain.mutate(request) ?? world.chain.validate(request)) throw new Error("it waits");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / RUNS;
}

/** Sends the bytes of a review over one connection, and waits for a response. */
async function exchanging(port: number, ca: string): Promise<() => Promise<void>> {
  const socket = connect({ host: "127.0.0.1", port, ca }).setNoDelay(true);
  await once(socket, "secureConnect");
  const body = JSON.stringify({ request: { uid: "u", pad: "v".repeat(2500) } });
  const bytes = Buffer.from(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  return async () => {
    const response = once(socket, "data");
    socket.write(bytes);
    await response;
  };
}

async function measure(requests: number): Promise<void> {
  const term = { now: Date.now(), days: 1 };
  const ca = authority(term);
  const hook = fork(import.meta.filename, {
    env: { ...process.env, HOOK: JSON.stringify(serving(ca, ["127.0.0.1"], term)) },
  });
  const [port] = (await once(hook, "message")) as [number];
  const clientConfig = { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(ca.cert).toString("base64") };

  const open = (webhooks: number, resource: string): Promise<() => Promise<unknown>> =>
    openWrites(async (send) => {
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
    });

  const exchange = await exchanging(port, ca.cert);
  const plain = await open(0, "*");
  const cases = new Map([
    ["no webhook", plain],
    [`${WEBHOOKS} webhooks about other resources`, await open(WEBHOOKS, "widgets")],
    ["no webhook, and an exchange of bytes", () => plain().then(exchange)],
    ["1 webhook on the loopback", await open(1, "configmaps")],
  ]);
  const costs = new Map([...cases.keys()].map((name) => [name, [] as number[]]));
  for (let i = 0; i < requests; i++) {
    for (const [name, write] of cases) {
      const before = process.threadCpuUsage();
      await write();
      const { user, system } = process.threadCpuUsage(before);
      // The first ones run before their code is compiled.
      if (i >= requests / 4) costs.get(name)!.push(user + system);
    }
  }
  const alone = await unconcerned();
  console.log(
    `${alone.toFixed(2)} us  both steps alone, with ${WEBHOOKS} webhooks each that are about other resources`,
  );
  for (const [name, micros] of costs) {
    const mean = micros.reduce((sum, one) => sum + one, 0) / micros.length;
    console.log(`${mean.toFixed(1)} us  ${name}`);
  }
  hook.kill();
}

const pair = process.env["HOOK"];
if (pair) serve(JSON.parse(pair) as KeyPair);
else {
  await measure(Number(process.argv[2] ?? 5000));
  process.exit(0);
}
