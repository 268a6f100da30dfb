/**
 * Reads from the server of a kubeconfig what `server.ts` checks.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { type ChosenContext, candidatesOf } from "../../client/kubeconfig/context.ts";
import { NoKubeconfigError } from "../../client/kubeconfig/error.ts";
import { chooseContext, openContext } from "../../client/kubeconfig/open.ts";
import { baseOf } from "../../client/transport-base.ts";
import { proxyFor } from "../../client/transport-proxy.ts";
import type { Transport } from "../../client/transport.ts";
import type { Clock } from "../../util/clock.ts";
import { messageOf } from "../../util/error.ts";
import { isObject } from "../../value/value.ts";
import type { Actions } from "../actions.ts";
import { readShort } from "../ask-server.ts";
import type { ServerFlags } from "../connect-flags.ts";
import { type Check, fail, warn } from "./check.ts";
import type { ServerFindings } from "./server.ts";

/** The timeout for all responses of the server. */
const LIMIT_MS = 2500;

/** The context of the kubeconfig, or a failed check with the reason. */
export async function contextOrCheck(
  actions: Pick<Actions, "terminal">,
  flags: ServerFlags,
): Promise<ChosenContext | Check> {
  const { env } = actions.terminal;
  try {
    return await chooseContext({ ...flags, env });
  } catch (error) {
    if (!(error instanceof NoKubeconfigError))
      return fail("kubeconfig", messageOf(error), "correct the file, or name another one");
    const where = candidatesOf({ env }).join(", ");
    return warn("kubeconfig", `none at ${where}`, "start a server, and export KUBECONFIG as it prints");
  }
}

/** The proxy of the environment for a server; undefined for none. */
export function proxyOfContext(actions: Pick<Actions, "terminal">, { transport }: ChosenContext): string | undefined {
  try {
    return transport.proxy ?? proxyFor(baseOf(transport.url), actions.terminal.env);
  } catch {
    return undefined;
  }
}

/** Requests the version and the time of a server, the user, and the rights of the user. */
export async function askFindings(
  actions: Pick<Actions, "terminal" | "clock" | "version">,
  context: ChosenContext,
): Promise<ServerFindings> {
  const { clock } = actions;
  const transport = openContext(context, { env: actions.terminal.env });
  const ending = new AbortController();
  const timer = clock.after(LIMIT_MS, () => ending.abort(), { holds: true });
  const ask = asking(transport, `keelson/${actions.version}`, ending.signal);
  const known = { context: context.name, url: context.transport.url, certificateEnds: endOf(context) };
  try {
    const { status, json, date } = await ask("GET", "/version");
    const skewMillis = skewOf(date, clock);
    if (status !== 200)
      return { ...known, version: `responded with ${status}`, skewMillis, user: undefined, isAdmin: undefined };
    const gitVersion = textAt(json, "gitVersion");
    return { ...known, version: gitVersion === undefined ? {} : { gitVersion }, skewMillis, ...(await rightsOf(ask)) };
  } catch (error) {
    const why = ending.signal.aborted ? `no response within ${LIMIT_MS} ms` : messageOf(error);
    return { ...known, version: why, skewMillis: undefined, user: undefined, isAdmin: undefined };
  } finally {
    timer.cancel();
    transport.close();
  }
}

interface JsonResponse {
  readonly status: number;
  readonly json: unknown;
  readonly date: string | undefined;
}

type Ask = (method: "GET" | "POST", path: string, body?: object) => Promise<JsonResponse>;

const asking =
  (transport: Transport, agent: string, signal: AbortSignal): Ask =>
  async (method, path, body) => {
    const headers = { "user-agent": agent, "content-type": "application/json", accept: "application/json" };
    const response = await transport({
      method,
      path,
      headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await readShort(response.body);
    const { date } = response.headers ?? {};
    return { status: response.status, json: parsed(text), date: typeof date === "string" ? date : undefined };
  };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The longest text of a server that is displayed. */
const MAX_TEXT = 300;

/** The text at a path of a response, which may be from any server. */
function textAt(json: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(json, ...path);
  return typeof found === "string" ? found.slice(0, MAX_TEXT) : undefined;
}

const valueAt = (json: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, member) => (isObject(value) ? value[member] : undefined), json);

/** The groups of reviews in the two dialects. */
const DOMAINS = ["k8s.io", "svc.io"];

async function rightsOf(ask: Ask): Promise<Pick<ServerFindings, "user" | "isAdmin">> {
  for (const domain of DOMAINS) {
    const authorization = `authorization.${domain}/v1`;
    const access = await ask("POST", `/apis/${authorization}/selfsubjectaccessreviews`, {
      apiVersion: authorization,
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb: "*", group: "*", resource: "*" } },
    });
    if (access.status === 404) continue;
    const authentication = `authentication.${domain}/v1`;
    const self = await ask("POST", `/apis/${authentication}/selfsubjectreviews`, {
      apiVersion: authentication,
      kind: "SelfSubjectReview",
    });
    const username = textAt(self.json, "status", "userInfo", "username");
    const allowed = valueAt(access.json, "status", "allowed");
    return {
      user: username ?? (access.status === 401 ? "system:anonymous" : undefined),
      isAdmin: access.status === 401 ? false : typeof allowed === "boolean" ? allowed : undefined,
    };
  }
  return { user: undefined, isAdmin: undefined };
}

function endOf({ transport: { cert } }: ChosenContext): number | undefined {
  try {
    return cert === undefined ? undefined : new X509Certificate(cert).validToDate.getTime();
  } catch {
    return undefined;
  }
}

/** The `date` of a response has whole seconds. */
function skewOf(date: string | undefined, clock: Pick<Clock, "now">): number | undefined {
  const time = Date.parse(date ?? "");
  if (Number.isNaN(time)) return undefined;
  const ahead = time - clock.now();
  return ahead > 0 ? ahead : Math.min(0, ahead + 1000);
}
