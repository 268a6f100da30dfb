/**
 * A cluster in which each request says what its sender may do, for the rules about permissions.
 *
 * A sender with the verb `patch status` may patch status paths, and only those.
 *
 * @module
 */
import type { Authenticator, Authorizer } from "../../src/auth/contract.ts";
import type { Answer } from "./answer.ts";
import { type Extras, JSON_TYPE, serve } from "./api.ts";

/** A sender with some verbs. */
export interface Sender {
  send(method: string, path: string, body?: string, type?: string): Promise<Answer>;
  /** The status of the answer, whose body may have no end. */
  status(method: string, path: string, body?: string, type?: string): Promise<number>;
}

/** The cluster. */
export interface PolicedCluster {
  /** A user with these verbs and no others. */
  as(verbs: readonly string[]): Sender;
}

const VERBS = "x-test-verbs";

const authenticator: Authenticator = {
  authenticate: ({ header }) => ({ user: "somebody", groups: header(VERBS).split(",") }),
};

const authorizer: Authorizer = {
  authorize: ({ user, groups }, { verb, resource, subresource, isResource }) =>
    !isResource || groups.includes(subresource ? `${verb} ${subresource}` : verb)
      ? { allowed: true, reason: "" }
      : { allowed: false, reason: `${user} may not ${verb} ${resource}` },
  rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: true }),
};

/** The cluster for the tests of a `describe` block, in the neutral dialect. */
export function policed(): PolicedCluster {
  const api = serve({ controllers: "none" }, { authenticator: () => authenticator, authorizer: () => authorizer });
  return {
    as(verbs) {
      const extras = (body: string | undefined, type = JSON_TYPE): Extras => ({
        headers: { [VERBS]: verbs.join(","), ...(body === undefined ? {} : { "content-type": type }) },
        identity: null,
      });
      return {
        send: (method, path, body, type) => api.send(method, path, body, extras(body, type)),
        async status(method, path, body, type) {
          const answer = await api.raw(method, path, body, extras(body, type));
          answer.cancel();
          return answer.code;
        },
      };
    },
  };
}
