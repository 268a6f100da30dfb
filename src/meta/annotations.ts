/** Annotations that are wanted; those that are undefined are not to be there. */
type Wanted = Readonly<Record<string, string | undefined>>;

/** What may have annotations. */
interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The same object with other annotations; those that are undefined are taken off. */
export function annotated<T extends Annotated>(object: T, changes: Wanted): T {
  const annotations: Record<string, string> = { ...object.metadata.annotations };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete annotations[name];
    else annotations[name] = value;
  }
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Whether an object has annotations as they are wanted. */
export const isAnnotated = ({ metadata: { annotations = {} } }: Annotated, wanted: Wanted): boolean =>
  Object.entries(wanted).every(([name, value]) => annotations[name] === value);
