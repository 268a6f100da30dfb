/** Desired annotations; those that are undefined must be absent. */
type Desired = Readonly<Record<string, string | undefined>>;

/** An object that may have annotations. */
interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The object with changed annotations; those that are undefined are removed. */
export function annotated<T extends Annotated>(object: T, changes: Desired): T {
  const annotations: Record<string, string> = { ...object.metadata.annotations };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete annotations[name];
    else annotations[name] = value;
  }
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Whether an object has the desired annotations. */
export const isAnnotated = ({ metadata: { annotations = {} } }: Annotated, desired: Desired): boolean =>
  Object.entries(desired).every(([name, value]) => annotations[name] === value);
