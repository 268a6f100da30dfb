import type { Filter } from "./contract.ts";

/** Tells with every answer of a deprecated version that it is one. */
export const warn: Filter = {
  name: "warn",
  enter: (_server, request) => {
    const deprecated = request.resource?.definition.deprecated;
    if (deprecated === undefined) return;
    request.warn([deprecated]);
    request.note("k8s.io/deprecated", "true");
  },
};
