/**
 * What people do to roles and bindings that are there from the start, and what a server has made of them after it started
 * again (RBAC-57).
 *
 * @module
 */
import { type DefaultObject, defaultRoles } from "../../src/auth/rbac/defaults/index.ts";
import type { RuleForm } from "../../src/auth/rbac/rule.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import { seededRandom } from "../../src/util/clock.ts";
import type { Server } from "./answers.ts";

/** One action of a user. */
export interface Change {
  readonly method: "DELETE" | "PATCH" | "POST";
  readonly path: string;
  readonly body?: object;
}

/** The objects of a server: by path, without members that depend on time; `isNew` where it is another object than before. */
export type Found = Readonly<Record<string, object>>;

const GROUP = "rbac.authorization.k8s.io";
const AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const MERGE = { "content-type": "application/merge-patch+json" };

/** Roles that only some servers have, by the features that they are started with, are left alone. */
const FEATURES = /selinux|podcertificate|clustertrustbundle|cluster-trust|device-taint|storage-version|resource-claim/i;

interface Target {
  readonly collection: string;
  readonly name: string;
  readonly object: DefaultObject["object"];
}

const targets: readonly Target[] = defaultRoles({ dialect: kubernetes, gates: gatesOf(kubernetes) })
  .map(({ resource, object }) => {
    const { namespace, name = "" } = object.metadata;
    const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
    return { collection: `/apis/${GROUP}/v1${place}/${resource.split(".")[0]}`, name, object };
  })
  .filter(({ name }) => !FEATURES.test(name) && name !== "cluster-admin");

/** The paths of all objects that may be changed. */
export const PATHS: readonly string[] = targets.map(({ collection, name }) => `${collection}/${name}`);

/** Draws what is done: to about two of three objects something. */
export function drawChanges(seed: number): readonly Change[] {
  const random = seededRandom(seed);
  const below = (most: number): number => Math.floor(random.next() * most);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const some = <T>(from: readonly T[]): readonly T[] => from.filter(() => random.next() < 0.5);

  const changedRules = (kind: string, rules: readonly RuleForm[]): readonly object[] => {
    const kept = some(rules).map((rule): object => {
      const verbs = some(rule.verbs ?? []);
      return random.next() < 0.3 && verbs.length > 0 ? { ...rule, verbs } : rule;
    });
    const wide = { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] };
    const own = { apiGroups: ["", "apps"], resources: ["*/scale", "pods"], verbs: ["*"] };
    const named = { apiGroups: [""], resources: ["configmaps"], resourceNames: ["a", "b"], verbs: ["get"] };
    const path = { nonResourceURLs: ["/health*", "/x"], verbs: ["get"] };
    return [...kept, ...some(kind === "ClusterRole" ? [wide, own, named, path] : [wide, own, named])];
  };
  const changedSubjects = (subjects: readonly object[]): readonly object[] => [
    ...some(subjects),
    ...some([
      { kind: "User", apiGroup: GROUP, name: "jane" },
      { kind: "ServiceAccount", name: "robot", namespace: "default" },
    ]),
  ];
  const marks = (): object =>
    pick([
      {},
      {},
      { labels: null },
      { annotations: null },
      { labels: { "kubernetes.io/bootstrapping": "other" } },
      { labels: { mine: "x" }, annotations: { [AUTOUPDATE]: "no", note: "y" } },
      { annotations: { [AUTOUPDATE]: "false" } },
      { annotations: { [AUTOUPDATE]: "False" } },
    ]);
  const gathering = (): object =>
    pick([
      {},
      {},
      { aggregationRule: null },
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: "y" } }] } },
      { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "x", operator: "Exists" }] }] } },
    ]);

  const changesOf = ({ collection, name, object }: Target): readonly Change[] => {
    const path = `${collection}/${name}`;
    const remove: Change = { method: "DELETE", path };
    if (random.next() < 0.12) return [remove];
    if (!("roleRef" in object)) {
      const part = object.kind === "ClusterRole" ? gathering() : {};
      const rules = changedRules(object.kind, (object["rules"] as readonly RuleForm[] | null | undefined) ?? []);
      return [{ method: "PATCH", path, body: { metadata: marks(), rules, ...part } }];
    }
    const subjects = changedSubjects((object["subjects"] as readonly object[] | undefined) ?? []);
    if (random.next() < 0.7) return [{ method: "PATCH", path, body: { metadata: marks(), subjects } }];
    const roleRef = { ...(object["roleRef"] as object), name: "other" };
    const { kind, metadata } = object;
    const again = { apiVersion: `${GROUP}/v1`, kind, metadata, roleRef, subjects };
    return [
      remove,
      { method: "POST", path: collection, body: again },
      { method: "PATCH", path, body: { metadata: marks() } },
    ];
  };
  return targets.filter(() => random.next() < 0.7).flatMap(changesOf);
}

/** Does what was drawn; the UIDs of all objects after it. */
export async function change(server: Server, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
  for (const { method, path, body } of changes) {
    const { code, body: text } = await server.send(method, path, body, undefined, method === "PATCH" ? MERGE : {});
    if (code > 201) throw new Error(`expected ${method} ${path} to be done, got ${code}: ${text}`);
  }
  const uids = await Promise.all(PATHS.map(async (path) => [path, (await objectAt(server, path))?.metadata.uid ?? ""]));
  return new Map(uids as [string, string][]);
}

/** What has become of all objects. */
export async function found(server: Server, before: ReadonlyMap<string, string>): Promise<Found> {
  const entries = await Promise.all(
    PATHS.map(async (path): Promise<[string, object]> => {
      const object = await objectAt(server, path);
      if (!object) return [path, {}];
      const { metadata, apiVersion: _, ...rest } = object;
      const { labels, annotations, uid } = metadata;
      return [path, { ...rest, labels, annotations, isNew: uid !== before.get(path) }];
    }),
  );
  return JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Found;
}

interface Stored {
  readonly apiVersion: string;
  readonly metadata: { readonly uid: string; readonly labels?: object; readonly annotations?: object };
}

async function objectAt(server: Server, path: string): Promise<Stored | undefined> {
  const { code, body } = await server.send("GET", path);
  return code === 200 ? (JSON.parse(body) as Stored) : undefined;
}
