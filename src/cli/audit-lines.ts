import type { LoggedEvent } from "../audit/index.ts";
import { fit, padTo } from "../util/width.ts";

/** The head of the table. */
export const AUDIT_HEAD = line("TIME", "USER", "VERB", "CODE", "OBJECT");

/** Formats an event as a line of the table. */
export function auditLine(event: LoggedEvent): string {
  const { user, impersonatedUser, verb, responseStatus, stageTimestamp } = event;
  const sender = user?.username ?? "-";
  const who = impersonatedUser ? `${impersonatedUser.username ?? ""} (by ${sender})` : sender;
  return line(`${stageTimestamp.slice(0, 23)}Z`, who, verb, String(responseStatus?.code ?? "-"), objectOf(event));
}

function line(time: string, user: string, verb: string, code: string, object: string): string {
  return `${padTo(time, 24)}  ${padTo(fit(user, 32), 32)}  ${padTo(verb, 16)}  ${padTo(code, 4)}  ${object}`;
}

/** Returns `default/pods/web`, `nodes/n1`, or `pods` for a list; the path for a request without an object. */
function objectOf({ objectRef, requestURI = "" }: LoggedEvent): string {
  if (!objectRef) return requestURI;
  const { namespace = "", resource = "", apiGroup = "", name = "", subresource = "" } = objectRef;
  const kind = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  const isItself = resource === "namespaces";
  return [isItself ? "" : namespace, kind, name, subresource].filter((part) => part !== "").join("/");
}
