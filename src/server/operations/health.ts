/**
 * `/livez`, `/readyz` and `/healthz`: is the process well, may it be given work.
 *
 * A check is named; `?verbose` tells each, `?exclude=NAME` leaves some out, `/livez/NAME` asks one. The texts have the
 * form that operators know from kube-apiserver.
 *
 * @module
 */
import type { RouteAnswer, ServerContext } from "../request/context.ts";
import type { HealthCheck } from "./health-check.ts";
import type { ServerRequest } from "../request/request.ts";

type Endpoint = "livez" | "readyz" | "healthz";

/** Answers a health endpoint, all checks or `one`; false when that does not exist. */
export function answerHealth(
  server: ServerContext,
  request: ServerRequest,
  endpoint: Endpoint,
  one: string,
): RouteAnswer {
  const checks = checksOf(server, endpoint).filter(({ name }) => one === "" || name === one);
  if (checks.length === 0) return false;
  const excluded = new Set(request.query.all("exclude"));
  const lines: string[] = [];
  const failed: string[] = [];
  for (const { name, check, advises } of checks) {
    if (excluded.has(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    const wrong = check();
    if (advises && wrong !== undefined) {
      lines.push(`[!]${name} ${wrong}`);
      continue;
    }
    if (wrong !== undefined) {
      failed.push(name);
      server.log.error("a health check fails", { check: name, wrong }, name);
    }
    lines.push(wrong === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`);
  }
  answerText(request, endpoint, one, lines, failed);
}

function answerText(request: ServerRequest, endpoint: Endpoint, one: string, lines: string[], failed: string[]): void {
  const verbose = request.query.has("verbose") && one === "";
  const bad = failed.length > 0;
  const verdict = bad ? `${endpoint} check failed` : `${endpoint} check passed`;
  const text = bad || verbose ? `${[...lines, verdict].join("\n")}\n` : "ok";
  const headers = request.headers("text/plain; charset=utf-8");
  headers["x-content-type-options"] = "nosniff";
  request.respond(bad ? 500 : 200, headers, Buffer.from(text));
}

/** Who is answered knows that they hold: the server answers, and what it has to say is logged before it goes on. */
const ANSWERED: readonly HealthCheck[] = ["ping", "log"].map((name) => ({ name, check: () => undefined }));

function checksOf(server: ServerContext, endpoint: Endpoint): readonly HealthCheck[] {
  const all = [...ANSWERED, ...server.health];
  if (endpoint !== "readyz") return all.filter(({ live }) => live !== false);
  return [...all, { name: "shutdown", live: false, check: () => (server.closing() ? "shutting down" : undefined) }];
}
