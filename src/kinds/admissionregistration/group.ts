/** What all kinds of the group have; its name is the same in every dialect. */
export const GROUP = {
  group: "admissionregistration.k8s.io",
  categories: ["api-extensions"],
  scope: "Cluster",
  bareFinalizers: true,
  generation: "fromOne",
  versionedUpdate: true,
} as const;
