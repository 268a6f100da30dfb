/**
 * `/livez`, `/readyz` and `/healthz`: whether the process is healthy, and whether it accepts requests.
 *
 * A check has a name; `?verbose` shows each, `?exclude=NAME` leaves some out, `/livez/NAME` runs one. The texts have the
 * form that operators know from kube-apiserver.
 *
 * @module
 */
import type { HttpResponse } from "../request/response.ts";
import type { Route, RouteResult, ServerContext } from "../request/context.ts";

/** A check of one condition. */
export interface HealthCheck {
  readonly name: string;
  /** False for a condition that stops requests and that a restart does not repair: it is a check of `/readyz`, and not of `/livez`. */
  readonly live?: boolean;
  /** True for a condition that people should know and that neither a restart nor another server repairs: it is shown, and never fails. */
  readonly advises?: boolean;
  /** Undefined when the check passes, else a description for the log. */
  readonly check: () => string | undefined;
}

type Endpoint = "livez" | "readyz" | "healthz";

/** Health is public: load balancers read it, and people who cannot log in. */
export const healthRoutes = (checks: readonly HealthCheck[]): readonly Route[] =>
  (["healthz", "livez", "readyz"] as const).flatMap((endpoint) => {
    const handle: Route["handle"] = (server, { response }, { check = "" }) =>
      respondWithHealth(server, response, checksOf(server, checks, endpoint), endpoint, check);
    return [
      { path: `/${endpoint}`, public: true, handle },
      { path: `/${endpoint}/{check...}`, public: true, handle },
    ];
  });

/** Responds with all checks or `one`; false when that does not exist. */
function respondWithHealth(
  { log }: ServerContext,
  response: HttpResponse,
  all: readonly HealthCheck[],
  endpoint: Endpoint,
  one: string,
): RouteResult {
  const checks = all.filter(({ name }) => one === "" || name === one);
  if (checks.length === 0) return false;
  const { query } = response.incoming;
  const excluded = new Set(query.all("exclude"));
  const results = checks.map((check) => resultOf(check, excluded.has(check.name), log));
  const bad = results.some(({ failed }) => failed);
  const verbose = query.has("verbose") && one === "";
  const verdict = `${endpoint} check ${bad ? "failed" : "passed"}`;
  const text = bad || verbose ? `${[...results.map(({ line }) => line), verdict].join("\n")}\n` : "ok";
  const headers = { ...response.headers("text/plain; charset=utf-8"), "x-content-type-options": "nosniff" };
  response.respond(bad ? 500 : 200, headers, Buffer.from(text));
}

/** The line of a check, and whether it has failed. */
interface CheckResult {
  readonly line: string;
  readonly failed: boolean;
}

function resultOf({ name, check, advises }: HealthCheck, isExcluded: boolean, log: ServerContext["log"]): CheckResult {
  if (isExcluded) return { line: `[+]${name} excluded: ok`, failed: false };
  const wrong = check();
  if (wrong === undefined) return { line: `[+]${name} ok`, failed: false };
  if (advises) return { line: `[!]${name} ${wrong}`, failed: false };
  log.error("a health check fails", { check: name, wrong }, name);
  return { line: `[-]${name} failed: reason withheld`, failed: true };
}

/** A server that responds has passed these: it runs, and it logs before it continues. */
const ALWAYS_PASSED: readonly HealthCheck[] = ["ping", "log"].map((name) => ({ name, check: () => undefined }));

function checksOf(server: ServerContext, checks: readonly HealthCheck[], endpoint: Endpoint): readonly HealthCheck[] {
  const all = [...ALWAYS_PASSED, ...checks];
  if (endpoint !== "readyz") return all.filter(({ live }) => live !== false);
  return [...all, { name: "shutdown", live: false, check: () => (server.closing() ? "shutting down" : undefined) }];
}
