/**
 * The node authorizer: the agent of a node may do what an agent needs, on the objects that its node needs.
 *
 * It may read Secrets, ConfigMaps, claims, volumes and accounts that a Pod on its node refers to, and the Node, Lease and
 * CSINode of its own name. The admission plugin NodeRestriction restricts its writes of Pods and Nodes. The authorizer has no
 * opinion on other users, and never denies.
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/node/
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { ALLOWED, NO_OPINION } from "../admin.ts";
import type { Authorizer, Decision, Identity, Rights, AuthContext } from "../contract.ts";
import { Rule, wholeResource } from "../rbac/rule.ts";
import { NodeGraph } from "./node-graph.ts";
import { groupOfRules, nodeOf } from "./node-name.ts";
import { NODE_RULES } from "./node-rules.ts";
import type { Loop } from "../../util/loop.ts";

const LEASE_NAMESPACE = "kube-node-lease";

const NOTHING: Rights = { resourceRules: [], pathRules: [], incomplete: false };
const UNLISTED: Rights = {
  ...NOTHING,
  incomplete: true,
  error: "node authorizer does not support user rule resolution",
};

/** A request of the agent of a node. */
interface NodeRequest {
  readonly node: string;
  readonly info: RequestInfo;
  readonly graph: NodeGraph;
  readonly lookup: Lookup;
}

/** Decides requests for one resource: undefined where it is allowed, else the reason. */
type Check = (request: NodeRequest) => string | undefined;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["secrets", readReferenced],
  ["configmaps", readReferenced],
  [
    "persistentvolumeclaims",
    (request) => (request.info.subresource === "status" ? writeClaimStatus(request) : getReferenced(request)),
  ],
  ["persistentvolumes", getVolume],
  ["resourceclaims.resource.k8s.io", getReferenced],
  ["volumeattachments.storage.k8s.io", (request) => getFault(request) ?? namesNode(request, ["spec", "nodeName"])],
  ["serviceaccounts", useAccount],
  ["leases.coordination.k8s.io", ownLease],
  ["csinodes.storage.k8s.io", ownCsiNode],
  ["resourceslices.resource.k8s.io", resourceSlices],
  ["nodes", ownNode],
  ["pods", ownPods],
  ["podcertificaterequests.certificates.k8s.io", podCertificates],
]);

const made = new WeakMap<Lookup, Authorizer>();

/** Returns the node authorizer of a cluster, always the same one. */
export function nodeAuthorizer({ lookup, api }: AuthContext): Authorizer {
  let authorizer = made.get(lookup);
  if (!authorizer) made.set(lookup, (authorizer = authorizerOver(lookup, api.clock.loop)));
  return authorizer;
}

function authorizerOver(lookup: Lookup, loop: Loop): Authorizer {
  const graph = new NodeGraph(lookup, loop);
  const rules = NODE_RULES.map((rule) => new Rule(rule));
  const byRules = (info: RequestInfo): Decision =>
    info.isResource && rules.some((rule) => rule.allowsSome(info, wholeResource(info))) ? ALLOWED : NO_OPINION;
  return {
    authorize(identity: Identity, info: RequestInfo) {
      const node = nodeOf(identity);
      if (node === undefined) return NO_OPINION;
      if (node === "") return { allowed: false, reason: `unknown node for user ${JSON.stringify(identity.user)}` };
      const group = groupOfRules(info.group);
      const check = info.isResource
        ? CHECKS.get(group === "" ? info.resource : `${info.resource}.${group}`)
        : undefined;
      if (!check) return byRules({ ...info, group });
      const decide = (): Decision => decisionOf(check({ node, info, graph, lookup }));
      const wait = graph.catchUp();
      return wait ? wait.then(decide) : decide();
    },
    rightsOf: (identity) => (nodeOf(identity) === undefined ? NOTHING : UNLISTED),
  };
}

const decisionOf = (why: string | undefined): Decision =>
  why === undefined ? ALLOWED : { allowed: false, reason: why };

function readReferenced(request: NodeRequest): string | undefined {
  const { verb, subresource, namespace } = request.info;
  if (!["get", "list", "watch"].includes(verb)) return "can only read resources of this type";
  if (subresource !== "") return "cannot read subresource";
  return namespace === "" ? "can only read namespaced object of this type" : referenced(request);
}

function getReferenced(request: NodeRequest): string | undefined {
  return getFault(request) ?? referenced(request);
}

/** Why a request is not a get of a whole object. */
function getFault({ info: { verb, subresource } }: NodeRequest): string | undefined {
  if (verb !== "get") return "can only get individual resources of this type";
  return subresource === "" ? undefined : "cannot get subresource";
}

const writeClaimStatus = (request: NodeRequest): string | undefined =>
  isOneOf(request, "update", "patch") ? referenced(request) : "can only get/update/patch this type";

