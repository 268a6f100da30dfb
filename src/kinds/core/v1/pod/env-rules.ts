/**
 * The rules of environment variables (KIND-PodSpec-1, KIND-PodSpec-2).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { configMapKey, dnsLabel, dnsSubdomain } from "../../../../meta/names.ts";
import { checkFieldRef, checkResourceRef } from "../volumes/files.ts";
import { SourceCheck } from "../volumes/form.ts";
import { checkNoBacksteps } from "../volumes/paths.ts";
import type { ContainerCheck } from "./check.ts";
import type { ContainerValue } from "./container-schema.ts";

type Variable = NonNullable<ContainerValue["env"]>[number];
type Source = NonNullable<Variable["valueFrom"]>;
type FileKey = NonNullable<Source["fileKeyRef"]>;

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

/** Any printable character but '=' may be in the name of a variable. */
const variableName = (name: string): string | undefined =>
  /^[ -<>-~]+$/.test(name) ? undefined : "expected printable characters without '='";

/** Names, and at most one source that excludes a value. */
export function checkEnv(env: readonly Variable[], at: string, check: ContainerCheck): void {
  env.forEach(({ name, value, valueFrom }, i) => {
    if (!valueFrom && name && variableName(name) === undefined) return;
    const field = `${at}[${i}]`;
    checkText(`${field}.name`, name, variableName, check.errors);
    if (valueFrom) checkSource(valueFrom, value, `${field}.valueFrom`, check);
  });
}

function checkSource(source: Source, value: string | undefined, at: string, check: ContainerCheck): void {
  const { errors } = check;
  const own = new SourceCheck(errors, check.ctx, "");
  if (source.fieldRef) checkFieldRef(source.fieldRef, `${at}.fieldRef`, ENV_FIELDS, own);
  if (source.resourceFieldRef) checkResourceRef(source.resourceFieldRef, `${at}.resourceFieldRef`, false, own);
  for (const member of ["configMapKeyRef", "secretKeyRef"] as const) {
    const ref = source[member];
    if (!ref) continue;
    own.text(`${at}.${member}.name`, ref.name ?? "", dnsSubdomain);
    checkText(`${at}.${member}.key`, ref.key, configMapKey, errors);
  }
  if (source.fileKeyRef) checkFileKey(source.fileKeyRef, `${at}.fileKeyRef`, check);
  const set = SOURCES.filter((member) => source[member] !== undefined).length;
  if (set === 0) errors.invalid(at, "", `expected one of ${SOURCES.join(", ")}`);
  else if (value) errors.invalid(at, "", "expected none together with a value");
  else if (set > 1) errors.invalid(at, "", `expected one source, got ${set}`);
}

/** A key of a file in an empty directory, which the Pod's own containers have written. */
function checkFileKey({ key, volumeName, path }: FileKey, at: string, check: ContainerCheck): void {
  const { errors } = check;
  checkText(`${at}.key`, key, variableName, errors);
  checkText(`${at}.volumeName`, volumeName, dnsLabel, errors);
  if (path) checkNoBacksteps(`${at}.path`, path, new SourceCheck(errors, check.ctx, ""));
  else errors.required(`${at}.path`);
  const volume = check.sent().get(volumeName);
  if (!volume) errors.notFound(`${at}.volumeName`, volumeName);
  else if (volume["emptyDir"] === undefined) {
    errors.invalid(`${at}.volumeName`, volumeName, "expected a volume that is an emptyDir");
  }
}

function checkText(
  field: string,
  text: string | undefined,
  rule: (text: string) => string | undefined,
  errors: FieldErrors,
): void {
  if (!text) return errors.required(field);
  const wrong = rule(text);
  if (wrong !== undefined) errors.invalid(field, text, wrong);
}

/** Exactly one source, with a name. */
export function checkEnvFrom(
  list: NonNullable<ContainerValue["envFrom"]>,
  at: string,
  { errors, ctx }: ContainerCheck,
): void {
  list.forEach((source, i) => {
    const field = `${at}[${i}]`;
    if (source.prefix) checkText(`${field}.prefix`, source.prefix, variableName, errors);
    const set = (["configMapRef", "secretRef"] as const).filter((member) => source[member] !== undefined);
    for (const member of set) checkText(`${field}.${member}.name`, source[member]?.name, dnsSubdomain, errors);
    if (set.length === 1) return;
    // Kubernetes reports the fault at the list.
    const blamed = ctx.dialect.rules.recordedCauseNames ? at : field;
    errors.invalid(blamed, "", `expected one of configMapRef and secretRef, got ${set.length}`);
  });
}
