/**
 * A server in which each request says what its sender may do, for the rules about permissions.
 *
 * `startServer` knows one user, the admin; this cluster has an authenticator and an authorizer of the test's own. A sender with the verb `patch status` may patch status paths, and only those.
 *
 * @module
 */
import type { Authenticator, Authorizer } from "../../src/auth/contract.ts";
import { createCluster } from "../../src/cluster/index.ts";
import { neutral } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { Answer } from "./answer.ts";
import { JSON_TYPE } from "./api.ts";

/** A sender with some verbs. */
export interface Sender {
  send(method: string, path: string, body?: string, type?: string): Promise<Answer>;
}

/** The server; close it when done. */
export interface PolicedServer {
  /** Somebody with these verbs and no others. */
  as(verbs: readonly string[]): Sender;
  close(): Promise<void>;
}

const VERBS = "x-test-verbs";

const authenticator: Authenticator = {
  authenticate: ({ header }) => ({ user: "somebody", groups: header(VERBS).split(",") }),
};

const authorizer: Authorizer = {
  authorize: ({ user, groups }, { verb, resource, subresource, isResource }) =>
    !isResource || groups.includes(subresource ? `${verb} ${subresource}` : verb)
      ? { allowed: true }
      : { allowed: false, reason: `${user} may not ${verb} ${resource}` },
};

/** Starts it on a free port, in memory, in the neutral dialect. */
export async function policedServer(): Promise<PolicedServer> {
  const store = await openMemoryStore();
  const cluster = await createCluster({ store, dialect: neutral, authenticator, authorizer });
  const { port } = await cluster.server.listen({ host: "127.0.0.1", port: 0 });
  return {
    as: (verbs) => ({
      async send(method, path, body, type = JSON_TYPE) {
        const headers = { [VERBS]: verbs.join(","), ...(body === undefined ? {} : { "content-type": type }) };
        const init = { method, headers, ...(body === undefined ? {} : { body }) };
        return Answer.of(await fetch(`http://127.0.0.1:${port}${path}`, init));
      },
    }),
    async close() {
      await cluster.close(100);
      await store.close();
    },
  };
}
