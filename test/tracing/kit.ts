/**
 * A server that sends spans to a receiver of the test.
 *
 * @module
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ReceivedSpan, openReceiver, treesOf } from "../../examples/tracing/receiver.ts";
import { type RawOptions, resolveOptions } from "../../src/app/options/options.ts";
import { runServer } from "../../src/app/start/server.ts";
import { authority, serving } from "../../src/pki/certificate.ts";

/** A folder of a test. */
export function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "keelson-tracing-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** The rate of which every request is traced. */
export const MILLION = 1_000_000;

/** A server that sends spans to a port. */
export async function serverWith(port: number, rate: number | undefined, more: RawOptions = {}) {
  const file = join(newHome(), "tracing.yaml");
  const rated = rate === undefined ? "" : `samplingRatePerMillion: ${rate}\n`;
  writeFileSync(
    file,
    `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: 127.0.0.1:${port}\n${rated}`,
  );
  const server = await runServer(
    resolveOptions({
      dev: true,
      port: 0,
      "insecure-http": true,
      dialect: "kubernetes",
      "tracing-config-file": file,
      ...more,
    }),
  );
  onTestFinished(() => server.close());
  const token = server.pki.adminToken;
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...sent,
    });
    return { code: response.status, text: await response.text(), type: response.headers.get("content-type") };
  };
  return { server, send };
}

/** A receiver, and the spans that it has got. */
export async function receiving() {
  const spans: ReceivedSpan[] = [];
  const receiver = await openReceiver(0, (more) => spans.push(...more));
  onTestFinished(() => void receiver.close());
  return { spans, port: portOf(receiver) };
}

/** The port of a server that listens. */
export const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** A ConfigMap. */
export const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: "v" } });
/** The path of ConfigMaps. */
export const MAPS = "/api/v1/namespaces/default/configmaps";

/** The spans of the last request whose span has a name. */
export function ofRequest(spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] {
  const root = spans.findLast((span) => span.name === name)!;
  return spans.filter(({ traceId }) => traceId === root.traceId);
}

/** The names of spans with those below them. */
export const shape = (spans: readonly ReceivedSpan[]): string[] =>
  treesOf(spans)
    .filter((line) => !line.startsWith("trace "))
    .map((line) => line.replace(/ \([\d.]+ ms\)$/, ""));

/** A webhook over HTTPS that responds as a function of the review does, and the headers of its requests. */
export async function webhook(respond: (review: Review) => object) {
  const term = { now: Date.now(), days: 1 };
  const ca = authority(term);
  const headers: IncomingHttpHeaders[] = [];
  const server: Server = createServer(serving(ca, ["127.0.0.1"], term), (request, response) => {
    headers.push(request.headers);
    void (async () => {
      let text = "";
      for await (const piece of request) text += String(piece);
      response.setHeader("content-type", "application/json").end(JSON.stringify(respond(JSON.parse(text) as Review)));
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { headers, url: `https://127.0.0.1:${portOf(server)}/review`, ca: Buffer.from(ca.cert).toString("base64") };
}

/** What a webhook receives. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly object[] };
  readonly spec: { readonly token?: string; readonly user?: string };
}
