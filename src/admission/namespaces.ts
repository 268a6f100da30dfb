/**
 * What the namespace of a write must be like (POL-5, DEC-34).
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import { type ObjectRef, notFound } from "../meta/status.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";

const NAMESPACES: ObjectRef = { group: "", plural: "namespaces", kind: "Namespace" };
/** Questions about a namespace, which need not be there: nothing comes to be in it. */
const REVIEWS: ObjectRef = {
  group: "authorization.k8s.io",
  plural: "localsubjectaccessreviews",
  kind: "LocalSubjectAccessReview",
};

/** Creates a missing namespace; succeeds when it exists by now. */
export type ProvisionNamespace = (name: string) => Promise<void>;

/** What the step is made of. */
export interface NamespaceParts {
  readonly dialect: Dialect;
  /** Creates a missing namespace; undefined where a create in one is refused. */
  readonly provision: ProvisionNamespace | undefined;
}

/**
 * Creates go only into a namespace that exists and is not being deleted; namespaces of the system stay.
 *
 * With `provision` a missing namespace is made when the create is about to succeed; without it the create is refused with 404.
 * A create in a namespace that is being deleted is 403 with the cause `NamespaceTerminating` at `metadata.namespace`; updates
 * and deletes go on, so that finalizers can be removed.
 */
export function namespaceLifecycle({ dialect, provision }: NamespaceParts): AdmissionStep {
  const { protectedNamespaces } = dialect.rules;
  const isCreate = (request: AdmissionRequest): boolean =>
    request.operation === "CREATE" && request.namespaced && !concerns(request, REVIEWS);
  return {
    name: provision ? "NamespaceAutoProvision" : "NamespaceLifecycle",
    mutate(request) {
      if (isCreate(request)) admitCreate(request);
    },
    validate(request) {
      const { operation, name } = request;
      if (operation === "DELETE" && concerns(request, NAMESPACES) && protectedNamespaces.includes(name)) {
        throw refusal(request, "this namespace may not be deleted");
      }
    },
    commit(request) {
      if (!provision || !isCreate(request)) return undefined;
      return request.lookup.get("namespaces", "", request.namespace) ? undefined : provision(request.namespace);
    },
  };

  function admitCreate(request: AdmissionRequest): void {
    const { namespace } = request;
    const found = request.lookup.get("namespaces", "", namespace);
    if (!found) {
      if (provision) return;
      throw notFound(NAMESPACES, namespace);
    }
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw refusal(request, why, [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ]);
  }
}

/** Refuses writes in a namespace that does not exist with 404, those of objects that are there too. */
export const namespaceExists: AdmissionStep = {
  name: "NamespaceExists",
  validate({ namespaced, namespace, lookup }) {
    if (!namespaced || lookup.get("namespaces", "", namespace)) return;
    throw notFound(NAMESPACES, namespace);
  },
};
