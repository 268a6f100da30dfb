/**
 * The rights of users (RBAC-55, RBAC-59): cluster-admin; admin, edit and view of a namespace; and the rights of all users.
 *
 * The rights to write in a namespace have neither `endpoints` nor `endpointslices`: those could redirect traffic to addresses of
 * other namespaces (CVE-2021-25740).
 *
 * @module
 */
import type { Gates } from "../../../meta/gates.ts";
import type { RuleForm } from "../rule.ts";
import { can, manage, paths, read, write } from "./rule-builders.ts";

/** The rules of each role, by its name. */
export const userRules = (gates: Gates): Readonly<Record<string, readonly RuleForm[]>> => ({
  "cluster-admin": [can("*", "*", "*"), paths("*", "*")],
  "system:aggregate-to-admin": [
    can("create", "authorization.k8s.io", "localsubjectaccessreviews"),
    manage("rbac.authorization.k8s.io", "rolebindings roles"),
  ],
  "system:aggregate-to-edit": [
    read("core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
    can("impersonate", "core", "serviceaccounts"),
    write("core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
    can("create", "core", "pods/eviction"),
    write(
      "core",
      "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
    ),
    can("create", "core", "serviceaccounts/token"),
    write("core events.k8s.io", "events"),
    write(
      "apps",
      "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
    ),
    write("autoscaling", "horizontalpodautoscalers"),
    write("batch", "cronjobs jobs"),
    write(
      "extensions",
      "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
    ),
    write("policy", "poddisruptionbudgets"),
    write("networking.k8s.io", "ingresses networkpolicies"),
    manage("coordination.k8s.io", "leases"),
    write("resource.k8s.io", "resourceclaims resourceclaimtemplates"),
  ],
  "system:aggregate-to-view": [
    read(
      "core",
      "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
    ),
    read(
      "core",
      "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
    ),
    read("core", "namespaces"),
    read("core events.k8s.io", "events"),
    read("discovery.k8s.io", "endpointslices"),
    read(
      "apps",
      "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
    ),
    read("autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
    read("batch", "cronjobs cronjobs/status jobs jobs/status"),
    read(
      "extensions",
      "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
    ),
    read("policy", "poddisruptionbudgets poddisruptionbudgets/status"),
    read("networking.k8s.io", "ingresses ingresses/status networkpolicies"),
    read("resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
  ],
  "system:basic-user": [
    can("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
    can("create", "authentication.k8s.io", "selfsubjectreviews"),
  ],
  "system:discovery": [
    paths("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/"),
  ],
  "system:public-info-viewer": [paths("get", "/healthz /livez /readyz /version /version/")],
  "system:service-account-issuer-discovery": [
    paths(
      "get",
      "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
    ),
  ],
  ...(gates.ClusterTrustBundle
    ? { "system:cluster-trust-bundle-discovery": [read("certificates.k8s.io", "clustertrustbundles")] }
    : {}),
  "system:monitoring": [
    paths("get", "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*"),
    can("get", "core", "nodes/metrics"),
  ],
  "system:auth-delegator": [
    can("create", "authentication.k8s.io", "tokenreviews"),
    can("create", "authorization.k8s.io", "subjectaccessreviews"),
  ],
});
