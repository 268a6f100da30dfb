import type { Filter } from "./contract.ts";

/** Warns in every response of a deprecated version, and records for audit the release in which that is removed. */
export const warn: Filter = {
  name: "warn",
  enter: (_server, request) => {
    const { deprecated, removedRelease } = request.resource?.definition ?? {};
    if (deprecated === undefined) return;
    const { response } = request;
    response.warn([deprecated]);
    response.recorder?.note("k8s.io/deprecated", "true");
    if (removedRelease !== undefined) response.recorder?.note("k8s.io/removed-release", removedRelease);
  },
};
