/** The topics of changes after which unschedulable Pods are tried again (SCHED-4). */
export const topics = {
  /** Labels, taints and allocatable resources of nodes. */
  nodes: "nodes",
  podDeleted: "pod gone",
  /** A Pod was bound, or its labels changed. */
  podAdded: "pod came",
  limits: "limits",
  claim: (key: string): string => `claim ${key}`,
  volume: (name: string): string => `volume ${name}`,
  bucket: (bucket: string): string => `bucket ${bucket}`,
  storageClass: (name: string): string => `class ${name}`,
  driver: (name: string): string => `driver ${name}`,
  capacity: (className: string): string => `capacity ${className}`,
} as const;
