import { kubernetes, neutral } from "../../meta/dialect.ts";
import { unauthorized } from "../../meta/status.ts";
import type { Resource } from "../../registry/contract.ts";
import { CALLER, WRITE, bodyOf, registryOf } from "../../registry/testing/registry.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import type { Store } from "../../storage/contract.ts";
import { type ManualClock, seededRandom, systemClock } from "../../util/clock.ts";
import { metered } from "../../util/testing/slices.ts";
import type { InjectResponse } from "../http/inject.ts";
import { type ServerHandle, type ServerOptions, createServer } from "../server.ts";
import { ThreadPool } from "../threads/pool.ts";
import { KINDS } from "./kinds.ts";

/** The token that lets everything happen. */
export const TOKEN = "right";
/** The headers of a request with all rights. */
export const ADMIN: Record<string, string> = { authorization: `Bearer ${TOKEN}`, "user-agent": "tester/1.0" };

/** For authorizers that are not asked for lists. */
export const noRights = () => ({ resourceRules: [], pathRules: [], incomplete: true });

/** A server over a registry in memory. */
export interface TestServer {
  readonly server: ServerHandle;
  /** The resource with a plural; its methods may be replaced. */
  readonly resource: (plural: string) => Resource;
  /** Stores an object without a request. */
  readonly put: (object: Sent) => Promise<void>;
  /** What was logged. */
  readonly logged: { message: string; fields: Readonly<Record<string, unknown>> }[];
  /** Sends a request as the admin. */
  readonly ask: (
    method: string,
    url: string,
    more?: { headers?: Record<string, string | string[]>; body?: string | Uint8Array; signal?: AbortSignal },
  ) => Promise<InjectResponse>;
  /** Sends a request and reads JSON. */
  readonly json: (
    method: string,
    url: string,
    more?: { headers?: Record<string, string | string[]>; body?: string },
  ) => Promise<TestResponse>;
}

/** A response with its JSON body. */
export interface TestResponse {
  readonly code: number;
  readonly headers: InjectResponse["headers"];
  // Tests read responses of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** An object of one of the kinds. */
interface Sent {
  readonly [member: string]: unknown;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * Makes a server for a test, with a namespace `n`: the token `right` is the admin, `reader` may read, all else is
 * refused. A request with a long slice fails the test, unless the server is `unmetered`.
 */
export async function testServer(
  options: Partial<ServerOptions> & {
    clock?: ManualClock;
    strict?: boolean;
    unmetered?: boolean;
    /** {@link KINDS} by default. */
    kinds?: readonly ResourceDefinition[];
    /** A new one in memory by default. */
    store?: Store;
  } = {},
): Promise<TestServer> {
  const dialect = options.strict ? kubernetes : neutral;
  const { clock, store, kinds = KINDS } = options;
  const built = await registryOf(kinds, { dialect, ...(clock ? { clock } : {}), ...(store ? { store } : {}) });
  await built.provisionNamespaces(["n"]);
  const registry = built.kinds;
  const logged: TestServer["logged"] = [];
  const resource = (plural: string): Resource => registry.resources.find((r) => r.definition.plural === plural)!;
  const server = createServer({
    threads: new ThreadPool(systemClock),
    registry,
    authenticator: {
      authenticate({ header, connection }) {
        const { certificate } = connection;
        if (certificate?.signedBy.includes("client")) return { user: certificate.commonName, groups: [] };
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
          ? { allowed: true, reason: "" }
          : { allowed: false, reason: "readers only read" },
      rightsOf: noRights,
    },
    dialect,
    clock: systemClock,
    random: seededRandom(1),
    log: {
      error: (message, fields = {}) => void logged.push({ message, fields }),
      warn: (message, fields = {}) => void logged.push({ message, fields }),
      debug() {},
    },
    version: "0.0.0",
    ...options,
  });
  const meter: typeof metered = options.unmetered ? (_, request) => request() : metered;
  const ask: TestServer["ask"] = (method, url, { headers, ...more } = {}) =>
    meter(`${method} ${url}`, () => server.inject({ method, url, headers: { ...ADMIN, ...headers }, ...more }));
  return {
    server,
    resource,
    async put(object) {
      const { definition } = registry.resources.find((r) => r.definition.kind === object.kind)!;
      const target = { namespace: object.metadata.namespace ?? "", name: "", subresource: "" };
      await resource(definition.plural).create(target, bodyOf(object), WRITE, CALLER);
    },
    logged,
    ask,
    async json(method, url, more) {
      const response = await ask(method, url, more);
      return { code: response.code, headers: response.headers, body: JSON.parse(await response.text()) as unknown };
    },
  };
}

/** The collection that most tests write to. */
export const CM = "/api/v1/namespaces/n/configmaps";

/** A ConfigMap of that collection. */
export const configMap = (name: string, text = "v") => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "n" },
  data: { text },
});
