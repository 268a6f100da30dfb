/**
 * The endpoints of OpenAPI v3, with ETags, and with documents that clients may cache for ever when they send the hash; and the endpoint of
 * OpenAPI v2, as JSON or as protobuf.
 *
 * @module
 */
import { otherDialectHint } from "../../meta/dialect.ts";
import { unknownPath } from "../../meta/status.ts";
import { type Clause, clausesOf } from "../response/negotiate.ts";
import type { ServerContext, Route } from "../request/context.ts";
import type { HttpResponse } from "../request/response.ts";
import { respondWithDocument } from "./document.ts";
import { type OpenApi, ROOT, type V2Form } from "./openapi.ts";

/** The second is the name in the response, also where an older client has sent the first. */
const V2_PROTOBUF = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
] as const;

/** The routes to the documents. */
export const openApiRoutes = (openApi: OpenApi): readonly Route[] => [
  { path: "/openapi/v2", handle: (_server, { response }) => respondWithV2(response, openApi) },
  {
    path: ROOT,
    // JSON, whatever the client accepts, with the name that the dialect uses for it.
    handle: async (server, { response }) =>
      respondWithDocument(
        response,
        await openApi.index(),
        server.dialect.rules.openApiIndexIsPlain ? "text/plain; charset=utf-8" : "application/json",
      ),
  },
  {
    path: `${ROOT}/{name...}`,
    handle: (server, { response }, { name = "" }) => respondWithV3(server, response, openApi, name),
  },
];

async function respondWithV2(response: HttpResponse, openApi: OpenApi): Promise<void> {
  const form = v2Form(acceptOf(response));
  if (!form) return refuse(response);
  const type = form === "json" ? "application/json" : V2_PROTOBUF[1];
  await respondWithDocument(response, await openApi.v2(form), type);
}

const acceptOf = ({ incoming }: HttpResponse): string => incoming.sent.header("accept");

const takesJson = ({ media }: Clause): boolean => media === "json" || media === "any" || media === "application";

/** The first form that a client accepts; undefined for none. */
function v2Form(accept: string): V2Form | undefined {
  for (const clause of clausesOf(accept)) {
    if (takesJson(clause)) return "json";
    if (V2_PROTOBUF.some((name) => name === clause.type)) return "protobuf";
  }
  return undefined;
}

/** 406 as the reference has it for these documents: without a body. */
const refuse = (response: HttpResponse): void => response.respond(406, { ...response.headers(""), vary: "Accept" });

/** Responds with a document of OpenAPI v3 by its name in the index. */
async function respondWithV3(
  server: ServerContext,
  response: HttpResponse,
  openApi: OpenApi,
  name: string,
): Promise<void> {
  const document = await openApi.document(name);
  // `apis/GROUP/VERSION`.
  if (!document) throw unknownPath(otherDialectHint(name.split("/")[1] ?? "", server.dialect));
  if (!clausesOf(acceptOf(response)).some(takesJson)) return refuse(response);
  const hash = response.incoming.query.text("hash");
  if (hash !== "" && hash !== document.hash) {
    const location = `${ROOT}/${name}?hash=${document.hash}`;
    return response.respond(301, { ...response.headers("application/json"), location });
  }
  await respondWithDocument(response, document, "application/json", hash === "" ? {} : keptForGood(server));
}

const YEAR_MILLIS = 365 * 86_400_000;

const keptForGood = ({ clock }: ServerContext): Record<string, string> => ({
  "cache-control": "public, immutable",
  expires: new Date(clock.now() + YEAR_MILLIS).toUTCString(),
});
