/** The API group of roles and bindings, which has the same name in every dialect. */
export const RBAC_GROUP = "rbac.authorization.k8s.io";
