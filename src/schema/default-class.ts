/**
 * The mark of a default StorageClass, which admission looks for and tables show.
 *
 * @module
 */
import type { ApiObject } from "./definition.ts";

/** Whether claims without a class get this one (DEC-40): the annotation, or its old name. */
export function isDefaultClass(object: ApiObject, labelDomain: string): boolean {
  const annotations = object.metadata.annotations;
  return (
    annotations?.[`storageclass.${labelDomain}/is-default-class`] === "true" ||
    annotations?.[`storageclass.beta.${labelDomain}/is-default-class`] === "true"
  );
}
