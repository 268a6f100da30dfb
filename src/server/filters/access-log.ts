import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Filter } from "./contract.ts";

/** A request as the access log has it: without its query and its body, which may hold secrets. */
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

/** Of each text that a client sends. */
const MAX_TEXT_LENGTH = 1000;

/** Logs each request from a socket when it is over; a watch, too. */
export const accessLog = (log: (entry: AccessEntry) => void): Filter => ({
  name: "access log",
  ended: (server, request) => {
    if (request.incoming.sent.identity === undefined) log(entryOf(server, request));
  },
});

function entryOf({ clock }: ServerContext, request: ServerRequest): AccessEntry {
  const { incoming, identity, info, response } = request;
  const { method, connection } = incoming.sent;
  return {
    time: new Date(clock.now()).toISOString(),
    client: connection.address,
    user: identity.user.slice(0, MAX_TEXT_LENGTH),
    method: method.slice(0, MAX_TEXT_LENGTH),
    path: incoming.rawPath.slice(0, MAX_TEXT_LENGTH),
    verb: info.verb.slice(0, MAX_TEXT_LENGTH),
    resource: resourceOf(request),
    code: response.code,
    bytes: response.bytesOut,
    millis: Math.round((clock.steady() - incoming.startedAt) * 10) / 10,
    userAgent: incoming.userAgent.slice(0, MAX_TEXT_LENGTH),
    auditId: response.auditId.slice(0, MAX_TEXT_LENGTH),
  };
}

function resourceOf({ resource, info }: ServerRequest): string {
  if (!resource) return "";
  const { group, plural } = resource.definition;
  const name = group === "" ? plural : `${plural}.${group}`;
  return info.subresource === "" ? name : `${name}/${info.subresource}`;
}
