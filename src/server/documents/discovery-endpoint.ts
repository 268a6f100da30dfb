/**
 * The discovery endpoints: `/api`, `/apis` and what is below, plain or aggregated, with ETags (clients.md 1.2).
 *
 * @module
 */
import { unknownPath } from "../../meta/status.ts";
import type { ServerContext } from "../context.ts";
import { type Group, aggregated, apiGroup, apiGroupList, apiResourceList, apiVersions } from "./discovery-documents.ts";
import { contentType, valueInForm } from "../answer/encode.ts";
import { answerDocument } from "../answer/etag.ts";
import { type Clause, DOCUMENT, clausesOf } from "../answer/negotiate.ts";
import type { ServerRequest } from "../request.ts";

const AGGREGATED_TYPE = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Whether a path without slashes at its end is one of discovery: `/api`, `/apis/GROUP/VERSION` ... */
export function isDiscoveryPath(path: string): boolean {
  const parts = path.split("/");
  return (parts[1] === "api" && parts.length <= 3) || (parts[1] === "apis" && parts.length <= 4);
}

/** Answers a discovery path; false when its group is not known. */
export function answerDiscovery(
  server: ServerContext,
  request: ServerRequest,
  path: string,
): boolean | Promise<boolean> {
  const [, root, a, b] = path.split("/");
  const { groups } = server.discovery;
  const done = (answer: void | Promise<void>): boolean | Promise<boolean> => (answer ? answer.then(() => true) : true);
  if (a === undefined) return done(answerRoot(server, request, root === "api"));
  const group = groups.find(({ name }) => name === (root === "api" ? "" : a));
  if (!group) return false;
  const version = root === "api" ? a : b;
  if (version === undefined) return done(answerPlain(server, request, path, () => apiGroup(group)));
  const found = group.versions.find((one) => one.version === version);
  if (!found) throw unknownPath();
  return done(answerPlain(server, request, path, () => apiResourceList(found)));
}

/** `/api` or `/apis`: aggregated for whoever asks for it, wherever in the Accept header. */
function answerRoot(server: ServerContext, request: ServerRequest, core: boolean): void | Promise<void> {
  const clause = clausesOf(request.exchange.header("accept")).find(wantsAggregated);
  if (!clause) {
    return answerPlain(server, request, core ? "/api" : "/apis", core ? apiVersions : apiGroupList);
  }
  const { pretty } = request;
  const media = clause.media === "yaml" ? "yaml" : "json";
  const id = `aggregated ${core} ${media} ${pretty}`;
  const document = server.discovery.document(id, (groups) =>
    valueInForm(aggregated(groups.filter(({ name }) => (name === "") === core)), {
      media,
      shape: "",
      version: "",
      pretty,
    }),
  );
  return answerDocument(server, request, document, `application/${media};${AGGREGATED_TYPE}`);
}

const wantsAggregated = ({ media, as, group, version }: Clause): boolean =>
  media !== "other" &&
  media !== "protobuf" &&
  as === "APIGroupDiscoveryList" &&
  group === "apidiscovery.k8s.io" &&
  version === "v2";

function answerPlain(
  server: ServerContext,
  request: ServerRequest,
  path: string,
  make: (groups: readonly Group[]) => object,
): void | Promise<void> {
  const format = request.format(DOCUMENT);
  const id = `${path} ${format.media} ${format.pretty}`;
  const document = server.discovery.document(id, (groups) => valueInForm(make(groups), format));
  return answerDocument(server, request, document, contentType(format));
}
