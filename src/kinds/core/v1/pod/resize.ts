/**
 * `pods/resize`: changes cpu and memory of running containers (KIND-Pod-11..13).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { TSchema } from "../../../../meta/types.ts";
import type { ApiContext, SubresourceRules, WriteRules } from "../../../../schema/definition.ts";
import { sameMeaning } from "../../../../schema/same-meaning.ts";
import { keepMetadata } from "../../../rules/status.ts";
import { wholeObject } from "../../../rules/whole-object.ts";
import type { Resources } from "../../../rules/quantities.ts";
import { Container, type ContainerValue } from "./container-schema.ts";
import type { Pod } from "./defaults.ts";
import { dropGatedMembers } from "./gated-fields.ts";
import { isMirror } from "./mirror.ts";
import { qosClass } from "./qos.ts";
import type { PodSpec } from "./spec-schema.ts";

const LISTS = ["containers", "initContainers"] as const;
const SIZES = ["cpu", "memory"] as const;

const staysRunning = (container: ContainerValue): boolean => container.restartPolicy === "Always";

/** Whether containers are the same as before, in the same order. */
const areSame = (now: readonly ContainerValue[] = [], before: readonly ContainerValue[] = []): boolean =>
  now.length === before.length && now.every(({ name }, i) => name === before[i]!.name);

/** The old spec with the resources of the new one; undefined where its containers differ, which is then refused. */
function resized(spec: PodSpec, old: PodSpec): PodSpec | undefined {
  if (LISTS.some((list) => (spec[list] ?? []).length !== (old[list] ?? []).length)) return undefined;
  const next = { ...old };
  for (const list of LISTS) {
    const containers = spec[list];
    if (!containers) continue;
    next[list] = areSame(containers, old[list])
      ? containers.map((container, i) => withResources(old[list]![i]!, container))
      : containers;
  }
  return next;
}

function withResources(container: ContainerValue, { resources, resizePolicy }: ContainerValue): ContainerValue {
  const { resources: _resources, resizePolicy: _policy, ...rest } = container;
  return {
    ...rest,
    ...(resources === undefined ? {} : { resources }),
    ...(resizePolicy === undefined ? {} : { resizePolicy }),
  } as ContainerValue;
}

/** All faults of a resize: changes of other members. */
function validateResize(schema: TSchema, pod: Pod, old: Pod, errors: FieldErrors, { dialect }: ApiContext): void {
  const { spec } = pod;
  if (qosClass(spec) !== (old.status?.qosClass || qosClass(old.spec))) {
    errors.invalid("spec", qosClass(spec), "expected the quality of service to stay what it is");
  }
  if (!isSupported(old)) errors.forbidden("spec", "expected a node that tells the resources of running containers");
  if (hasOwn(spec) || hasOwn(old.spec)) {
    return errors.forbidden(
      wholeObject(dialect),
      "expected a Pod without resources of its own, besides those of its containers",
    );
  }
  if (!validateOrder(spec, old.spec, errors)) return;
  for (const list of LISTS) {
    old.spec[list]?.forEach((before, i) => {
      if (list === "containers" || staysRunning(before)) {
        validateKept(spec[list]![i]!, before, `spec.${list}[${i}].resources`, errors);
      }
    });
  }
  const unchanged: PodSpec = { ...spec };
  for (const list of LISTS) {
    const containers = spec[list]?.map((container, i) => unsized(container, old.spec[list]![i]!, list));
    if (!containers) continue;
    unchanged[list] = containers;
    if (containers.every((container, i) => sameMeaning(Container, container, old.spec[list]![i]))) continue;
    return errors.forbidden("spec", "expected nothing but cpu and memory of containers that run to change");
  }
  if (!errors.any && !sameMeaning(schema, unchanged, old.spec)) {
    errors.forbidden("spec", "expected nothing but cpu and memory of containers that run to change");
  }
}

const hasOwn = ({ resources }: PodSpec): boolean =>
  Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;

/** Whether the node of a running container reports its resources: a node that does not cannot change them. */
function isSupported({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return !running || running.resources !== undefined;
}

function validateOrder(spec: PodSpec, old: PodSpec, errors: FieldErrors): boolean {
  let isSame = true;
  for (const list of LISTS) {
    const [now, before] = [spec[list] ?? [], old[list] ?? []];
    if (areSame(now, before)) continue;
    isSame = false;
    if (now.length !== before.length) errors.forbidden(`spec.${list}`, "expected no container more or less");
    else {
      now.forEach(({ name }, i) => {
        if (name === before[i]!.name) return;
        errors.forbidden(`spec.${list}[${i}].name`, `expected ${before[i]!.name}: containers keep names and order`);
      });
    }
  }
  return isSame;
}

/** An existing limit or request may change, but not be removed. */
function validateKept(now: ContainerValue, before: ContainerValue, at: string, errors: FieldErrors): void {
  for (const member of ["requests", "limits"] as const) {
    const gone = SIZES.some((size) => sizeIn(before, member, size) && !sizeIn(now, member, size));
    if (gone) errors.forbidden(`${at}.${member}`, "expected none to be taken away");
  }
}

const sizeIn = ({ resources }: ContainerValue, member: "requests" | "limits", size: string): string | undefined =>
  resources?.[member]?.[size];

/** A container with its previous resources; one that does not run is unchanged. */
function unsized(container: ContainerValue, old: ContainerValue, list: (typeof LISTS)[number]): ContainerValue {
  if (list === "initContainers" && !staysRunning(container)) return container;
  const resources = { ...container.resources };
  for (const member of ["requests", "limits"] as const) {
    const mixed = withSizes(resources[member], old.resources?.[member]);
    if (mixed) resources[member] = mixed;
  }
  return { ...container, resources };
}

function withSizes(now: Resources | undefined, before: Resources | undefined): Record<string, string> | undefined {
  if (!now && !before) return undefined;
  const { cpu: _cpu, memory: _memory, ...others } = now ?? {};
  const kept = SIZES.flatMap((size) => (before?.[size] === undefined ? [] : [[size, before[size]] as const]));
  return { ...others, ...Object.fromEntries(kept) };
}

/**
 * The subresource, for Pods whose other members are validated by `validate`.
 *
 * @param schema that of the spec of a Pod
 */
export const resize = (
  schema: TSchema,
  validate: NonNullable<WriteRules<Pod>["validateUpdate"]>,
): SubresourceRules<Pod> => ({
  verbs: ["get", "patch", "update"],
  prepareForUpdate(object, old, ctx) {
    const spec = resized(object.spec, old.spec);
    if (spec) {
      object.spec = spec;
      object.status = old.status;
      keepMetadata(object, old);
    }
    dropGatedMembers(object.spec, old.spec, ctx);
  },
  validateUpdate(object, old, errors, ctx) {
    const refuse = (what: string): void =>
      errors.forbidden(wholeObject(ctx.dialect), `expected another Pod: ${what} keep their resources`);
    if (isMirror(old, ctx.dialect)) return refuse("those of a node, not of this server,");
    if (old.spec.os?.name === "windows") return refuse("those of windows");
    validate(object, old, errors, ctx);
    validateResize(schema, object, old, errors, ctx);
  },
});
