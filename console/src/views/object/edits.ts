/**
 * Edits of an object: what they begin with.
 *
 * @module
 */
import { type Value, isObject } from "../../../../src/value/value.ts";
import { FIELD_MANAGER } from "../../api/kube.ts";
import type { Draft, EditBase } from "../../editor/drafts.ts";
import { ownedText, plainText } from "../../editor/owners.ts";
import type { Steps } from "../../../../src/util/steps.ts";
import { inPageSlices } from "../../ui/sliced.ts";
import { type ObjectKey, readReport } from "./model.ts";

/** The key of the draft of an object, whichever moment is shown. */
export const draftKeyOf = ({ kind: { group, version, resource }, namespace, name }: ObjectKey): string =>
  JSON.stringify([group, version, resource, namespace, name]);

/** Reads an object to edit it. @throws {StatusError} if it cannot be read */
export async function readBase({ kind, namespace, name }: ObjectKey, hideStatus: boolean): Promise<EditBase> {
  const report = await readReport({ kind, namespace, name });
  const { text } = await inPageSlices(ownedText(report, { status: hideStatus }));
  return { kind, namespace, name, text, report, hideStatus };
}

/** An edit of an object, which begins with its text or with another one. */
export function draftOf(base: EditBase, text = base.text): Draft {
  const title = `${base.kind.kind} ${base.name}`;
  return { title, text, initial: base.text, base, method: "update", manager: FIELD_MANAGER };
}

/** Makes the text of an old version with the resourceVersion and the uid of the object that it replaces, in steps. */
export function restoredText(version: Value, { report: { object }, hideStatus }: EditBase): Steps<string> {
  const metadata = isObject(version) && isObject(version["metadata"]) ? version["metadata"] : {};
  const { resourceVersion = null, uid = null } = object;
  const restored = isObject(version) ? { ...version, metadata: { ...metadata, resourceVersion, uid } } : version;
  return plainText(restored, { status: hideStatus });
}
