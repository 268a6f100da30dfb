import { type Auditing, DEFAULT_FILTERS, type Filter, accessLog, audit, withFilter } from "../../server/index.ts";

/** Returns the filters of a server, with those for audit and for a log of requests if they are given. */
export function filtersWith(
  auditing: Auditing | undefined,
  onRequest?: Parameters<typeof accessLog>[0],
): readonly Filter[] {
  const audited = auditing ? withFilter(audit(auditing), { after: "authenticate" }) : DEFAULT_FILTERS;
  return onRequest ? withFilter(accessLog(onRequest), { after: "audit id" }, audited) : audited;
}
