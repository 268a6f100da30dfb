import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Filter } from "./contract.ts";

/** What is told of a request: neither its query nor its body, which may hold secrets. */
export interface AccessEntry {
  /** When its last byte was sent, RFC 3339. */
  readonly time: string;
  readonly client: string;
  readonly user: string;
  readonly method: string;
  readonly path: string;
  readonly verb: string;
  /** `pods/status`, `leases.coordination.k8s.io`; empty for what is no resource. */
  readonly resource: string;
  readonly code: number;
  /** Of the body, before compression; 0 where it came in pieces. */
  readonly bytes: number;
  readonly millis: number;
  readonly userAgent: string;
  readonly auditId: string;
}

/** Of all that a client sends. */
const MOST_TEXT = 1000;

/** Tells of each request from a socket when it is over; of a watch, too. */
export const accessLog = (tell: (entry: AccessEntry) => void): Filter => ({
  name: "access log",
  ended: (server, request) => {
    if (request.exchange.identity === undefined) tell(entryOf(server, request));
  },
});

function entryOf({ clock }: ServerContext, request: ServerRequest): AccessEntry {
  const { exchange, identity, info } = request;
  return {
    time: new Date(clock.now()).toISOString(),
    client: exchange.connection.address,
    user: identity.user.slice(0, MOST_TEXT),
    method: exchange.method.slice(0, MOST_TEXT),
    path: request.rawPath.slice(0, MOST_TEXT),
    verb: info?.verb.slice(0, MOST_TEXT) ?? "",
    resource: resourceOf(request),
    code: request.code,
    bytes: request.bytesOut,
    millis: Math.round((clock.steady() - request.startedAt) * 10) / 10,
    userAgent: request.userAgent.slice(0, MOST_TEXT),
    auditId: request.auditId.slice(0, MOST_TEXT),
  };
}

function resourceOf({ resource, info }: ServerRequest): string {
  if (!resource || !info) return "";
  const { group, plural } = resource.definition;
  const name = group === "" ? plural : `${plural}.${group}`;
  return info.subresource === "" ? name : `${name}/${info.subresource}`;
}
