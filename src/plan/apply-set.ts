/**
 * ApplySets (KEP-3659): a parent object lists the kinds and namespaces of a set, and a label marks its objects.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { PrunedBySet } from "../meta/plan-report.ts";
import { type ObjectRef, conflict } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import { type Value, type ValueObject, getMember, isObject } from "../value/value.ts";

/** The label of the objects of a set. */
export const PART_OF = "applyset.kubernetes.io/part-of";
const ID = "applyset.kubernetes.io/id";
const TOOLING = "applyset.kubernetes.io/tooling";
const GROUP_KINDS = "applyset.kubernetes.io/contains-group-kinds";
const NAMESPACES = "applyset.kubernetes.io/additional-namespaces";

const TOOL = "keelson/v1";

/** The parent of a set. */
export interface SetParent {
  readonly kind: "ConfigMap" | "Secret";
  readonly namespace: string;
  readonly name: string;
  /** The value of {@link PART_OF}. */
  readonly id: string;
}

/** The kinds, as `Kind.group`, and the namespaces of a set. */
export interface SetContent {
  readonly groupKinds: readonly string[];
  readonly namespaces: readonly string[];
}

/** The parent that a request names. */
export function parentOf({ set }: PrunedBySet, usual: string): SetParent {
  const { name, kind = "Secret", namespace = usual } = set;
  const hash = createHash("sha256").update(`${name}.${namespace}.${kind}.`).digest("base64url");
  return { kind, namespace, name, id: `applyset-${hash}-v1` };
}

/** A document as a member of a set. */
export function asMember(document: Value, { id }: SetParent): Value {
  if (!isObject(document)) return document;
  const metadata = asObject(getMember(document, "metadata"));
  const labels = asObject(getMember(metadata, "labels"));
  return { ...document, metadata: { ...metadata, labels: { ...labels, [PART_OF]: id } } };
}

/** Throws 409 for a stored object that is in another set. */
export function checkMember({ id }: SetParent, ref: ObjectRef, { metadata }: ApiObject): void {
  const other = metadata.labels?.[PART_OF];
  if (other === undefined || other === id) return;
  throw conflict(
    ref,
    metadata.name ?? "",
    `it is in the ApplySet ${other} already; remove it there, or force the apply`,
  );
}

/** The document of a parent. */
export const parentDocument = ({ kind, namespace, name, id }: SetParent, content: SetContent): Value => ({
  apiVersion: "v1",
  kind,
  metadata: {
    name,
    namespace,
    labels: { [ID]: id },
    annotations: {
      [TOOLING]: TOOL,
      [GROUP_KINDS]: content.groupKinds.toSorted().join(","),
      [NAMESPACES]: content.namespaces
        .filter((one) => one !== namespace)
        .toSorted()
        .join(","),
    },
  },
});

/** The members of a set by its stored parent; 409 where it is no parent, or that of another tool. */
export function contentOf(parent: SetParent, { metadata }: ApiObject): SetContent {
  const { labels = {}, annotations = {} } = metadata;
  const plural = parent.kind === "Secret" ? "secrets" : "configmaps";
  const ref: ObjectRef = { group: "", plural, kind: parent.kind };
  if (labels[ID] !== parent.id) {
    throw conflict(
      ref,
      parent.name,
      `expected the label ${ID}=${parent.id} of the parent of an ApplySet: choose another name`,
    );
  }
  const tool = annotations[TOOLING] ?? "";
  if (tool.split("/")[0] !== TOOL.split("/")[0]) {
    throw conflict(
      ref,
      parent.name,
      `expected an ApplySet of ${TOOL}, it is one of ${JSON.stringify(tool)}: use that tool`,
    );
  }
  return {
    groupKinds: listIn(annotations[GROUP_KINDS]),
    namespaces: [...listIn(annotations[NAMESPACES]), parent.namespace],
  };
}

const listIn = (text = ""): string[] => text.split(",").filter((one) => one !== "");

const asObject = (value: Value | undefined): ValueObject => (isObject(value) ? value : {});