function referenced({ node, info: { resource, namespace, name }, graph }: NodeRequest): string | undefined {
  if (name === "") return "No Object name found";
  return graph.refers(node, resource, namespace, name) ? undefined : unrelated(node);
}

const unrelated = (node: string): string =>
  `no relationship found between node '${node}' and this object: no Pod on the node refers to it`;

function getVolume(request: NodeRequest): string | undefined {
  const { node, info, graph } = request;
  const fault = getFault(request) ?? (info.name === "" ? "No Object name found" : undefined);
  return fault ?? (graph.usesVolume(node, info.name) ? undefined : unrelated(node));
}

/** Whether a stored object has the node at a path. */
function namesNode({ node, info, lookup }: NodeRequest, path: readonly string[]): string | undefined {
  const { group, resource, namespace, name } = info;
  let found: unknown = lookup.get(group === "" ? resource : `${resource}.${group}`, namespace, name);
  for (const member of path) found = (found as Readonly<Record<string, unknown>> | undefined)?.[member];
  return found === node ? undefined : unrelated(node);
}

/** Tokens of the accounts of its Pods, and the accounts themselves. */
function useAccount(request: NodeRequest): string | undefined {
  const { verb, subresource } = request.info;
  if (verb === "get" && subresource === "") return readReferenced(request);
  if (verb !== "create") return "can only create tokens for individual service accounts";
  return subresource === "token" ? referenced(request) : "can only create token subresource of serviceaccount";
}

const OWN_VERBS = ["get", "create", "update", "patch", "delete"];

function ownLease(request: NodeRequest): string | undefined {
  if (!OWN_VERBS.includes(request.info.verb)) return "can only get, create, update, patch, or delete a node lease";
  return request.info.namespace === LEASE_NAMESPACE
    ? ownName(request, "node lease")
    : `can only access leases in the ${JSON.stringify(LEASE_NAMESPACE)} system namespace`;
}

function ownCsiNode(request: NodeRequest): string | undefined {
  const { verb, subresource } = request.info;
  if (!OWN_VERBS.includes(verb)) return "can only get, create, update, patch, or delete a CSINode";
  return subresource === "" ? ownName(request, "CSINode") : "cannot authorize CSINode subresources";
}

/** A create has no name yet: NodeRestriction checks that of the object. */
const ownName = ({ node, info: { verb, name } }: NodeRequest, what: string): string | undefined =>
  verb === "create" || name === node ? undefined : `can only access ${what} with the same name as the requesting node`;

function resourceSlices(request: NodeRequest): string | undefined {
  const { verb, subresource } = request.info;
  if (subresource !== "") return "cannot authorize ResourceSlice subresources";
  if (verb === "create") return undefined;
  if (isOneOf(request, "get", "update", "patch", "delete")) return namesNode(request, ["spec", "nodeName"]);
  return selectsNode(request) && isOneOf(request, "list", "watch", "deletecollection")
    ? undefined
    : "can only list/watch/deletecollection resourceslices with nodeName field selector";
}

function ownNode({ node, info: { verb, subresource, name } }: NodeRequest): string | undefined {
  if (subresource === "status" && ["update", "patch"].includes(verb)) return undefined;
  if (subresource === "" && ["create", "update", "patch"].includes(verb)) return undefined;
  if (subresource !== "" || !["get", "list", "watch"].includes(verb)) return "";
  if (name === node) return undefined;
  return `node '${node}' cannot read ${name === "" ? "all nodes" : `'${name}'`}, only its own Node object`;
}

const POD_WRITES = new Set(["create/", "delete/", "update/status", "patch/status", "create/eviction"]);

function ownPods(request: NodeRequest): string | undefined {
  const { verb, subresource, name } = request.info;
  if (POD_WRITES.has(`${verb}/${subresource}`)) return undefined;
  if (subresource !== "") return "";
  if (verb === "get") return referenced(request);
  if (!isOneOf(request, "list", "watch")) return "";
  if (selectsNode(request)) return undefined;
  return name === "" ? "can only list/watch pods with spec.nodeName field selector" : referenced(request);
}

function podCertificates(request: NodeRequest): string | undefined {
  const { verb, subresource } = request.info;
  if (subresource !== "") return "nodes may not access the status subresource of PodCertificateRequests";
  if (verb === "create") return undefined;
  if (verb === "get") return namesNode(request, ["spec", "nodeName"]);
  if (!isOneOf(request, "list", "watch")) return `nodes may not ${verb} podcertificaterequests`;
  return selectsNode(request) ? undefined : "can only list/watch podcertificaterequests with nodeName field selector";
}

/** Whether the field selector of a list selects the objects of the node only. */
const selectsNode = ({ node, info }: NodeRequest): boolean =>
  info.fieldSelector?.requirements.some(
    ({ key, operator, values }) => key === "spec.nodeName" && operator === "In" && values[0] === node,
  ) === true;

const isOneOf = ({ info: { verb } }: NodeRequest, ...verbs: readonly string[]): boolean => verbs.includes(verb);
