import { type Auditing, DEFAULT_FILTERS, type Filter, accessLog, audit, withFilter } from "../../server/index.ts";
import type { Tracing } from "../tracing/open-tracing.ts";

/** Returns the filters of a server, with those for audit, for a log of requests and for tracing if they are given. */
export function filtersWith(
  auditing: Auditing | undefined,
  onRequest: Parameters<typeof accessLog>[0] | undefined,
  tracing: Tracing | undefined,
): readonly Filter[] {
  const audited = auditing ? withFilter(audit(auditing), { after: "authenticate" }) : DEFAULT_FILTERS;
  const logged = onRequest ? withFilter(accessLog(onRequest), { after: "audit id" }, audited) : audited;
  return tracing?.traced(logged) ?? logged;
}
