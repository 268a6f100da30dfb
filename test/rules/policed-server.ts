/**
 * A server in which each request says what its sender may do, for the rules about permissions.
 *
 * `startServer` knows one user, the admin; here the same rooms are put together with an authenticator and an authorizer
 * of the test's own. A sender with the verb `patch status` may patch status paths, and only those.
 *
 * @module
 */
import type { ApiContext } from "../../src/schema/definition.ts";
import { builtInDefinitions } from "../../src/kinds/index.ts";
import type { Authenticator, Authorizer } from "../../src/auth/contract.ts";
import { neutral } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import { buildRegistry } from "../../src/registry/index.ts";
import { createServer } from "../../src/server/index.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
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
  const api: ApiContext = { dialect: neutral, clock: systemClock, random: systemRandom, gates: gatesOf(neutral) };
  const store = await openMemoryStore();
  const built = await buildRegistry({
    api,
    store,
    definitions: builtInDefinitions(api),
    authorizer,
    signer: () => {
      throw new Error("expected no token to be asked for");
    },
  });
  await built.provisionNamespaces(neutral.rules.systemNamespaces);
  const server = createServer({
    registry: built.registry,
    authenticator,
    authorizer,
    dialect: neutral,
    clock: systemClock,
    random: systemRandom,
    log: { error: () => undefined },
    version: "0",
    health: [],
  });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    as: (verbs) => ({
      async send(method, path, body, type = JSON_TYPE) {
        const headers = { [VERBS]: verbs.join(","), ...(body === undefined ? {} : { "content-type": type }) };
        const init = { method, headers, ...(body === undefined ? {} : { body }) };
        return Answer.of(await fetch(`http://127.0.0.1:${port}${path}`, init));
      },
    }),
    async close() {
      await server.close(100);
      built.cacher.close();
      await store.close();
    },
  };
}
