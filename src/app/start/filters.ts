import {
  type Auditing,
  DEFAULT_FILTERS,
  type Filter,
  accessLog,
  audit,
  traced,
  withFilter,
} from "../../server/index.ts";
import type { Tracer } from "../../tracing/tracer.ts";

/** Returns the filters of a server, with those for audit, for a log of requests and for tracing if they are given. */
export function filtersWith(
  auditing: Auditing | undefined,
  onRequest: Parameters<typeof accessLog>[0] | undefined,
  tracer: Tracer | undefined,
): readonly Filter[] {
  const audited = auditing ? withFilter(audit(auditing), { after: "authenticate" }) : DEFAULT_FILTERS;
  const logged = onRequest ? withFilter(accessLog(onRequest), { after: "audit id" }, audited) : audited;
  return tracer ? traced(logged, tracer) : logged;
}
