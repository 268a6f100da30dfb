/**
 * What may change, so that Pods that wait are looked at again (SCHED-4).
 *
 * @module
 */

/** See the head of this file. */
export const topics = {
  /** Nodes: their labels, taints and room. */
  nodes: "nodes",
  /** A Pod has left its node. */
  podDeleted: "pod gone",
  /** A Pod was placed, or has other labels. */
  podAdded: "pod came",
  /** What nodes have of drivers: CSINodes and attachments. */
  limits: "limits",
  claim: (key: string): string => `claim ${key}`,
  volume: (name: string): string => `volume ${name}`,
  /** A volume of a bucket can be had. */
  bucket: (bucket: string): string => `bucket ${bucket}`,
  storageClass: (name: string): string => `class ${name}`,
  driver: (name: string): string => `driver ${name}`,
  /** The storage that is left for volumes of a class. */
  capacity: (className: string): string => `capacity ${className}`,
} as const;
