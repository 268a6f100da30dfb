import type { Source } from "../../clients/built.ts";

/** The external-provisioner of Kubernetes alone: it is built in seconds where its module is there. */
export const PROVISIONER: Source = {
  name: "csi-provisioner",
  folder: new URL("../../clients/sidecars/provisioner/", import.meta.url).pathname,
  commands: (output) => [["go", "build", "-o", `${output}/`, "tool"]],
};
