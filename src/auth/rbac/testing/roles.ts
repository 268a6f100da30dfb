/**
 * Roles and bindings that change while they are followed, and requests, for tests.
 *
 * @module
 */
import { NO_REQUEST, type RequestInfo } from "../../../meta/request-info.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import type { Followed, Lookup, ObjectName } from "../../../schema/lookup.ts";
import type { RuleForm } from "../rule.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";
const PLURALS: Readonly<Record<string, string>> = {
  Role: `roles.${RBAC_GROUP}`,
  ClusterRole: `clusterroles.${RBAC_GROUP}`,
  RoleBinding: `rolebindings.${RBAC_GROUP}`,
  ClusterRoleBinding: `clusterrolebindings.${RBAC_GROUP}`,
};

/** A subject as `User kim`, `Group team`, `ServiceAccount ns/name` or `ServiceAccount name`. */
function subjectOf(text: string): object {
  const [kind = "", name = ""] = text.split(/ (.*)/);
  const slash = kind === "ServiceAccount" ? name.indexOf("/") : -1;
  return { kind, name: name.slice(slash + 1), ...(slash < 0 ? {} : { namespace: name.slice(0, slash) }) };
}

/** A lookup over roles and bindings alone, which reports changes as the cache does. */
export class RolesOfTest implements Lookup {
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #changes = new Map<string, ObjectName[]>();
  /** The number of reads of single objects, by resource. */
  readonly reads = new Map<string, number>();
  /** Drops the changes so far, as a cache with a short history does. */
  forgotten = 0;

  role(namespace: string, name: string, ...rules: readonly RuleForm[]): void {
    this.#put("Role", namespace, name, { rules });
  }

  clusterRole(name: string, ...rules: readonly RuleForm[]): void {
    this.#put("ClusterRole", "", name, { rules });
  }

  /** A binding to `Role name` or `ClusterRole name`; the namespace is empty for one of the cluster. */
  binding(namespace: string, name: string, role: string, ...subjects: readonly string[]): void {
    const [kind, roleName] = role.split(/ (.*)/);
    const roleRef = { apiGroup: RBAC_GROUP, kind, name: roleName };
    const form = { roleRef, subjects: subjects.map(subjectOf) };
    this.#put(namespace === "" ? "ClusterRoleBinding" : "RoleBinding", namespace, name, form);
  }

  remove(kind: string, namespace: string, name: string): void {
    this.#all(PLURALS[kind]!).delete(`${namespace}/${name}`);
    this.#changed(PLURALS[kind]!, { namespace, name });
  }

  get(resource: string, namespace: string, name: string): ApiObject | undefined {
    this.reads.set(resource, (this.reads.get(resource) ?? 0) + 1);
    return this.#all(resource).get(`${namespace}/${name}`);
  }

  collect<T>(resource: string, read: (object: ApiObject) => T | undefined): Promise<readonly T[]> {
    const found = [...this.#all(resource).values()].map(read);
    return Promise.resolve(found.filter((one) => one !== undefined));
  }

  first(): readonly ObjectName[] {
    return [];
  }

  follow(resource: string): Followed {
    const changes = (): ObjectName[] => this.#changes.get(resource) ?? [];
    const forgotten = (): number => this.forgotten;
    return {
      get mark() {
        return changes().length;
      },
      changedSince: (mark) => (mark < forgotten() ? undefined : changes().slice(mark)),
    };
  }

  #put(kind: string, namespace: string, name: string, form: object): void {
    const resource = PLURALS[kind]!;
    const metadata = { name, ...(namespace === "" ? {} : { namespace }) };
    this.#all(resource).set(`${namespace}/${name}`, { apiVersion: `${RBAC_GROUP}/v1`, kind, metadata, ...form });
    this.#changed(resource, { namespace, name });
  }

  #changed(resource: string, object: ObjectName): void {
    this.#changes.set(resource, [...(this.#changes.get(resource) ?? []), object]);
  }

  #all(resource: string): Map<string, ApiObject> {
    let all = this.#objects.get(resource);
    if (!all) this.#objects.set(resource, (all = new Map()));
    return all;
  }
}

/** A rule as `get,list pods,pods/log x.example.com a,b`: verbs, resources, groups and names; `core` is the core group. */
export function rule(text: string): RuleForm {
  const [verbs = "", resources = "", groups = "core", names = ""] = text.split(" ");
  const list = (joined: string): string[] => (joined === "" ? [] : joined.split(","));
  return {
    verbs: list(verbs),
    resources: list(resources),
    apiGroups: list(groups).map((group) => (group === "core" ? "" : group)),
    ...(names === "" ? {} : { resourceNames: list(names).map((name) => (name === "''" ? "" : name)) }),
  };
}

/** A rule about paths: `get /healthz,/api/*`. */
export function pathRule(text: string): RuleForm {
  const [verbs = "", paths = ""] = text.split(" ");
  return { verbs: verbs.split(","), nonResourceURLs: paths.split(",") };
}

/** A request as `get pods/log x.example.com name`, in a namespace or for the cluster; for paths `get /healthz`. */
export function question(text: string, namespace = ""): RequestInfo {
  const [verb = "", what = "", group = "core", name = ""] = text.split(" ");
  if (what.startsWith("/")) return { ...NO_REQUEST, verb, path: what };
  const [resource = "", subresource = ""] = what.split(/\/(.*)/);
  const place = { namespace, group: group === "core" ? "" : group };
  return { ...NO_REQUEST, isResource: true, verb, resource, subresource, name, ...place };
}
