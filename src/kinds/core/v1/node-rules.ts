/**
 * The rules of a Node, and its permitted changes (SUP-6).
 *
 * @module
 */
import { familyOf, networkOf, legacyNetworkFault } from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { labelValue, qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { jsonAnnotation } from "../../rules/json-annotation.ts";
import { type Node, Taint, type TaintValue } from "./node-schema.ts";
import { checkAmount } from "../../rules/quantities.ts";

/** All faults of a Node, independent of its old state. */
export function validateNode(node: Node, errors: FieldErrors, ctx: ApiContext): void {
  const { spec, status } = node;
  const { recordedCauseNames } = ctx.dialect.rules;
  checkTaints(spec.taints ?? [], recordedCauseNames ? "metadata.taints" : "spec.taints", errors);
  checkNetworks(spec.podCIDRs ?? [], recordedCauseNames, errors);
  const { capacity } = status.nodeInfo?.swap ?? {};
  if (capacity !== undefined && capacity <= 0) {
    const swap = recordedCauseNames ? "metadata.nodeSwapStatus" : "status.nodeInfo.swap";
    errors.invalid(`${swap}.capacity`, capacity, "expected a number above 0");
  }
  validateReport(node, errors, ctx);
}

/** The rules of a Node for all writers, its agent included. */
export function validateReport({ metadata, status }: Node, errors: FieldErrors, ctx: ApiContext): void {
  if (metadata.annotations) checkAnnotations(metadata.annotations, errors, ctx);
  for (const member of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(status[member] ?? {})) {
      checkAmount(`status.${member}.${name}`, name, amount, errors, ctx.dialect);
    }
  }
  checkFeatures(status.declaredFeatures ?? [], errors);
}

/** Properties of the machine are immutable once set; each address is listed once. */
export function validateNodeChange({ spec, status }: Node, { spec: before }: Node, errors: FieldErrors): void {
  checkAddresses(status.addresses ?? [], errors);
  if (before.podCIDRs?.length && before.podCIDRs.join() !== (spec.podCIDRs ?? []).join()) {
    errors.forbidden("spec.podCIDRs", "field is immutable once it is set");
  }
  if (before.providerID && before.providerID !== spec.providerID) {
    errors.forbidden("spec.providerID", "field is immutable once it is set");
  }
  if ((before.externalID ?? "") !== (spec.externalID ?? "")) {
    errors.forbidden("spec.externalID", "field is immutable");
  }
}

function checkAddresses(addresses: NonNullable<Node["status"]["addresses"]>, errors: FieldErrors): void {
  const seen = new Set<string>();
  addresses.forEach(({ type, address }, i) => {
    const identity = JSON.stringify([type, address]);
    if (seen.has(identity)) errors.duplicate(`status.addresses[${i}]`, { type, address });
    seen.add(identity);
  });
}

const EFFECTS = ["NoExecute", "NoSchedule", "PreferNoSchedule"];

/** A key occurs once for each effect. */
function checkTaints(taints: readonly TaintValue[], at: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  taints.forEach(({ key = "", value = "", effect = "" }, i) => {
    const field = `${at}[${i}]`;
    const wrongKey = qualifiedName(key);
    if (wrongKey !== undefined) errors.invalid(`${field}.key`, key, wrongKey);
    const wrongValue = labelValue(value);
    if (wrongValue !== undefined) errors.invalid(`${field}.value`, value, wrongValue);
    if (effect === "") errors.required(`${field}.effect`);
    else if (!EFFECTS.includes(effect)) errors.notSupported(`${field}.effect`, effect, EFFECTS);
    const identity = `${key}:${effect}`;
    if (seen.has(identity)) errors.duplicate(field, identity);
    seen.add(identity);
  });
}

/** Networks, of which there is at most one of each family. */
function checkNetworks(networks: readonly string[], recordedCauseNames: boolean, errors: FieldErrors): void {
  networks.forEach((network, i) => {
    const wrong = legacyNetworkFault(network);
    if (wrong !== undefined) errors.invalid(`spec.podCIDRs[${i}]`, network, wrong);
  });
  const families = networks.map((network) => {
    const read = networkOf(network);
    return read && familyOf(read.bytes);
  });
  if (networks.length > 1 && families.includes(undefined) && recordedCauseNames) {
    errors.add(
      "InternalError",
      "spec.podCIDRs",
      "Internal error: expected networks, of which the families can be told",
    );
  }
  if (new Set(families).size < networks.length || (networks.length > 1 && families.includes(undefined))) {
    errors.invalid("spec.podCIDRs", networks, "expected at most one network of each family of addresses");
  }
}

const FEATURE = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z][A-Za-z0-9]*)*$/;
const MAX_FEATURE_LENGTH = 253;

/** Features are sorted, each once. */
function checkFeatures(features: readonly string[], errors: FieldErrors): void {
  features.forEach((feature, i) => {
    const field = `status.declaredFeatures[${i}]`;
    if (!FEATURE.test(feature) || feature.length > MAX_FEATURE_LENGTH) {
      errors.invalid(
        field,
        feature,
        "expected letters and digits with a capital first, and parts of it behind a slash",
      );
    }
    const before = features[i - 1];
    if (before === feature) errors.duplicate(field, feature);
    else if (before !== undefined && before > feature) errors.invalid(field, feature, "expected names in order");
  });
}

const Taints = t.atomicList(Taint);

const Avoided = t.struct("", {
  preferAvoidPods: t.optional(
    t.atomicList(
      t.struct("", {
        podSignature: t.optional(
          t.struct("", {
            podController: t.pointer(
              t.struct("", {
                apiVersion: t.optional(t.text()),
                kind: t.optional(t.text()),
                name: t.optional(t.text()),
                uid: t.optional(t.text()),
                controller: t.pointer(t.bool()),
                blockOwnerDeletion: t.pointer(t.bool()),
              }),
            ),
          }),
        ),
        evictionTime: t.optional(t.time()),
        reason: t.optional(t.text()),
        message: t.optional(t.text()),
      }),
    ),
  ),
});

/** Annotations with the JSON of newer members: they have no effect, but must be valid. */
function checkAnnotations(
  annotations: Readonly<Record<string, string>>,
  errors: FieldErrors,
  { dialect }: ApiContext,
): void {
  const [taints, avoided] = ["taints", "preferAvoidPods"].map(
    (name) => `scheduler.alpha.${dialect.labelDomain}/${name}`,
  );
  const at = "metadata.annotations";
  if (annotations[taints!]) {
    const read = jsonAnnotation(annotations[taints!]!, Taints, dialect);
    if ("wrong" in read) errors.invalid(at, annotations[taints!], read.wrong);
    else checkTaints(read.value ?? [], `${at}.${taints}`, errors);
  }
  if (annotations[avoided!]) {
    const read = jsonAnnotation(annotations[avoided!]!, Avoided, dialect);
    if ("wrong" in read) return errors.invalid(`${at}.AvoidPods`, annotations[avoided!], read.wrong);
    read.value?.preferAvoidPods?.forEach(({ podSignature }, i) => {
      const field = `${at}.${avoided}[${i}].PodSignature`;
      const owner = podSignature?.podController;
      if (!owner) errors.required(field, "expected the controller of the Pods that are meant");
      else if (!owner.controller)
        errors.invalid(`${field}.PodController.Controller`, owner.controller, "expected true");
    });
  }
}
