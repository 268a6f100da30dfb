/**
 * Requests in the name of another user: `kubectl --as` and `--as-group`, sent as `Impersonate-User`, `Impersonate-Group`,
 * `Impersonate-Uid` and `Impersonate-Extra-KEY` (AUTHN-43..50).
 *
 * Their sender needs the verb `impersonate` for each; the request itself has the rights of the other user.
 *
 * @module
 */
import { ANONYMOUS } from "../../auth/contract.ts";
import { dnsLabel, dnsSubdomain } from "../../meta/names.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import { unescaped } from "../../meta/unescaped.ts";
import type { ServerContext } from "../request/context.ts";
import type { SentRequest } from "../request/exchange.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Loop } from "../../util/loop.ts";
import type { Filter } from "./contract.ts";
import { permitSurely } from "../request/permission.ts";

const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";
const ACCOUNT = "system:serviceaccount:";
const HEADERS = "impersonate-";
const EXTRA = "impersonate-extra-";

/** How many groups and further attributes the other user may have; each is authorized by itself. */
const MAX_VALUES = 1000;

/** Replaces the sender by the other user; refuses with Forbidden where the sender may not impersonate that user. */
export const impersonate: Filter = { name: "impersonate", enter };

/** Further attributes by their key. */
type Extra = Map<string, string[]>;

/** The user that a request names. */
interface Other {
  readonly user: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
  /** Empty for none. */
  readonly uid: string;
}

function enter(server: ServerContext, request: ServerRequest): void | Promise<void> {
  const { sent } = request.incoming;
  if (!sent.hasHeaders(HEADERS)) return undefined;
  const names = sent.headerNames().filter((name) => name.startsWith(HEADERS));
  const user = first(sent, "impersonate-user");
  const groups = sent.lines("impersonate-group");
  const extras = names.filter((name) => name.startsWith(EXTRA));
  // Each name has one value at least: too many are refused before any of them is read.
  checkCount(groups.length + extras.length);
  const uid = first(sent, "impersonate-uid");
  if (user !== "") return become(server, request, { user, groups, uid }, extras);
  if (groups.length > 0 || extras.length > 0 || uid !== "") {
    throw badRequest("expected Impersonate-User together with the other headers, got none");
  }
}

const first = (sent: SentRequest, name: string): string => sent.lines(name)[0] ?? "";

function checkCount(found: number): void {
  if (found <= MAX_VALUES) return;
  throw badRequest(
    `expected at most ${MAX_VALUES} values of Impersonate-Group and Impersonate-Extra-* together, found more`,
  );
}

/**
 * The further attributes of the other user by their key; those with the same key are one (AUTHN-48).
 *
 * @param names of the headers that have them
 * @param groups how many values there are already
 */
async function extraOf(loop: Loop, sent: SentRequest, names: readonly string[], groups: number): Promise<Extra> {
  const extra: Extra = new Map();
  const limit = loop.slice();
  let count = groups;
  for (const name of names) {
    if (limit.isOver) await limit.pause();
    const values = sent.lines(name);
    checkCount((count += values.length));
    const key = unescaped(name.slice(EXTRA.length));
    const known = extra.get(key);
    if (known) known.push(...values);
    else extra.set(key, [...values]);
  }
  return extra;
}

async function become(
  server: ServerContext,
  request: ServerRequest,
  named: Omit<Other, "extra">,
  extras: readonly string[],
): Promise<void> {
  const extra = await extraOf(server.clock.loop, request.incoming.sent, extras, named.groups.length);
  const other: Other = { ...named, extra };
  const limit = server.clock.loop.slice();
  for (const what of needed(other)) {
    if (limit.isOver) await limit.pause();
    await permitSurely(server, request.identity, { ...QUESTION, ...what });
  }
  const { user, uid } = other;
  request.sender = request.identity;
  request.identity = {
    user,
    groups: groupsOf(other),
    ...(uid === "" ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** What the sender must be allowed to impersonate, in the order in which it is authorized (AUTHN-45). */
function needed({ user, groups, uid, extra }: Other): Partial<RequestInfo>[] {
  const extras = [...extra].flatMap(([key, values]) =>
    values.map((name) => ({ ...AUTHENTICATION, resource: "userextras", subresource: key, name })),
  );
  return [
    subject(user),
    ...groups.map((name) => ({ resource: "groups", name })),
    ...extras,
    ...(uid === "" ? [] : [{ ...AUTHENTICATION, resource: "uids", name: uid }]),
  ];
}

function subject(user: string): Partial<RequestInfo> {
  const account = accountOf(user);
  return account ? { resource: "serviceaccounts", ...account } : { resource: "users", name: user };
}

/** The service account of a user name; undefined for users and for names that no account can have (AUTHN-44). */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(ACCOUNT)) return undefined;
  const [namespace = "", name = "", ...more] = user.slice(ACCOUNT.length).split(":", 3);
  if (more.length > 0 || dnsLabel(namespace) !== undefined || dnsSubdomain(name) !== undefined) return undefined;
  return { namespace, name };
}

/** The groups that were named, or those of every account, and whether the user is authenticated (AUTHN-15, AUTHN-47). */
function groupsOf({ user, groups }: Other): readonly string[] {
  if (user === ANONYMOUS.user) return groups.includes(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  const account = groups.length === 0 ? accountOf(user) : undefined;
  const all = account ? ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`] : groups;
  return all.includes(AUTHENTICATED) || all.includes(UNAUTHENTICATED) ? all : [...all, AUTHENTICATED];
}

const QUESTION: RequestInfo = { ...NO_REQUEST, isResource: true, verb: "impersonate" };
const AUTHENTICATION = { group: "authentication.k8s.io", version: "v1" };
