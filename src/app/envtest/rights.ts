/**
 * What everybody may do in a cluster before anybody has made a role: who is known by name the discovery and questions about
 * oneself, strangers the health.
 *
 * @module
 */
import { masters } from "../../auth/admin.ts";
import type { Authorizer } from "../../auth/contract.ts";
import type { RequestInfo } from "../../meta/request-info.ts";

const HEALTH = /^\/(?:healthz|livez|readyz|version\/?)$/;
const DISCOVERY = /^\/(?:api|apis|openapi)(?:\/.*)?$/;
/** Questions about oneself. */
const SELF = ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"];

/** See the head of this file. */
export const firstRoles: Authorizer = {
  authorize(identity, info) {
    const isKnown = identity.groups.includes("system:authenticated");
    if (mayStranger(info) || (isKnown && mayAnybody(info))) return { allowed: true, reason: "" };
    return masters.authorize(identity, info);
  },
  rightsOf: (identity, namespace) => masters.rightsOf(identity, namespace),
};

const mayStranger = ({ isResource, verb, path }: RequestInfo): boolean =>
  !isResource && verb === "get" && HEALTH.test(path);

const mayAnybody = ({ isResource, verb, path, resource }: RequestInfo): boolean =>
  isResource ? verb === "create" && SELF.includes(resource) : verb === "get" && DISCOVERY.test(path);
