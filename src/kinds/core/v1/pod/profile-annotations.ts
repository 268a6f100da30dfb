/**
 * Deprecated annotations for the seccomp and AppArmor profiles of a Pod, which have members now (KIND-PodSpec-9): they must be valid, and
 * equal to the members. Those of AppArmor are still copied to the member.
 *
 * @module
 */
import type { Dialect } from "../../../../meta/dialect.ts";
import { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ApiContext, WriteContext } from "../../../../schema/definition.ts";
import { SourceCheck } from "../volumes/form.ts";
import { checkDescending } from "../volumes/paths.ts";
import { containersOf } from "./containers.ts";
import type { Pod } from "./defaults.ts";
import { checkAppArmor } from "./security-rules.ts";
import type { PodSpec } from "./spec-schema.ts";
import { same } from "../../../rules/same.ts";

type Annotations = Readonly<Record<string, string>>;
type Profile = NonNullable<NonNullable<PodSpec["securityContext"]>["appArmorProfile"]>;

const DEFAULT = "runtime/default";
const OLD_DEFAULT = "docker/default";
const UNCONFINED = "unconfined";
const LOCALHOST = "localhost/";

/** The annotation of a Pod's seccomp profile. */
export const seccompOfPod = ({ labelDomain }: Dialect): string => `seccomp.security.alpha.${labelDomain}/pod`;

/** The annotation of a container's seccomp profile, followed by its name. */
export const seccompOf = ({ labelDomain }: Dialect): string => `container.seccomp.security.alpha.${labelDomain}/`;

/** The annotation of a container's AppArmor profile, followed by its name. */
export const appArmorOf = ({ labelDomain }: Dialect): string => `container.apparmor.security.beta.${labelDomain}/`;

const isSeccomp = (key: string, dialect: Dialect): boolean =>
  key === seccompOfPod(dialect) || key.startsWith(seccompOf(dialect));

const isProfile = (key: string, dialect: Dialect): boolean =>
  isSeccomp(key, dialect) || key.startsWith(appArmorOf(dialect));

/**
 * Annotations name profiles and existing containers.
 *
 * @param at the path of the annotations
 */
export function checkProfileAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  const appArmor = appArmorOf(ctx.dialect);
  let names: ReadonlySet<string> | undefined;
  for (const key in annotations) {
    if (isSeccomp(key, ctx.dialect)) {
      checkSeccompName(annotations[key]!, `${at}.${key}`, errors, ctx);
    } else if (key.startsWith(appArmor)) {
      names ??= new Set(containersOf(spec).map(([{ name }]) => name));
      const name = key.slice(appArmor.length);
      if (!names.has(name)) errors.invalid(`${at}[${key}]`, name, "expected the name of a container");
      const profile = annotations[key]!;
      if (["", DEFAULT, UNCONFINED].includes(profile) || profile.startsWith(LOCALHOST)) continue;
      errors.invalid(`${at}[${key}]`, profile, `expected ${DEFAULT}, ${UNCONFINED} or one behind ${LOCALHOST}`);
    }
  }
}

function checkSeccompName(profile: string, field: string, errors: FieldErrors, ctx: ApiContext): void {
  if ([DEFAULT, OLD_DEFAULT, UNCONFINED].includes(profile)) return;
  if (profile.startsWith(LOCALHOST)) {
    checkDescending(field, profile.slice(LOCALHOST.length), new SourceCheck(errors, ctx, ""));
  } else errors.invalid(field, profile, `expected ${DEFAULT}, ${UNCONFINED} or a path behind ${LOCALHOST}`);
}

/** Where an annotation and a member both have the profile, they must be equal. */
export function checkSameProfiles(
  annotations: Annotations,
  spec: PodSpec,
  errors: FieldErrors,
  { dialect }: ApiContext,
): void {
  if (!Object.keys(annotations).some((key) => isProfile(key, dialect))) return;
  const { seccompProfile: seccomp, appArmorProfile: appArmor } = spec.securityContext ?? {};
  checkSame(annotations[seccompOfPod(dialect)], seccomp, true, "spec.securityContext.seccompProfile", errors);
  for (const [{ name, securityContext: own }, at] of containersOf(spec)) {
    const field = `${at}.securityContext`;
    checkSame(annotations[seccompOf(dialect) + name], own?.seccompProfile, true, `${field}.seccompProfile`, errors);
    if (spec.os?.name === "windows") continue;
    const profile = own?.appArmorProfile ?? appArmor;
    checkSame(annotations[appArmorOf(dialect) + name], profile, false, `${field}.appArmorProfile`, errors);
  }
}

function checkSame(
  text: string | undefined,
  profile: Profile | undefined,
  ofSeccomp: boolean,
  at: string,
  errors: FieldErrors,
): void {
  if (text === undefined || !profile) return;
  const isType: Readonly<Record<string, boolean>> = {
    Unconfined: text === UNCONFINED,
    RuntimeDefault: text === DEFAULT || (ofSeccomp && text === OLD_DEFAULT),
    Localhost: text.startsWith(LOCALHOST),
  };
  if (isType[profile.type] === false) errors.forbidden(`${at}.type`, `expected the type of the annotation, ${text}`);
  else if (profile.type === "Localhost" && text !== LOCALHOST + profile.localhostProfile) {
    errors.forbidden(`${at}.localhostProfile`, `expected the profile of the annotation, ${text}`);
  }
}

function profileOf(text: string): Profile | undefined {
  if (text === UNCONFINED) return { type: "Unconfined" };
  if (text === DEFAULT) return { type: "RuntimeDefault" };
  const name = text.startsWith(LOCALHOST) ? text.slice(LOCALHOST.length) : "";
  return name === "" ? undefined : { type: "Localhost", localhostProfile: name };
}

/** A profile that only an annotation has, and its container. */
interface Told {
  readonly container: ReturnType<typeof containersOf>[number][0];
  readonly key: string;
  /** Undefined where the annotation has no possible profile. */
  readonly profile: Profile | undefined;
}

/** Profiles that only annotations have, and the member of the Pod has not either. */
function* told(annotations: Annotations | undefined, spec: PodSpec, { dialect }: ApiContext): Generator<Told> {
  if (!annotations) return;
  const ofPod = spec.securityContext?.appArmorProfile;
  for (const [container] of containersOf(spec)) {
    const key = appArmorOf(dialect) + container.name;
    const text = annotations[key];
    if (text === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = profileOf(text);
    if (!profile || !same(profile, ofPod)) yield { container, key, profile };
  }
}

const warning = (key: string): string => `metadata.annotations[${key}]: use the "appArmorProfile" field instead`;

/** Warnings about profiles of AppArmor that a template has only in annotations. */
export function* profileWarnings(
  annotations: Annotations | undefined,
  spec: PodSpec,
  ctx: ApiContext,
): Generator<string> {
  for (const { key } of told(annotations, spec, ctx)) yield warning(key);
}

/** Copies annotations of AppArmor to members, with Warnings; changes the spec of `pod`. */
export function syncProfiles({ metadata, spec }: Pod, ctx: WriteContext): void {
  if (spec.os?.name === "windows") return;
  for (const { container, key, profile } of told(metadata.annotations, spec, ctx)) {
    ctx.warnings.push(warning(key));
    if (profile && isRight(profile))
      container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}

function isRight(profile: Profile): boolean {
  const errors = new FieldErrors();
  checkAppArmor(profile, "", errors);
  return !errors.any;
}
