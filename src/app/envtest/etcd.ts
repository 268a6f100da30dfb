/**
 * The etcd of the directory: it says that it is well, and where the API server beside it is to keep its objects.
 *
 * It knows nothing of etcd's own protocol; an API server of Kubernetes cannot be started on it.
 *
 * @module
 */
import { mkdirSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { fileError } from "../../util/file-error.ts";
import type { EtcdPlan } from "./etcd-flags.ts";

/** Where {@link Keeping} is told. */
export const KEEPING_PATH = "/keelson/v1/keeping";

/** What an API server is told of its store. */
export interface Keeping {
  /** The directory of the store, an absolute path. */
  readonly directory: string;
  readonly unflushed: boolean;
}

/** Starts to answer; resolves when it does. */
export async function runEtcd({ dataDir, listen, unflushed }: EtcdPlan): Promise<void> {
  const directory = join(resolve(dataDir), "keelson");
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError(directory, "a directory that can be written to", error);
  }
  const answers = answersOf({ directory, unflushed });
  await Promise.all(
    listen.map(async (address) => {
      const server = createServer((request, response) => {
        response.on("error", ignore);
        answer(answers, request, response);
      });
      server.listen(address);
      await once(server, "listening");
      // A failure to accept one connection must not end the program.
      server.on("error", ignore);
    }),
  );
}

const ignore = (): void => {};

const answersOf = (keeping: Keeping): Readonly<Record<string, object>> => ({
  "/health": { health: "true", reason: "" },
  "/version": { etcdserver: "3.6.5", etcdcluster: "3.6.0", storage: "3.6.0" },
  [KEEPING_PATH]: keeping,
});

function answer(
  answers: Readonly<Record<string, object>>,
  { url = "" }: IncomingMessage,
  response: ServerResponse,
): void {
  const found = Object.hasOwn(answers, url) ? answers[url] : undefined;
  const type = found ? "application/json" : "text/plain; charset=utf-8";
  response.writeHead(found ? 200 : 404, { "content-type": type });
  response.end(found ? JSON.stringify(found) : "404 page not found\n");
}
