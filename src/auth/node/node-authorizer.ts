/**
 * The node authorizer: the agent of a node may do what an agent needs, of the objects that its node needs.
 *
 * Of everything that is read by name (Secrets, ConfigMaps, claims, volumes, accounts) it reads what a Pod on its node refers
 * to; of Nodes, Leases and CSINodes those of its own name. What it may write of its Pods and its Node is for the admission
 * plugin NodeRestriction to say. Somebody else is left to the other authorizers; nothing is ever denied.
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/node/
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { ALLOWED, NO_OPINION } from "../admin.ts";
import type { Authorizer, Decision, Identity, Rights, TrustGround } from "../contract.ts";
import { Rule, wholeResource } from "../rbac/rule.ts";
import { NodeGraph } from "./node-graph.ts";
import { groupOfRules, nodeOf } from "./node-name.ts";
import { NODE_RULES } from "./node-rules.ts";
import type { Loop } from "../../util/loop.ts";

const LEASES_OF_NODES = "kube-node-lease";

/** What somebody else may do is not known here; what an agent may do cannot be listed. */
const NOTHING: Rights = { resourceRules: [], pathRules: [], incomplete: false };
const UNLISTED: Rights = { ...NOTHING, incomplete: true, error: "the node authorizer does not list rights" };

/** A question of the agent of a node. */
interface Asked {
  readonly node: string;
  readonly info: RequestInfo;
  readonly graph: NodeGraph;
  readonly lookup: Lookup;
}

/** Judges questions about one resource: undefined where it is allowed, else why not. */
type Judge = (asked: Asked) => string | undefined;

const JUDGES: Readonly<Record<string, Judge>> = {
  secrets: readReferred,
  configmaps: readReferred,
  persistentvolumeclaims: (asked) =>
    asked.info.subresource === "status" ? writeClaimStatus(asked) : getReferred(asked),
  persistentvolumes: getVolume,
  "resourceclaims.resource.k8s.io": getReferred,
  "volumeattachments.storage.k8s.io": (asked) => getOfNode(asked, ["spec", "nodeName"]),
  serviceaccounts: useAccount,
  "leases.coordination.k8s.io": ownLease,
  "csinodes.storage.k8s.io": ownCsiNode,
  "resourceslices.resource.k8s.io": slices,
  nodes: ownNode,
  pods: ownPods,
  "podcertificaterequests.certificates.k8s.io": podCertificates,
};

const made = new WeakMap<Lookup, Authorizer>();

/** The node authorizer of a cluster; the same whenever it is asked for. */
export function nodeAuthorizer({ lookup, api }: TrustGround): Authorizer {
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
      if (node === "")
        return { allowed: false, reason: `expected a node in the user ${JSON.stringify(identity.user)}` };
      const group = groupOfRules(info.group);
      const name = group === "" ? info.resource : `${info.resource}.${group}`;
      const judge = info.isResource && Object.hasOwn(JUDGES, name) ? JUDGES[name] : undefined;
      if (!judge) return byRules({ ...info, group });
      const decide = (): Decision => decisionOf(judge({ node, info, graph, lookup }));
      const wait = graph.catchUp();
      return wait ? wait.then(decide) : decide();
    },
    rightsOf: (identity) => (nodeOf(identity) === undefined ? NOTHING : UNLISTED),
  };
}

const decisionOf = (why: string | undefined): Decision =>
  why === undefined ? ALLOWED : { allowed: false, reason: why };

/** Objects of a name in a namespace, by whichever of the verbs that read. */
function readReferred(asked: Asked): string | undefined {
  const { verb, subresource, namespace } = asked.info;
  if (!["get", "list", "watch"].includes(verb) || subresource !== "") return "a node only reads objects of this type";
  return namespace === "" ? "a node reads objects of this type in their namespace only" : referred(asked);
}

function getReferred(asked: Asked): string | undefined {
  const { verb, subresource } = asked.info;
  return verb === "get" && subresource === "" ? referred(asked) : "a node only gets single objects of this type";
}

function writeClaimStatus(asked: Asked): string | undefined {
  return isOneOf(asked, "update", "patch") ? referred(asked) : "a node only updates and patches the status of a claim";
}

function referred({ node, info: { resource, namespace, name }, graph }: Asked): string | undefined {
  if (name === "") return "a node reads objects of this type by their name only";
  return graph.refers(node, resource, namespace, name) ? undefined : unrelated(node);
}

const unrelated = (node: string): string =>
  `no relationship found between node '${node}' and this object: no Pod on the node refers to it`;

