/**
 * A small cluster of random roles and bindings, and what is asked of it: may they, and may they give that.
 *
 * Every name begins with a prefix of the world, so that worlds do not see each other on a server that has had many.
 *
 * @module
 */
import { type Random, seededRandom } from "../../src/util/clock.ts";

/** The user of a request. */
export interface Sender {
  readonly user: string;
  readonly groups: readonly string[];
}

/** A question of a SubjectAccessReview. */
export interface Asked extends Sender {
  readonly resourceAttributes?: Readonly<Record<string, string>>;
  readonly nonResourceAttributes?: Readonly<Record<string, string>>;
}

/** An object with the path of its collection. */
export interface Placed {
  readonly path: string;
  readonly object: { readonly metadata: { readonly name: string }; readonly [member: string]: unknown };
}

/** A create of a role or a binding by a user who may create them, as a dry run. */
export interface Gift extends Placed {
  readonly by: Sender;
}

/** See the head of this file. */
export interface World {
  readonly namespaces: readonly string[];
  readonly objects: readonly Placed[];
  readonly asked: readonly Asked[];
  readonly gifts: readonly Gift[];
}

const GROUP = "rbac.authorization.k8s.io";
const BASE = `/apis/${GROUP}/v1`;
const VERBS = ["get", "get", "list", "create", "GET", "escalate", "*"];
const GROUPS = ["", "", "x.io", "x.*", "*"];
const RESOURCES = ["pods", "pods", "pods/log", "widgets", "widgets/scale", "*/scale", "pods/*", "*/*", "*"];
const NAMES = ["a", "b", "c", "", "*"];
const PATHS = ["/a", "/a/b", "/a/*", "/a*", "/a**", "/a*b", "/b", "/b/", "*", ""];

/** Draws from lists. */
class Lot {
  readonly #random: Random;
  readonly prefix: string;

  constructor(seed: number, prefix: string) {
    this.#random = seededRandom(seed);
    this.prefix = prefix;
  }

  below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }

  one<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  some<T>(from: readonly T[], most: number): T[] {
    return Array.from({ length: 1 + this.below(most) }, () => this.one(from));
  }

  /** A name of the world: one letter of a few, and how many there are of it. */
  name(letter: string, most: number): string {
    return `${this.prefix}${letter}${this.below(most)}`;
  }
}

/** Draws a world. */
export function drawWorld(seed: number, prefix: string): World {
  const lot = new Lot(seed, prefix);
  const namespaces = [0, 1].map((i) => `${prefix}n${i}`);
  const objects = [
    ...namespaces.flatMap((namespace) => [
      ...[0, 1, 2].map((i) => role(lot, namespace, `${prefix}r${i}`)),
      ...[0, 1, 2, 3].map((i) => binding(lot, namespace, `${prefix}b${i}`)),
    ]),
    ...[0, 1, 2, 3].map((i) => role(lot, "", `${prefix}c${i}`)),
    ...[0, 1, 2].map((i) => binding(lot, "", `${prefix}b${i}`)),
    // Those who give may create what they give.
    writers(prefix),
    writersBinding(prefix),
  ];
  return {
    namespaces,
    objects,
    asked: Array.from({ length: 60 }, () => question(lot, namespaces)),
    gifts: Array.from({ length: 20 }, () => gift(lot, namespaces)),
  };
}

const placeOf = (namespace: string, plural: string): string =>
  namespace === "" ? `${BASE}/cluster${plural}` : `${BASE}/namespaces/${namespace}/${plural}`;

function rule(lot: Lot, withPaths: boolean): object {
  const verbs = lot.some(VERBS, 3);
  if (withPaths && lot.below(3) === 0) return { verbs, nonResourceURLs: lot.some(PATHS, 2) };
  const resourceNames = lot.below(3) === 0 ? { resourceNames: lot.some(NAMES, 2) } : {};
  return { verbs, apiGroups: lot.some(GROUPS, 2), resources: lot.some(RESOURCES, 3), ...resourceNames };
}

function role(lot: Lot, namespace: string, name: string): Placed {
  const rules = Array.from({ length: lot.below(4) }, () => rule(lot, namespace === ""));
  return { path: placeOf(namespace, "roles"), object: { metadata: { name }, rules } };
}

function binding(lot: Lot, namespace: string, name: string): Placed {
  const kind = namespace === "" || lot.below(2) === 0 ? "ClusterRole" : "Role";
  // Some of the names are those of no role.
  const roleRef = { apiGroup: GROUP, kind, name: kind === "Role" ? lot.name("r", 4) : lot.name("c", 5) };
  const subjects = Array.from({ length: lot.below(6) }, () => subject(lot, namespace));
  return { path: placeOf(namespace, "rolebindings"), object: { metadata: { name }, roleRef, subjects } };
}

function subject(lot: Lot, namespace: string): object {
  const kind = lot.one(["User", "Group", "ServiceAccount"]);
  if (kind === "User") return { kind, name: lot.name("u", 3) };
  if (kind === "Group") return { kind, name: lot.name("g", 3) };
  const isHere = namespace !== "" && lot.below(2) === 0;
  return { kind, name: lot.name("u", 2), ...(isHere ? {} : { namespace: lot.name("n", 2) }) };
}

function sender(lot: Lot): Sender {
  const account = `system:serviceaccount:${lot.name("n", 2)}:${lot.name("u", 2)}`;
  const user = lot.below(4) === 0 ? account : lot.name("u", 3);
  return { user, groups: Array.from({ length: lot.below(4) }, () => lot.name("g", 3)) };
}

function question(lot: Lot, namespaces: readonly string[]): Asked {
  const verb = lot.one(VERBS);
  if (lot.below(4) === 0) return { ...sender(lot), nonResourceAttributes: { verb, path: lot.one(PATHS) } };
  const [resource = "", subresource = ""] = lot.one(RESOURCES).split("/");
  const resourceAttributes = {
    verb,
    group: lot.one(GROUPS),
    version: "v1",
    resource,
    subresource,
    namespace: lot.one([...namespaces, ""]),
    name: lot.one(["", ...NAMES]),
  };
  return { ...sender(lot), resourceAttributes };
}

const writers = (prefix: string): Placed => ({
  path: placeOf("", "roles"),
  object: {
    metadata: { name: `${prefix}writers` },
    rules: [
      {
        verbs: ["create"],
        apiGroups: [GROUP],
        resources: ["roles", "clusterroles", "rolebindings", "clusterrolebindings"],
      },
      { verbs: ["bind"], apiGroups: [GROUP], resources: ["clusterroles"], resourceNames: [`${prefix}c0`] },
    ],
  },
});

const writersBinding = (prefix: string): Placed => ({
  path: placeOf("", "rolebindings"),
  object: {
    metadata: { name: `${prefix}writers` },
    roleRef: { apiGroup: GROUP, kind: "ClusterRole", name: `${prefix}writers` },
    subjects: [{ kind: "Group", name: `${prefix}writers` }],
  },
});

function gift(lot: Lot, namespaces: readonly string[]): Gift {
  const { user, groups } = sender(lot);
  const by = { user, groups: [...groups, `${lot.prefix}writers`] };
  const namespace = lot.one([...namespaces, ""]);
  const name = `${lot.prefix}gift`;
  return { by, ...(lot.below(2) === 0 ? role(lot, namespace, name) : binding(lot, namespace, name)) };
}
