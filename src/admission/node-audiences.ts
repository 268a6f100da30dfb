/**
 * For whom the agent of a node may make tokens of a Pod: for those that the Pod's volumes, or the drivers of its volumes, ask
 * tokens for, and for those that the node has the verb `request-serviceaccounts-token-audience` on.
 *
 *     Pod ──► projected token ──► audience
 *     Pod ──► volume, or claim ──► volume ──► driver ──► audiences of its tokens
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 *
 * @module
 */
import type { Authorizer } from "../auth/contract.ts";
import { NO_REQUEST } from "../meta/request-info.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { isObject, textOf } from "../value/value.ts";
import type { AdmissionRequest } from "./contract.ts";

/** Why the agent may not make a token of a Pod for an audience, empty for the server's own; undefined where it may. */
export async function refusedAudience(
  authorizer: Authorizer,
  { identity, namespace, name, lookup }: AdmissionRequest,
  pod: ApiObject,
  audience: string,
): Promise<string | undefined> {
  const { found, missing } = searched(pod, audience, lookup);
  if (found) return undefined;
  const whom = `the audience ${JSON.stringify(audience)}`;
  if (missing) return `whether a volume of the Pod has a token for ${whom} is not known: there is no ${missing}`;
  const verb = "request-serviceaccounts-token-audience";
  const info = { ...NO_REQUEST, isResource: true, verb, version: "v1", resource: audience, namespace, name };
  if ((await authorizer.authorize(identity, info)).allowed) return undefined;
  return `no volume of the Pod has a token for ${whom}, and the node has no right to ${verb}`;
}

/** An object of JSON. */
export type Form = Readonly<Record<string, unknown>>;

/** Returns a value as an object; an empty one where it is none. */
export const formOf = (value: unknown): Form => (isObject(value) ? value : {});
/** Returns the objects in a list; none where it is no list. */
export const listOf = (value: unknown): readonly Form[] => (Array.isArray(value) ? value.map(formOf) : []);
/** Returns the spec of an object. */
export const specOf = (object: ApiObject | undefined): Form => formOf(object?.["spec"]);

/** What a search came to: whether the audience was found, and else what was missing on the way, a claim for instance. */
interface Search {
  readonly found: boolean;
  readonly missing?: string | undefined;
}

function searched(pod: ApiObject, audience: string, lookup: Lookup): Search {
  const isIt = (token: Form): boolean => textOf(token["audience"]) === audience;
  let missing: string | undefined;
  for (const volume of listOf(specOf(pod)["volumes"])) {
    const tokens = listOf(formOf(volume["projected"])["sources"]).flatMap(
      (source) => source["serviceAccountToken"] ?? [],
    );
    if (tokens.some((token) => isIt(formOf(token)))) return { found: true };
    const { driver, missing: gone } = driverOf(volume, pod, lookup);
    const object = driver ? driverObject(driver, lookup) : undefined;
    if (listOf(specOf(object)["tokenRequests"]).some(isIt)) return { found: true };
    missing ??= gone ?? (driver && !object ? `CSIDriver ${JSON.stringify(driver)}` : undefined);
  }
  return { found: false, missing };
}

/** The CSIDriver of a name, in whichever dialect. */
const driverObject = (name: string, lookup: Lookup): ApiObject | undefined =>
  lookup.get("csidrivers.storage.k8s.io", "", name) ?? lookup.get("csidrivers.storage.svc.io", "", name);

/** The driver of a volume, or what is missing on the way to it; neither for a volume without one. */
interface Driver {
  readonly driver?: string | undefined;
  readonly missing?: string;
}

function driverOf(volume: Form, pod: ApiObject, lookup: Lookup): Driver {
  if (formOf(volume["ephemeral"])["volumeClaimTemplate"] !== undefined) {
    return driverOfClaim(`${pod.metadata.name}-${textOf(volume["name"])}`, pod, lookup);
  }
  const claim = volume["persistentVolumeClaim"];
  if (claim !== undefined) return driverOfClaim(textOf(formOf(claim)["claimName"]), pod, lookup);
  return { driver: driverIn(volume) };
}

function driverOfClaim(name: string, pod: ApiObject, lookup: Lookup): Driver {
  const claim = lookup.get("persistentvolumeclaims", pod.metadata.namespace ?? "", name);
  if (!claim) return { missing: `PersistentVolumeClaim ${JSON.stringify(name)}` };
  const bound = textOf(specOf(claim)["volumeName"]);
  const volume = lookup.get("persistentvolumes", "", bound);
  return volume ? { driver: driverIn(specOf(volume)) } : { missing: `PersistentVolume ${JSON.stringify(bound)}` };
}

/** The driver that a volume names, or the one that has taken over its kind. */
function driverIn(source: Form): string | undefined {
  if (source["csi"] !== undefined) return textOf(formOf(source["csi"])["driver"]);
  return Object.entries(SUCCESSORS).find(([member]) => source[member] !== undefined)?.[1];
}

/** Kinds of volumes that drivers have taken over. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  awsElasticBlockStore: "ebs.csi.aws.com",
  azureDisk: "disk.csi.azure.com",
  azureFile: "file.csi.azure.com",
  cinder: "cinder.csi.openstack.org",
  gcePersistentDisk: "pd.csi.storage.gke.io",
  portworxVolume: "pxd.portworx.com",
  vsphereVolume: "csi.vsphere.vmware.com",
};
