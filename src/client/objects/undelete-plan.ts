import type { ApiObject } from "../kind.ts";

/** A version of an object to restore, or the body of its create: members that the server sets may be missing. */
export interface RestorableObject extends Omit<ApiObject, "metadata"> {
  readonly metadata: Partial<ApiObject["metadata"]>;
  readonly [member: string]: unknown;
}

type OwnerReference = NonNullable<ApiObject["metadata"]["ownerReferences"]>[number];

type ManagedFields = NonNullable<ApiObject["metadata"]["managedFields"]>;

/** Something that cannot be restored. */
export interface Loss {
  /** A field such as `metadata.uid`, or a word. */
  readonly what: string;
  readonly why: string;
}

/** A deleted object to restore. */
export interface Deleted {
  /** The version to restore, as it was stored. */
  readonly object: RestorableObject;
  /** Owner references to objects that do not exist any more. */
  readonly goneOwners: readonly OwnerReference[];
  /** Whether it has a status subresource. */
  readonly hasStatus: boolean;
}

/** The requests that restore an object, and the losses. */
export interface Plan {
  /** The object to create. */
  readonly body: RestorableObject;
  /** The status to write after the create; undefined for none. */
  readonly status: unknown;
  /** The managed fields of the version. */
  readonly managers: ManagedFields;
  readonly losses: readonly Loss[];
}

/** Members of metadata that only the server writes. */
const SERVER_ONLY: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "ownerReferences",
  "selfLink",
]);

/** Losses outside of an object, by kind. */
const RELATED_LOSSES: Readonly<Record<string, readonly Loss[]>> = {
  Namespace: [{ what: "objects", why: "what was in the namespace is deleted still: undelete what you need of it" }],
  ServiceAccount: [{ what: "tokens", why: "those that were issued before name the old uid and are refused" }],
  VolumeSnapshot: [
    {
      what: "content",
      why: "of a claim a new snapshot is taken; a VolumeSnapshotContent that is kept names the old uid: make one that names it",
    },
  ],
};

/** Plans how to restore an object. */
export function planUndelete({ object, goneOwners, hasStatus }: Deleted): Plan {
  const { metadata, status, ...rest } = object;
  const kept = Object.entries(metadata).filter(([name]) => !SERVER_ONLY.has(name));
  const owners = (metadata.ownerReferences ?? []).filter((owner) => !goneOwners.includes(owner));
  const written = status !== undefined && status !== null && Object.keys(status).length > 0;
  const body: RestorableObject = {
    ...rest,
    metadata: { ...Object.fromEntries(kept), ...(owners.length > 0 ? { ownerReferences: owners } : {}) },
    ...(hasStatus || status === undefined ? {} : { status }),
  };
  // A status that was written during the deletion is about the deletion.
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const restored = hasStatus && written && !isTerminating ? status : undefined;
  return {
    body,
    status: restored,
    // A manager of a status that is not restored owns nothing.
    managers: (metadata.managedFields ?? []).filter(
      ({ subresource }) => subresource !== "status" || restored !== undefined,
    ),
    losses: [
      ...identityLosses(object),
      ...goneOwners.map(({ kind, name, uid }) => ({
        what: "metadata.ownerReferences",
        why: `${kind} ${name} (uid ${uid}) is gone`,
      })),
      ...(isTerminating ? terminatingLosses(hasStatus && written) : []),
      ...(RELATED_LOSSES[object.kind] ?? []),
    ],
  };
}

function identityLosses({ metadata }: RestorableObject): Loss[] {
  const { uid, resourceVersion, creationTimestamp, generation = 0 } = metadata;
  return [
    { what: "metadata.uid", why: `was ${uid ?? "unknown"}; what names that uid does not mean the new object` },
    { what: "metadata.resourceVersion", why: `was ${resourceVersion ?? "unknown"}` },
    { what: "metadata.creationTimestamp", why: `was ${creationTimestamp ?? "unknown"}` },
    ...(generation > 1 ? [{ what: "metadata.generation", why: `was ${generation}; it starts again` }] : []),
  ];
}

const terminatingLosses = (status: boolean): Loss[] => [
  {
    what: "metadata.finalizers",
    why: "those that were removed while it was being deleted; older versions are not kept",
  },
  ...(status ? [{ what: "status", why: "the one that is kept was written while it was being deleted" }] : []),
];
