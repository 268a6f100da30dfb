/**
 * Webhooks that do everything wrong, in a thread of their own: what they do counts for no slice of the server. The path says how.
 *
 * @module
 */
import { createServer as createTcpServer } from "node:net";
import { createServer } from "node:https";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parentPort, workerData } from "node:worker_threads";

type Answer = (response: ServerResponse, uid: string) => void;

const MEBIBYTE = 1 << 20;

const review = (response: object): string =>
  JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });

const allowed = (uid: string, more: object = {}): string => review({ uid, allowed: true, ...more });

const patched = (uid: string, operations: unknown): string => {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return allowed(uid, { patch, patchType: "JSONPatch" });
};

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/allow": (response, uid) => response.end(allowed(uid)),
  "/warn": (response, uid) => response.end(allowed(uid, { warnings: ["w".repeat(500_000), "fine"] })),
  "/hang": () => undefined,
  "/drip": (response) => drip(response),
  "/uid": (response) => response.end(allowed("another")),
  "/huge": (response, uid) => response.end(allowed(uid, { warnings: ["x".repeat(16 * MEBIBYTE)] })),
  "/deep": (response, uid) =>
    response.end(`{"response":{"uid":"${uid}"},"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
  "/redirect": (response) => response.writeHead(307, { location: "/allow" }).end(),
  "/500": (response) => response.writeHead(500).end("no"),
  "/text": (response) => response.end("no JSON"),
  "/empty": (response) => response.end(),
  "/hangup": (response) => void response.socket?.destroy(),
  "/half": (response, uid) => {
    response.writeHead(200, { "content-length": 10_000 });
    response.write(allowed(uid));
    setTimeout(() => response.socket?.destroy(), 20);
  },
  "/head": (response, uid) => response.writeHead(200, { "x-long": "x".repeat(100_000) }).end(allowed(uid)),
  "/operations": (response, uid) =>
    response.end(
      patched(
        uid,
        Array.from({ length: 20_000 }, () => ({ op: "add", path: "/data/x", value: "y" })),
      ),
    ),
  "/nested": (response, uid) => {
    const copies = Array.from({ length: 40 }, () => ({ op: "copy", from: "", path: "/data/x" }));
    response.end(patched(uid, copies));
  },
};

const server = createServer(workerData as { cert: string; key: string }, (request, response) => {
  void text(request)
    .then((body) => {
      const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
      ANSWERS[new URL(request.url!, "https://hook").pathname]!(response, uid);
    })
    .catch(() => response.destroy());
});
const silent = createTcpServer((socket) => void socket.on("error", () => undefined));
const plain = createTcpServer((socket) => void socket.on("error", () => undefined).end("HTTP/1.1 200 OK\r\n\r\n{}"));

const ports = await Promise.all(
  [server, silent, plain].map(
    (one) =>
      new Promise<number>((resolve) => one.listen(0, "127.0.0.1", () => resolve((one.address() as AddressInfo).port))),
  ),
);
parentPort!.postMessage(ports);
