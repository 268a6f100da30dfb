/**
 * The annotation of a default StorageClass, which admission reads and tables show.
 *
 * @module
 */
interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string | undefined>> | undefined };
}

/** Whether claims without a class get this one (DEC-40): the annotation, or its old name. */
export function isDefaultClass({ metadata: { annotations } }: Annotated, labelDomain: string): boolean {
  return (
    annotations?.[`storageclass.${labelDomain}/is-default-class`] === "true" ||
    annotations?.[`storageclass.beta.${labelDomain}/is-default-class`] === "true"
  );
}
