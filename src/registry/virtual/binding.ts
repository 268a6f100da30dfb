/**
 * `pods/NAME/binding` and `bindings`: a Pod gets its node, once (KIND-Pod-8).
 *
 * @module
 */
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { badRequest, conflict, done, invalid } from "../../meta/status.ts";
import type { Kinds } from "../kinds.ts";
import { SYSTEM } from "../system.ts";
import { uidMismatch } from "../verbs/preconditions.ts";
import { changeObject } from "../verbs/update.ts";
import { type Action, type Actions, type Question, actionKey } from "./asked.ts";
import { type Pod, makeTrue } from "./pods.ts";

interface Binding extends ApiObject {
  target?: { kind?: string; name?: string };
}

const BINDING = { group: "", kind: "Binding" };

/** The action that answers a Binding, below a Pod or beside it. */
export function bindingAction(kinds: () => Kinds): Actions {
  const answer: Action["answer"] = async (question) => {
    const kind = kinds().kind("", "v1", "pods")!;
    const { object, options, ctx } = question;
    const { name = "", namespace = "" } = object.metadata;
    const target = { namespace, name, subresource: "" };
    await changeObject({ kind, target, options, caller: SYSTEM, ctx, limit: ctx.clock.loop.slice() }, (old) => {
      const why = obstacle(old as Pod, question);
      if (why !== undefined) throw conflict({ ...kind.ref, plural: "pods/binding" }, name, why);
      return bound(old, question);
    });
    return done();
  };
  return new Map([[actionKey(BINDING), { judge, answer }]]);
}

function judge({ object, target }: Question): void {
  const { name } = object.metadata;
  if (!name) throw badRequest("expected metadata.name of the Binding to be the name of a Pod, got none");
  if (target.subresource !== "" && name !== target.name) {
    throw badRequest(`expected metadata.name of the Binding to be ${target.name} as in the path, got ${name}`);
  }
  const errors = new FieldErrors();
  const { kind, name: node } = (object as Binding).target ?? {};
  if (kind && kind !== "Node") errors.notSupported("target.kind", kind, ["Node"]);
  if (!node) errors.required("target.name", "expected the name of a node");
  if (errors.any) throw invalid(BINDING, name, errors.causes);
}

/** Why a Pod cannot be bound, or not by this question. Beside the Pod, a uid is that of the Binding, which has none. */
function obstacle(pod: Pod, { object, target }: Question): string | undefined {
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

/** A Pod on the node of a Binding, with its labels and annotations. */
function bound(old: ApiObject, { object, ctx }: Question): ApiObject {
  const pod = copyOf(old) as Pod;
  pod.spec.nodeName = (object as Binding).target!.name!;
  for (const member of ["annotations", "labels"] as const) {
    const sent = object.metadata[member];
    if (sent && Object.keys(sent).length > 0) pod.metadata[member] = { ...pod.metadata[member], ...sent };
  }
  delete pod.status?.nominatedNodeName;
  makeTrue(pod, { type: "PodScheduled" }, ctx.clock);
  return pod;
}
