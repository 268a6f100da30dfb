/**
 * The preconditions of a write: the uid and the version of the object, and `If-Match` (DEC-1, DEC-31, AMB-36).
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { MODIFIED, badRequest, conflict, invalid } from "../../meta/status.ts";
import { isResourceVersion } from "../../meta/versions.ts";
import type { Caller } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import type { Write } from "../kind/write.ts";

/**
 * Objects of some kinds are not replaced without a version, where the dialect requires one (DEC-31): a PUT must contain it, and a patch
 * must not remove it.
 *
 * @param of the kind of the bodies
 */
export function demandVersion({ kind, target, ctx }: Write, of: Kind, object: ApiObject): void {
  if (!of.definition.versionedUpdate || !ctx.dialect.rules.demandResourceVersion) return;
  const version = object.metadata.resourceVersion ?? "";
  if (version !== "" && version !== "0") return;
  throw invalid({ group: kind.ref.group, kind: kind.ref.plural }, target.name, [
    {
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(version)}: must be specified for an update`,
      field: "metadata.resourceVersion",
    },
  ]);
}

/** A version in the body must be a number, even where no object exists to compare it with. */
export function checkVersionForm({ metadata }: ApiObject): void {
  const sent = metadata.resourceVersion ?? "";
  if (sent !== "" && !isResourceVersion(sent)) {
    throw badRequest(`expected metadata.resourceVersion to be a number, got ${JSON.stringify(sent)}`);
  }
}

/** A version in the body must be that of the stored object; empty and "0" mean any (DEC-31). */
export function checkVersion({ kind, target }: Write, object: ApiObject, old: ApiObject): void {
  const sent = object.metadata.resourceVersion ?? "";
  if (sent === "" || sent === "0") return;
  checkVersionForm(object);
  if (sent === old.metadata.resourceVersion) return;
  throw conflict(kind.ref, target.name, MODIFIED);
}

/** Why a write of another object of the same name is refused. */
export const uidMismatch = (expected: string, { metadata }: ApiObject): string =>
  `Precondition failed: UID in precondition: ${expected}, UID in object meta: ${metadata.uid}`;

/** A uid in the body must be that of the stored object (DEC-1: 409). */
export function checkUid({ kind, target }: Write, object: ApiObject, old: ApiObject): void {
  const { uid } = object.metadata;
  if (uid && uid !== old.metadata.uid) {
    throw conflict(kind.ref, target.name, uidMismatch(uid, old));
  }
}

/** A uid in the result must be that of the stored object (DEC-1: 422 in a patch). */
export function checkPatchedUid({ kind, target }: Write, object: ApiObject, old: ApiObject): void {
  const { uid } = object.metadata;
  if (!uid || uid === old.metadata.uid) return;
  throw invalid({ group: kind.ref.group, kind: kind.definition.kind }, target.name, [
    {
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(uid)}: field is immutable`,
      field: "metadata.uid",
    },
  ]);
}

/** The precondition of `If-Match`: a version, quoted or not, or `*` for any that exists (AMB-36). */
export function checkIfMatch(kind: Kind, name: string, { ifMatch }: Caller, entry: Entry | undefined): void {
  if (!ifMatch || !kind.shared.api.dialect.rules.ifMatch) return;
  const wanted = ifMatch.split(",").map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, "$1"));
  if (entry && (wanted.includes("*") || wanted.includes(String(entry.revision)))) return;
  throw conflict(kind.ref, name, `If-Match expected version ${ifMatch}, got ${entry ? entry.revision : "no object"}`);
}
