/**
 * Requests in somebody else's name: `kubectl --as` and `--as-group`, sent as `Impersonate-User`, `Impersonate-Group` and
 * `Impersonate-Uid`.
 *
 * Who sends them needs the verb `impersonate` for each; what follows is asked with the rights of the other.
 *
 * @module
 */
import { ANONYMOUS, type Identity } from "../../auth/contract.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import type { ServerContext } from "../context.ts";
import type { Filter } from "./contract.ts";
import { permit } from "./permission.ts";
import type { ServerRequest } from "../request.ts";

const AUTHENTICATED = "system:authenticated";
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Puts the other in the place of the sender; refuses with Forbidden where the sender may not. */
export const impersonate: Filter = { name: "impersonate", enter };

function enter(server: ServerContext, request: ServerRequest): void | Promise<void> {
  const user = request.exchange.header("impersonate-user");
  const groups = list(request.exchange.header("impersonate-group"));
  const uid = request.exchange.header("impersonate-uid");
  if (user !== "") return become(server, request, { user, groups, ...(uid === "" ? {} : { uid }) });
  if (groups.length > 0 || uid !== "") throw badRequest("expected Impersonate-User beside the other headers, got none");
}

// Node joins what was sent several times.
const list = (header: string): string[] => header.split(/ *, */).filter((name) => name !== "");

async function become(server: ServerContext, request: ServerRequest, other: Identity): Promise<void> {
  const needed = [
    subject(other.user),
    ...other.groups.map((name) => ({ group: "", resource: "groups", namespace: "", name })),
    ...(other.uid === undefined
      ? []
      : [{ group: "authentication.k8s.io", resource: "uids", namespace: "", name: other.uid }]),
  ];
  for (const what of needed) await permit(server, request, { ...QUESTION, ...what });
  request.identity = { ...other, groups: groupsOf(other) };
}

function subject(user: string): Pick<RequestInfo, "group" | "resource" | "namespace" | "name"> {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  if (namespace && name) return { group: "", resource: "serviceaccounts", namespace, name };
  return { group: "", resource: "users", namespace: "", name: user };
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
