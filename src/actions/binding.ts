/**
 * `pods/NAME/binding` and `bindings`: sets the node of a Pod, once (KIND-Pod-8).
 *
 * @module
 */
import { FieldErrors } from "../meta/field-errors.ts";
import { badRequest, conflict, done, invalid } from "../meta/status.ts";
import {
  type Action,
  type ActionRequest,
  type Actions,
  type RegistryAccess,
  actionKey,
  commit,
  ownChange,
  uidMismatch,
} from "../registry/index.ts";
import { copyOf, guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { type Pod, asPod, makeTrue, podKind } from "./pods.ts";

interface Binding extends ApiObject {
  target?: { kind?: string; name?: string };
}

const BINDING = { group: "", kind: "Binding" };
const isBinding = guardOf<Binding>(BINDING.kind);

const targetOf = (object: ApiObject): NonNullable<Binding["target"]> => (isBinding(object) && object.target) || {};

/** The action of a Binding, on the subresource of a Pod or on its own path. */
export function bindingAction(access: Pick<RegistryAccess, "kinds">): Actions {
  const handle: Action["handle"] = async (request) => {
    const kind = podKind(access);
    const { name = "", namespace = "" } = request.object.metadata;
    const binding = ownChange(kind, { namespace, name }, request, (old) => {
      const why = obstacle(asPod(old), request);
      if (why !== undefined) throw conflict({ ...kind.ref, plural: "pods/binding" }, name, why);
      return bound(asPod(old), request);
    });
    await commit(binding);
    return done();
  };
  return new Map([[actionKey(BINDING), { validate, handle }]]);
}

function validate({ object, target }: ActionRequest): void {
  const { name } = object.metadata;
  if (!name) throw badRequest("expected metadata.name of the Binding to be the name of a Pod, got none");
  if (target.subresource !== "" && name !== target.name) {
    throw badRequest(`expected metadata.name of the Binding to be ${target.name} as in the path, got ${name}`);
  }
  const errors = new FieldErrors();
  const { kind, name: node } = targetOf(object);
  if (kind && kind !== "Node") errors.notSupported("target.kind", kind, ["Node"]);
  if (!node) errors.required("target.name", "expected the name of a node");
  if (errors.any) throw invalid(BINDING, name, errors.causes);
}

/** Why a Pod cannot be bound, or not by this Binding. On the path `bindings`, a uid is that of the Binding, which has none. */
function obstacle(pod: Pod, { object, target }: ActionRequest): string | undefined {
  const { uid, resourceVersion } = object.metadata;
  const { metadata, spec } = pod;
  if (target.subresource !== "" && uid && uid !== metadata.uid) return uidMismatch(uid, pod);
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    return `expected version ${resourceVersion} of the pod, found ${metadata.resourceVersion}`;
  }
  if (metadata.deletionTimestamp !== undefined) return `pod ${metadata.name} is being deleted, it cannot be bound`;
  if (spec.nodeName) return `pod ${metadata.name} is already assigned to node "${spec.nodeName}"`;
  if ((spec.schedulingGates ?? []).length > 0) return `pod ${metadata.name} has spec.schedulingGates`;
  return undefined;
}

/** The Pod on the node of a Binding, with the labels and annotations of the Binding. */
function bound(old: Pod, { object, ctx }: ActionRequest): ApiObject {
  const pod = copyOf(old);
  const { name = "" } = targetOf(object);
  pod.spec.nodeName = name;
  for (const member of ["annotations", "labels"] as const) {
    const sent = object.metadata[member];
    if (sent && Object.keys(sent).length > 0) pod.metadata[member] = { ...pod.metadata[member], ...sent };
  }
  delete pod.status?.nominatedNodeName;
  makeTrue(pod, { type: "PodScheduled" }, ctx.clock);
  return pod;
}
