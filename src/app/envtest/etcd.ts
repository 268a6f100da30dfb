/**
 * The emulated etcd of envtest: it serves a health check, and the location of the store for the emulated API server.
 *
 * It does not implement the protocol of etcd; a real kube-apiserver cannot use it.
 *
 * @module
 */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { makeDirectory } from "../storage/data-directory.ts";
import type { EtcdPlan } from "./etcd-flags.ts";

/** The path of {@link StoreLocation}. */
export const STORE_PATH = "/keelson/v1/keeping";

/** Where the API server keeps its store. */
export interface StoreLocation {
  /** The directory of the store, an absolute path. */
  readonly directory: string;
  readonly unflushed: boolean;
}

/** Starts to listen; resolves when all addresses are open. */
export async function runEtcd({ dataDir, listen, unflushed }: EtcdPlan): Promise<void> {
  const directory = join(resolve(dataDir), "keelson");
  makeDirectory(directory, 0o700);
  const responses = responsesOf({ directory, unflushed });
  await Promise.all(
    listen.map(async (address) => {
      const server = createServer((request, response) => {
        response.on("error", ignore);
        respond(responses, request, response);
      });
      server.listen(address);
      await once(server, "listening");
      // A failure to accept one connection must not end the program.
      server.on("error", ignore);
    }),
  );
}

const ignore = (): void => {};

const responsesOf = (location: StoreLocation): Readonly<Record<string, object>> => ({
  "/health": { health: "true", reason: "" },
  "/version": { etcdserver: "3.6.5", etcdcluster: "3.6.0", storage: "3.6.0" },
  [STORE_PATH]: location,
});

function respond(
  responses: Readonly<Record<string, object>>,
  { url = "" }: IncomingMessage,
  response: ServerResponse,
): void {
  const found = Object.hasOwn(responses, url) ? responses[url] : undefined;
  const type = found ? "application/json" : "text/plain; charset=utf-8";
  response.writeHead(found ? 200 : 404, { "content-type": type });
  response.end(found ? JSON.stringify(found) : "404 page not found\n");
}
