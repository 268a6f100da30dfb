/**
 * The endpoints of OpenAPI v3, with ETags, and with documents that clients may keep for good when they ask by hash; and
 * the one of OpenAPI v2, as JSON or as protobuf.
 *
 * @module
 */
import { otherDialectHint } from "../../meta/dialect.ts";
import { unknownPath } from "../../meta/status.ts";
import type { ServerContext } from "../request/context.ts";
import { answerDocument } from "./answer-document.ts";
import { type Clause, clausesOf } from "../answer/negotiate.ts";
import { ROOT, type V2Form } from "./openapi.ts";

export { ROOT } from "./openapi.ts";
import type { ServerRequest } from "../request/request.ts";

/** Where the document of OpenAPI v2 is. */
export const V2 = "/openapi/v2";

/** The first is what older clients ask for; the answer has the second name, whichever was asked for. */
const V2_PROTOBUF = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
] as const;

/** Answers with the document of OpenAPI v2. */
export async function answerOpenApiV2(server: ServerContext, request: ServerRequest): Promise<void> {
  const form = v2Form(request.exchange.header("accept"));
  if (!form) return notGiven(request);
  const type = form === "json" ? "application/json" : V2_PROTOBUF[1];
  await answerDocument(server, request, await server.openApi.v2(form), type);
}

const takesJson = ({ media }: Clause): boolean => media === "json" || media === "any" || media === "application";

/** The form that a client takes first; undefined when it takes none. */
function v2Form(accept: string): V2Form | undefined {
  for (const clause of clausesOf(accept)) {
    if (takesJson(clause)) return "json";
    if (V2_PROTOBUF.some((name) => name === clause.type)) return "protobuf";
  }
  return undefined;
}

/** 406 as the reference has it for these documents: without a body. */
function notGiven(request: ServerRequest): void {
  const { "content-type": _, ...headers } = request.headers("");
  request.respond(406, { ...headers, vary: "Accept" });
}

/** Answers with the index of OpenAPI v3: JSON, whatever the client takes, and under which name the dialect says. */
export async function answerOpenApiIndex(server: ServerContext, request: ServerRequest): Promise<void> {
  const type = server.dialect.rules.openApiIndexIsPlain ? "text/plain; charset=utf-8" : "application/json";
  await answerDocument(server, request, await server.openApi.index(), type);
}

/** Answers with a document of OpenAPI v3 by its name in the index. */
export async function answerOpenApi(server: ServerContext, request: ServerRequest, name: string): Promise<void> {
  const document = await server.openApi.document(name);
  // `apis/GROUP/VERSION`.
  if (!document) throw unknownPath(otherDialectHint(name.split("/")[1] ?? "", server.dialect));
  if (!clausesOf(request.exchange.header("accept")).some(takesJson)) return notGiven(request);
  const asked = request.query.text("hash");
  if (asked !== "" && asked !== document.hash) {
    const headers = request.headers("application/json");
    headers["location"] = `${ROOT}/${name}?hash=${document.hash}`;
    request.respond(301, headers);
    return;
  }
  await answerDocument(server, request, document, "application/json", asked === "" ? {} : keptForGood(server));
}

const YEAR_MILLIS = 365 * 86_400_000;

const keptForGood = ({ clock }: ServerContext): Record<string, string> => ({
  "cache-control": "public, immutable",
  expires: new Date(clock.now() + YEAR_MILLIS).toUTCString(),
});
