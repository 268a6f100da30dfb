import type { Filter } from "./contract.ts";

/** Tells with every answer of a deprecated version that it is one, and audit until when it is served. */
export const warn: Filter = {
  name: "warn",
  enter: (_server, request) => {
    const { deprecated, removedRelease } = request.resource?.definition ?? {};
    if (deprecated === undefined) return;
    request.warn([deprecated]);
    request.note("k8s.io/deprecated", "true");
    if (removedRelease !== undefined) request.note("k8s.io/removed-release", removedRelease);
  },
};
