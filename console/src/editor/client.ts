/**
 * The client of the project over the requests of the page, for what commands do with objects too.
 *
 * @module
 */
import { Client } from "../../../src/client/client.ts";
import { StatusError, failureOf } from "../../../src/client/errors.ts";
import type { ServedKind } from "../../../src/client/kind.ts";
import type { Transport } from "../../../src/client/transport.ts";
import { ApiFailure, type RequestOptions, exchange, warningsOf } from "../api/http.ts";
import type { Kind } from "../api/discovery.ts";
import type { Status } from "../../../src/meta/status.ts";
import { parseExact } from "./exact-json.ts";

const transport: Transport = async ({ method, path, headers, body, signal }) => {
  const { accept = "application/json", "content-type": type, "if-none-match": tag } = headers;
  const response = await exchange(path, {
    method,
    accept,
    ...(type === undefined ? {} : { type }),
    ...(tag === undefined ? {} : { headers: { "if-none-match": tag } }),
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : new TextDecoder().decode(body) }),
    ...(signal ? { signal } : {}),
  });
  const text = (): Promise<string> => response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: {
      text,
      async *[Symbol.asyncIterator]() {
        yield new TextEncoder().encode(await text());
      },
    },
  };
};

/** A client whose requests have the session of the page; it reads integers beyond 2^53 with all their digits. */
export const client = new Client(transport, { userAgent: "keelson-console", parse: parseExact });

/** A kind as the client of the project has it. */
export const servedKind = (kind: Kind): ServedKind => ({
  group: kind.group,
  version: kind.version,
  kind: kind.kind,
  plural: kind.resource,
  scope: kind.namespaced ? "Namespaced" : "Cluster",
  singular: kind.singular,
  shortNames: kind.shortNames,
  categories: kind.categories,
  verbs: kind.verbs,
  subresources: new Map(kind.subresources.map(({ name, verbs }) => [name, verbs])),
});

/** The response to a write: its text, and what the server warns of. */
export interface Written {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Sends a request whose body is text. @throws {StatusError} for every code that is not 2xx, with the conflicts of an apply */
export async function sendText(path: string, options: RequestOptions): Promise<Written> {
  const response = await exchange(path, options);
  const text = await response.text();
  if (!response.ok) throw failureOf(response.status, text, { method: options.method ?? "GET", path });
  return { text, warnings: warningsOf(response) };
}

/** The message of a failure of any kind. */
export function statusOf(error: unknown): Pick<Status, "message" | "reason" | "details" | "code"> {
  if (error instanceof StatusError || error instanceof ApiFailure) return error.status;
  return { message: error instanceof Error ? error.message : String(error), code: 0 };
}
