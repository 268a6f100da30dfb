/**
 * The endpoints of OpenAPI v3, with ETags, and with documents that clients may keep for good when they ask by hash.
 *
 * @module
 */
import { unknownPath } from "../meta/status.ts";
import type { ServerContext } from "./context.ts";
import { answerDocument } from "./etag.ts";
import { JSON_ONLY } from "./negotiate.ts";
import { ROOT } from "./openapi.ts";
import type { ServerRequest } from "./request.ts";

/** Whether a path belongs to OpenAPI v3. */
export const isOpenApiPath = (path: string): boolean =>
  path === ROOT || (path.startsWith(`${ROOT}/`) && path.length > ROOT.length + 1);

/** Answers a path of OpenAPI v3. */
export async function answerOpenApi(server: ServerContext, request: ServerRequest, path: string): Promise<void> {
  request.format(JSON_ONLY);
  if (path === ROOT) {
    await answerDocument(server, request, await server.openApi.index(), "application/json");
    return;
  }
  const name = path.slice(ROOT.length + 1);
  const document = server.openApi.document(name);
  if (!document) throw unknownPath();
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
