import { kubernetes, neutral } from "../../meta/dialect.ts";
import { unauthorized } from "../../meta/status.ts";
import { type ManualClock, seededRandom, systemClock } from "../../util/clock.ts";
import type { InjectAnswer } from "../http/inject.ts";
import { type ServerHandle, type ServerOptions, createServer } from "../server.ts";
import { type FakeRegistry, fakeRegistry } from "./fake-registry.ts";

/** The token that lets everything happen. */
export const TOKEN = "right";
/** The headers of a request that may do everything. */
export const ADMIN: Record<string, string> = { authorization: `Bearer ${TOKEN}`, "user-agent": "tester/1.0" };

/** A server over a fake registry. */
export interface TestServer {
  readonly server: ServerHandle;
  readonly registry: FakeRegistry;
  /** What was logged. */
  readonly logged: { message: string; fields: Readonly<Record<string, unknown>> }[];
  /** Asks as the admin. */
  readonly ask: (
    method: string,
    url: string,
    more?: { headers?: Record<string, string>; body?: string | Uint8Array },
  ) => Promise<InjectAnswer>;
  /** Asks and reads JSON. */
  readonly json: (
    method: string,
    url: string,
    more?: { headers?: Record<string, string>; body?: string },
  ) => Promise<Answer>;
}

/** An answer with its JSON body. */
export interface Answer {
  readonly code: number;
  readonly headers: InjectAnswer["headers"];
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Makes a server for a test: `token right` is the admin, `token reader` may read, all else is refused. */
export function testServer(
  options: Partial<ServerOptions> & { clock?: ManualClock; strict?: boolean } = {},
): TestServer {
  const registry = fakeRegistry();
  const logged: TestServer["logged"] = [];
  const server = createServer({
    registry,
    authenticator: {
      authenticate({ header, connection }) {
        if (connection.certificate) return { user: connection.certificate.commonName, groups: [] };
        const authorization = header("authorization");
        if (authorization === "") return undefined;
        const user = authorization.replace(/^Bearer /, "");
        if (user !== TOKEN && user !== "reader") throw unauthorized();
        return { user, groups: ["system:authenticated"] };
      },
    },
    authorizer: {
      authorize: ({ user }, info) =>
        user !== "reader" || ["get", "list", "watch"].includes(info.verb)
          ? { allowed: true }
          : { allowed: false, reason: "readers only read" },
    },
    dialect: options.strict ? kubernetes : neutral,
    clock: systemClock,
    random: seededRandom(1),
    log: { error: (message, fields) => void logged.push({ message, fields }) },
    version: "0.0.0",
    ...options,
  });
  const ask: TestServer["ask"] = (method, url, { headers, body } = {}) =>
    server.inject({ method, url, headers: { ...ADMIN, ...headers }, ...(body === undefined ? {} : { body }) });
  return {
    server,
    registry,
    logged,
    ask,
    async json(method, url, more) {
      const answer = await ask(method, url, more);
      return { code: answer.code, headers: answer.headers, body: JSON.parse(await answer.text()) as unknown };
    },
  };
}
