import { expect, test } from "vitest";
import type { Messages, ServerContext } from "../../server/index.ts";
import { configMap, testServer } from "../../server/testing/test-server.ts";
import { until } from "../../server/testing/listening.ts";
import { Seats } from "./access.ts";
import { Lists } from "./lists.ts";
import { LIST_LIMITS } from "./memory.ts";
import type { Rights } from "./rights.ts";
import { ConsoleStream } from "./stream.ts";
import { Untaken } from "./untaken.ts";

const CM = { group: "", version: "v1", resource: "configmaps" };
const KIM = { user: "kim", groups: [] };

test("rights that are taken back while rights are checked count, too", async () => {
  let context: ServerContext | undefined;
  const path = "/context";
  const { ask, put } = await testServer({
    unmetered: true,
    routes: [{ path, handle: (server, { response }) => ((context = server), response.respond(200, {})) }],
  });
  await ask("GET", path);
  await put(configMap("a"));
  let isAllowed = true;
  let released = Promise.resolve();
  const authorizer: ServerContext["authorizer"] = {
    authorize: async () => {
      // What is known when it is asked, and said later.
      const allowed = isAllowed;
      await released;
      return { allowed, reason: "" };
    },
    rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: true }),
  };
  const server = { ...context!, authorizer };
  const sent: string[] = [];
  const messages: Messages = {
    protocol: "",
    closed: false,
    onMessage: undefined,
    onClose: undefined,
    send: async (message) => void sent.push(String(message)),
    pause: () => {},
    resume: () => {},
    end: () => {},
    destroy: () => {},
  };
  let changed = (): void => {};
  const rights = {
    onChange: (listener: () => void) => {
      changed = listener;
      return { [Symbol.dispose]: () => {} };
    },
  } as Rights;
  const parts = {
    server,
    lists: new Lists(server, LIST_LIMITS),
    rights,
    seats: new Seats(server),
    untaken: new Untaken(),
  };
  const connection = { certificate: undefined, address: "", encrypted: false };
  const stream = new ConsoleStream(parts, { identity: KIM, owner: KIM, connection }, messages, () => {});
  messages.onMessage?.(Buffer.from(JSON.stringify({ type: "open", id: 1, list: CM, offset: 0, size: 5 })));
  await until(() => sent.length === 1, "the rows");
  const release = Promise.withResolvers<void>();
  released = release.promise;
  changed();
  isAllowed = false;
  changed();
  release.resolve();
  await until(() => sent.length === 2, "an error");
  expect(JSON.parse(sent[1]!)).toMatchObject({ type: "error", id: 1, status: { code: 403 } });
  stream.destroy();
});
