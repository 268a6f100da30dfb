/**
 * What all objects have in common, and their paths.
 *
 * @module
 */
import type { Kind } from "./discovery.ts";

/** The field manager of what the console writes. */
export const FIELD_MANAGER = "keelson-console";

/** The metadata of an object, as far as the console reads it. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** A reference to the owner of an object. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Any object. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A list of objects; of an empty list of metadata the items are null, as Go programs write it: {@link itemsOf}. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[] | null;
}

/** The objects of a list. */
export function itemsOf<T extends KubeObject>({ items }: Pick<KubeList<T>, "items">): readonly T[] {
  return items ?? [];
}

/** The members of a kind that its paths have. */
export type KindPath = Pick<Kind, "group" | "version" | "resource">;

/** `v1`, or `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<Kind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The path of the objects of a kind, in a namespace if there is one. */
export function collectionPath(kind: KindPath, namespace?: string): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const inside = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${inside}/${kind.resource}`;
}

/** The path of an object, or of one of its subresources. */
export function objectPath(kind: KindPath, namespace: string | undefined, name: string, subresource?: string): string {
  const path = `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
