/**
 * `GET /keelson/v1/why`: why an object is as it is. See docs/guides/why.md.
 *
 *     ?group=&version=v1&resource=persistentvolumeclaims&namespace=default&name=disk     the object
 *     &limit=20                                                                          how many volumes, or nodes, it lists
 *
 * It reads as a client with the identity of the user, so the result contains only objects that the user may read.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import { StatusError } from "../client/errors.ts";
import type { Client } from "../client/index.ts";
import { REPORT_LIMIT } from "../meta/report-limit.ts";
import { ApiError, badRequest } from "../meta/status.ts";
import { WHY_PATH } from "../meta/why-report.ts";
import type { Route } from "../server/index.ts";

/**
 * The route to explanations.
 *
 * @param clientOf makes a client with an identity
 * @param controllers the names of the controllers that run here; undefined where none was started
 */
export const whyRoute = (
  clientOf: (identity: Identity) => Client,
  controllers: () => ReadonlySet<string> | undefined,
): Route => ({
  path: WHY_PATH,
  methods: ["GET"],
  handle: async (server, request) => {
    const { query } = request.incoming;
    const [group, version, resource] = [query.text("group"), query.text("version"), query.text("resource")];
    const [namespace, name] = [query.text("namespace"), query.text("name")];
    const definition = server.registry.find(group, version, resource)?.definition;
    if (!definition) throw badRequest("expected group, version and resource of what is served");
    const { scope, kind, plural } = definition;
    if (name === "" || (namespace !== "") !== (scope === "Namespaced")) {
      throw badRequest(`expected a name and ${scope === "Namespaced" ? "a" : "no"} namespace for ${plural}`);
    }
    const limit = query.number("limit", REPORT_LIMIT);
    const over = new AbortController();
    request.response.responder.onOver(() => over.abort());
    const { explain } = await import("../why/index.ts");
    const subject = {
      kind: { group, version, plural, kind, scope },
      key: namespace === "" ? { name } : { namespace, name },
    };
    const options = { limit, signal: over.signal, controllers: controllers() };
    const report = await explain(clientOf(request.identity), server.dialect, subject, options).catch(throwAsResponse);
    const bytes = Buffer.from(JSON.stringify(report));
    request.response.respond(200, request.response.headers("application/json"), bytes);
  },
});

/** Throws the status of a failed read as the response to the request. */
function throwAsResponse(error: unknown): never {
  if (!(error instanceof StatusError)) throw error;
  const { reason = "InternalError", message = "", details } = error.status;
  throw new ApiError(reason, message, { ...(details ? { details } : {}), cause: error });
}
