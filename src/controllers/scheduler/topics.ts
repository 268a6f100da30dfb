/** The topics of changes after which unschedulable Pods are tried again (SCHED-4). */
export const topics = {
  /** Labels, taints and allocatable resources of nodes. */
  nodes: "nodes",
  /** A Pod was removed from its node. */
  podDeleted: "pod gone",
  /** A Pod was bound, or its labels changed. */
  podAdded: "pod came",
  /** CSINodes and attachments. */
  limits: "limits",
  claim: (key: string): string => `claim ${key}`,
  volume: (name: string): string => `volume ${name}`,
  /** A volume of a bucket is available. */
  bucket: (bucket: string): string => `bucket ${bucket}`,
  storageClass: (name: string): string => `class ${name}`,
  driver: (name: string): string => `driver ${name}`,
  /** The free storage of a class. */
  capacity: (className: string): string => `capacity ${className}`,
} as const;