function getVolume({ node, info, graph }: Asked): string | undefined {
  if (info.verb !== "get" || info.subresource !== "" || info.name === "") return "a node only gets single volumes";
  return graph.usesVolume(node, info.name) ? undefined : unrelated(node);
}

/** Gets an object that names the node itself. */
function getOfNode(asked: Asked, path: readonly string[]): string | undefined {
  const { verb, subresource } = asked.info;
  return verb === "get" && subresource === "" ? namesNode(asked, path) : "a node only gets single objects of this type";
}

/** Whether an object that is there says the node in a member. */
function namesNode({ node, info, lookup }: Asked, path: readonly string[]): string | undefined {
  const { group, resource, namespace, name } = info;
  let found: unknown = lookup.get(group === "" ? resource : `${resource}.${group}`, namespace, name);
  for (const member of path) found = (found as Readonly<Record<string, unknown>> | undefined)?.[member];
  return found === node ? undefined : unrelated(node);
}

/** Tokens of the accounts of its Pods, and the accounts themselves. */
function useAccount(asked: Asked): string | undefined {
  const { verb, subresource } = asked.info;
  if (verb === "get" && subresource === "") return readReferred(asked);
  return verb === "create" && subresource === "token" ? referred(asked) : "a node only makes tokens of accounts";
}

const OWN_VERBS = ["get", "create", "update", "patch", "delete"];

function ownLease(asked: Asked): string | undefined {
  if (!OWN_VERBS.includes(asked.info.verb)) return "a node reads and writes its own Lease only";
  return asked.info.namespace === LEASES_OF_NODES ? ownName(asked) : `a node has its Lease in ${LEASES_OF_NODES} only`;
}

function ownCsiNode(asked: Asked): string | undefined {
  const { verb, subresource } = asked.info;
  return OWN_VERBS.includes(verb) && subresource === ""
    ? ownName(asked)
    : "a node reads and writes its own CSINode only";
}

/** A create has no name yet: NodeRestriction looks at that of the object. */
const ownName = ({ node, info: { verb, name } }: Asked): string | undefined =>
  verb === "create" || name === node ? undefined : `a node has objects of its own name only, ${node}`;

function slices(asked: Asked): string | undefined {
  const { verb, subresource } = asked.info;
  if (subresource !== "") return "a node uses no subresources of slices";
  if (verb === "create") return undefined;
  if (isOneOf(asked, "get", "update", "patch", "delete")) return namesNode(asked, ["spec", "nodeName"]);
  return selectsNode(asked) && isOneOf(asked, "list", "watch", "deletecollection")
    ? undefined
    : "a node selects slices by spec.nodeName";
}

function ownNode({ node, info: { verb, subresource, name } }: Asked): string | undefined {
  if (subresource === "status" && ["update", "patch"].includes(verb)) return undefined;
  if (subresource === "" && ["create", "update", "patch"].includes(verb)) return undefined;
  if (subresource !== "" || !["get", "list", "watch"].includes(verb)) return "";
  return name === node ? undefined : `the node ${node} reads its own Node only`;
}

const POD_WRITES = new Set(["create/", "delete/", "update/status", "patch/status", "create/eviction"]);

function ownPods(asked: Asked): string | undefined {
  const { verb, subresource, name } = asked.info;
  if (POD_WRITES.has(`${verb}/${subresource}`)) return undefined;
  if (subresource !== "") return "";
  if (verb === "get") return referred(asked);
  if (!isOneOf(asked, "list", "watch")) return "";
  if (selectsNode(asked)) return undefined;
  return name === "" ? "a node selects Pods by spec.nodeName" : referred(asked);
}

function podCertificates(asked: Asked): string | undefined {
  const { verb, subresource } = asked.info;
  if (subresource !== "") return "a node uses no subresources of requests for certificates";
  if (verb === "create") return undefined;
  if (verb === "get") return namesNode(asked, ["spec", "nodeName"]);
  return selectsNode(asked) && isOneOf(asked, "list", "watch")
    ? undefined
    : "a node selects requests for certificates by spec.nodeName";
}

/** Whether a list asks for what is on the node only. */
const selectsNode = ({ node, info }: Asked): boolean =>
  info.fieldSelector?.requirements.some(
    ({ key, operator, values }) => key === "spec.nodeName" && operator === "In" && values[0] === node,
  ) === true;

const isOneOf = ({ info: { verb } }: Asked, ...verbs: readonly string[]): boolean => verbs.includes(verb);
