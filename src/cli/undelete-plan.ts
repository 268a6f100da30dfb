/**
 * What of a deleted object can be made again, and what cannot.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";

type OwnerReference = NonNullable<ApiObject["metadata"]["ownerReferences"]>[number];

type ManagedFields = NonNullable<ApiObject["metadata"]["managedFields"]>;

/** Something that is not as it was. */
export interface Loss {
  /** `metadata.uid`, or a word for what is no field. */
  readonly what: string;
  readonly why: string;
}

/** What is known of an object that is to be made again. */
export interface Deleted {
  /** Its last version that is kept, as it was stored. */
  readonly object: ApiObject;
  /** What of its owner references can no longer be right. */
  readonly goneOwners: readonly OwnerReference[];
  /** Whether its status is written through a subresource of its own. */
  readonly hasStatus: boolean;
}

/** What to send, and what to tell. */
export interface Plan {
  /** For a create. */
  readonly body: ApiObject;
  /** For the status subresource afterwards; undefined when there is nothing to write. */
  readonly status: unknown;
  /** Who owned what comes back, as the version recorded it; empty where nobody did. */
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

/** What else belonged to an object of a kind, and is not in it. */
const AROUND: Readonly<Record<string, readonly Loss[]>> = {
  Namespace: [{ what: "objects", why: "what was in the namespace is deleted still: undelete what you need of it" }],
  ServiceAccount: [{ what: "tokens", why: "those that were issued before name the old uid and are refused" }],
  VolumeSnapshot: [
    {
      what: "content",
      why: "of a claim a new snapshot is taken; a VolumeSnapshotContent that is kept names the old uid: make one that names it",
    },
  ],
};

/** Plans; the object is not changed. */
export function planUndelete({ object, goneOwners, hasStatus }: Deleted): Plan {
  const { metadata, status, ...rest } = object;
  const kept = Object.entries(metadata).filter(([name]) => !SERVER_ONLY.has(name));
  const owners = (metadata.ownerReferences ?? []).filter((owner) => !goneOwners.includes(owner));
  const written = status !== undefined && status !== null && Object.keys(status).length > 0;
  const body: ApiObject = {
    ...rest,
    metadata: { ...Object.fromEntries(kept), ...(owners.length > 0 ? { ownerReferences: owners } : {}) },
    ...(hasStatus || status === undefined ? {} : { status }),
  };
  // A status that was written while the object was going away is about that.
  const going = metadata.deletionTimestamp !== undefined;
  const restored = hasStatus && written && !going ? status : undefined;
  return {
    body,
    status: restored,
    // Who wrote a status that does not come back owns none.
    managers: (metadata.managedFields ?? []).filter(
      ({ subresource }) => subresource !== "status" || restored !== undefined,
    ),
    losses: [
      ...identityLosses(object),
      ...goneOwners.map(({ kind, name, uid }) => ({
        what: "metadata.ownerReferences",
        why: `${kind} ${name} (uid ${uid}) is gone`,
      })),
      ...(going ? goingLosses(hasStatus && written) : []),
      ...(AROUND[object.kind] ?? []),
    ],
  };
}

function identityLosses({ metadata }: ApiObject): Loss[] {
  const { uid, resourceVersion, creationTimestamp, generation = 0 } = metadata;
  return [
    { what: "metadata.uid", why: `was ${uid ?? "unknown"}; what names that uid does not mean the new object` },
    { what: "metadata.resourceVersion", why: `was ${resourceVersion ?? "unknown"}` },
    { what: "metadata.creationTimestamp", why: `was ${creationTimestamp ?? "unknown"}` },
    ...(generation > 1 ? [{ what: "metadata.generation", why: `was ${generation}; it begins anew` }] : []),
  ];
}

const goingLosses = (status: boolean): Loss[] => [
  {
    what: "metadata.finalizers",
    why: "those that were removed while it was being deleted; older versions are not kept",
  },
  ...(status ? [{ what: "status", why: "the one that is kept was written while it was being deleted" }] : []),
];
