/**
 * The discovery endpoints: `/api`, `/apis` and what is below, plain or aggregated, with ETags (clients.md 1.2).
 *
 * @module
 */
import { unknownPath } from "../../meta/status.ts";
import type { RouteAnswer, ServerContext } from "../context.ts";
import { type Group, aggregated, apiGroup, apiGroupList, apiResourceList, apiVersions } from "./discovery-documents.ts";
import { contentType, valueInForm } from "../answer/encode.ts";
import { answerDocument } from "../answer/etag.ts";
import { type Clause, DOCUMENT, clausesOf } from "../answer/negotiate.ts";
import type { ServerRequest } from "../request.ts";

const AGGREGATED_TYPE = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** `/apis/GROUP`: false when the group is not known. */
export function answerGroup(
  server: ServerContext,
  request: ServerRequest,
  name: string,
): RouteAnswer | Promise<RouteAnswer> {
  const group = server.discovery.groups.find((one) => one.name === name);
  return group ? answerPlain(server, request, `/apis/${name}`, () => apiGroup(group)) : false;
}

/** `/apis/GROUP/VERSION`, or `/api/VERSION` of the core group: false when the group is not known. */
export function answerResources(
  server: ServerContext,
  request: ServerRequest,
  name: string,
  version: string,
): RouteAnswer | Promise<RouteAnswer> {
  const group = server.discovery.groups.find((one) => one.name === name);
  if (!group) return false;
  const found = group.versions.find((one) => one.version === version);
  if (!found) throw unknownPath();
  const path = name === "" ? `/api/${version}` : `/apis/${name}/${version}`;
  return answerPlain(server, request, path, () => apiResourceList(found));
}

/** `/api` or `/apis`: aggregated for whoever asks for it, wherever in the Accept header. */
export function answerGroups(server: ServerContext, request: ServerRequest, core: boolean): void | Promise<void> {
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
