/**
 * A webhook that converts, in a thread of its own: what it does counts for no turn of the server.
 *
 * Each question is told to the parent with the number of its objects and its size. `/slow` answers when it is told to,
 * `/wrong` says that it failed.
 *
 * @module
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

interface Review {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly { readonly spec: object }[];
  };
}

const { cert, key } = workerData as { readonly cert: string; readonly key: string };
const waiting: (() => void)[] = [];
parentPort!.on("message", () => {
  for (const answer of waiting.splice(0)) answer();
});

const server = createServer({ cert, key }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const { request: asked, ...review } = JSON.parse(body.toString()) as Review;
    const { uid, desiredAPIVersion: apiVersion, objects } = asked;
    parentPort!.postMessage({ path: request.url, objects: objects.length, bytes: body.length });
    const convertedObjects = objects.map((one) => ({ ...one, apiVersion, spec: { ...one.spec, from: "hook" } }));
    const result =
      request.url === "/wrong"
        ? { uid, result: { status: "Failure", message: "no way from here to there" } }
        : { uid, convertedObjects, result: { status: "Success" } };
    const answer = (): void => void response.end(JSON.stringify({ ...review, response: result }));
    if (request.url === "/slow") waiting.push(answer);
    else answer();
  });
});
server.listen(0, "127.0.0.1", () => parentPort!.postMessage({ port: (server.address() as AddressInfo).port }));
