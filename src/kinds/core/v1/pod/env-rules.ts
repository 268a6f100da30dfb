/**
 * The rules of environment variables (SUP-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { configMapKey, dnsSubdomain } from "../../../../meta/names.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { checkFieldRef, checkResourceRef } from "../volumes/files.ts";
import { SourceCheck } from "../volumes/form.ts";
import type { ContainerValue } from "./container-schema.ts";

type Variable = NonNullable<ContainerValue["env"]>[number];
type Source = NonNullable<Variable["valueFrom"]>;

const ENV_FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;

// Any printable character but '=' may be in the name of a variable.
const VARIABLE = /^[ -<>-~]+$/;

/** Names, and at most one source that excludes a value. */
export function checkEnv(env: readonly Variable[], at: string, errors: FieldErrors, ctx: ApiContext): void {
  env.forEach((variable, i) => {
    const field = `${at}[${i}]`;
    const { name, value, valueFrom } = variable;
    if (!name) errors.required(`${field}.name`);
    else if (!VARIABLE.test(name)) errors.invalid(`${field}.name`, name, "expected printable characters without '='");
    if (valueFrom) checkSource(valueFrom, value, `${field}.valueFrom`, errors, ctx);
  });
}

function checkSource(
  source: Source,
  value: string | undefined,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  const check = new SourceCheck(errors, ctx, "");
  if (source.fieldRef) checkFieldRef(source.fieldRef, `${at}.fieldRef`, ENV_FIELDS, check);
  if (source.resourceFieldRef) checkResourceRef(source.resourceFieldRef, `${at}.resourceFieldRef`, false, check);
  for (const member of ["configMapKeyRef", "secretKeyRef"] as const) {
    const ref = source[member];
    if (!ref) continue;
    if (!ref.name) errors.required(`${at}.${member}.name`);
    checkKey(`${at}.${member}.key`, ref.key, errors);
  }
  const set = SOURCES.filter((member) => source[member] !== undefined).length;
  if (set === 0) errors.invalid(at, "", `expected one of ${SOURCES.join(", ")}`);
  else if (value) errors.invalid(at, "", "expected none beside a value");
  else if (set > 1) errors.invalid(at, "", `expected one source, got ${set}`);
}

function checkKey(field: string, key: string | undefined, errors: FieldErrors): void {
  if (!key) return errors.required(field);
  const wrong = configMapKey(key);
  if (wrong !== undefined) errors.invalid(field, key, wrong);
}

/** Exactly one source, with a name. */
export function checkEnvFrom(list: NonNullable<ContainerValue["envFrom"]>, at: string, errors: FieldErrors): void {
  list.forEach((source, i) => {
    const field = `${at}[${i}]`;
    if (source.prefix && !VARIABLE.test(source.prefix)) {
      errors.invalid(`${field}.prefix`, source.prefix, "expected printable characters without '='");
    }
    const set = (["configMapRef", "secretRef"] as const).filter((member) => source[member] !== undefined);
    for (const member of set) {
      const name = source[member]?.name;
      const wrong = name ? dnsSubdomain(name) : undefined;
      if (!name) errors.required(`${field}.${member}.name`);
      else if (wrong !== undefined) errors.invalid(`${field}.${member}.name`, name, wrong);
    }
    if (set.length !== 1) errors.invalid(field, "", `expected one of configMapRef and secretRef, got ${set.length}`);
  });
}
