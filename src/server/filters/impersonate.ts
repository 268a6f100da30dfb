/**
 * Requests in somebody else's name: `kubectl --as` and `--as-group`, sent as `Impersonate-User`, `Impersonate-Group`,
 * `Impersonate-Uid` and `Impersonate-Extra-KEY`.
 *
 * Who sends them needs the verb `impersonate` for each; what follows is asked with the rights of the other.
 *
 * @module
 */
import { ANONYMOUS, type Identity } from "../../auth/contract.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import type { ServerContext } from "../context.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Filter } from "./contract.ts";
import { permit } from "./permission.ts";
import type { ServerRequest } from "../request.ts";

const AUTHENTICATED = "system:authenticated";
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const EXTRA = "impersonate-extra-";

/** How many groups and further attributes somebody may have; each is asked about by itself. */
const MOST_VALUES = 1000;

/** Puts the other in the place of the sender; refuses with Forbidden where the sender may not. */
export const impersonate: Filter = { name: "impersonate", enter };

function enter(server: ServerContext, request: ServerRequest): void | Promise<void> {
  const { exchange } = request;
  const user = exchange.header("impersonate-user");
  const uid = exchange.header("impersonate-uid");
  const groups = list(exchange.header("impersonate-group"));
  const extra = extraOf(exchange);
  checkCount(groups.length + Object.values(extra ?? {}).flat().length);
  if (user !== "") {
    return become(server, request, { user, groups, ...(uid === "" ? {} : { uid }), ...(extra ? { extra } : {}) });
  }
  if (groups.length > 0 || uid !== "" || extra) {
    throw badRequest("expected Impersonate-User beside the other headers, got none");
  }
}

function checkCount(found: number): void {
  if (found <= MOST_VALUES) return;
  throw badRequest(
    `expected at most ${MOST_VALUES} values of Impersonate-Group and Impersonate-Extra-* together, found ${found}`,
  );
}

// Node joins what was sent several times.
const list = (header: string): string[] =>
  header === ""
    ? []
    : header
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");

/** The further attributes of the other, by name in lower case; undefined where there are none. */
function extraOf(exchange: Exchange): Record<string, readonly string[]> | undefined {
  const names = exchange.headerNames().filter((name) => name.startsWith(EXTRA));
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [unescaped(name.slice(EXTRA.length)), list(exchange.header(name))]));
}

/** A name that a header cannot spell is sent with percent escapes; what is no escape stands for itself. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

async function become(server: ServerContext, request: ServerRequest, other: Identity): Promise<void> {
  for (const what of needed(other)) await permit(server, request, { ...QUESTION, ...what });
  request.identity = { ...other, groups: groupsOf(other) };
}

/** What the sender has to be allowed to impersonate. */
function needed({ user, groups, uid, extra }: Identity): Partial<RequestInfo>[] {
  const extras = Object.entries(extra ?? {}).flatMap(([key, values]) =>
    values.map((name) => ({ ...AUTHENTICATION, resource: "userextras", subresource: key, name })),
  );
  return [
    subject(user),
    ...groups.map((name) => ({ resource: "groups", name })),
    ...(uid === undefined ? [] : [{ ...AUTHENTICATION, resource: "uids", name: uid }]),
    ...extras,
  ];
}

function subject(user: string): Partial<RequestInfo> {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  if (namespace && name) return { resource: "serviceaccounts", namespace, name };
  return { resource: "users", name: user };
}

/** The groups that were named, or those that everybody of the kind has, and whether somebody is known at all. */
function groupsOf({ user, groups }: Identity): readonly string[] {
  if (user === ANONYMOUS.user) return groups.length > 0 ? groups : ANONYMOUS.groups;
  const [, namespace] = SERVICE_ACCOUNT.exec(user) ?? [];
  const all =
    namespace && groups.length === 0 ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`] : groups;
  return all.includes(AUTHENTICATED) ? all : [...all, AUTHENTICATED];
}

const QUESTION: RequestInfo = { ...NO_REQUEST, isResource: true, verb: "impersonate" };
const AUTHENTICATION = { group: "authentication.k8s.io", version: "v1" };
