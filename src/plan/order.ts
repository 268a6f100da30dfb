/**
 * The order in which documents are applied: as given, but with a document that another one needs before it.
 *
 * Only what would fail otherwise is moved: a namespace, a definition, a class, a role or a service account that comes after a
 * document that names it. Each document is read once.
 *
 * @module
 */
import type { PlannedMove } from "../meta/plan-report.ts";
import { type Value, isObject, memberOf, textIn } from "../value/value.ts";

/** A document at its position in the manifest. */
export interface OrderedDocument {
  readonly position: number;
  /** Why it was moved; undefined where it was not. */
  readonly moved: PlannedMove | undefined;
}

/** The documents in the order in which they are applied. */
export function orderOf(documents: readonly Value[], namespace: string): readonly OrderedDocument[] {
  const providers = providersOf(documents, namespace);
  const inOrder = documents.map((_, position) => ({ position, moved: undefined }));
  return providers.size === 0 ? inOrder : new Ordering(documents, namespace, providers).of(inOrder);
}

/** A document whose dependencies are being resolved, or are resolved. */
interface Visit extends OrderedDocument {
  readonly isReady: boolean;
}

/** Orders documents by their needs, depth first; a chain of needs may be as long as the manifest. */
class Ordering {
  readonly #documents: readonly Value[];
  readonly #namespace: string;
  readonly #providers: ReadonlyMap<string, number>;
  readonly #visited = new Set<number>();
  readonly #ordered: OrderedDocument[] = [];

  constructor(documents: readonly Value[], namespace: string, providers: ReadonlyMap<string, number>) {
    this.#documents = documents;
    this.#namespace = namespace;
    this.#providers = providers;
  }

  of(inOrder: readonly OrderedDocument[]): readonly OrderedDocument[] {
    for (const first of inOrder) {
      const stack: Visit[] = [{ ...first, isReady: false }];
      for (let visit = stack.pop(); visit; visit = stack.pop()) stack.push(...this.#visit(visit));
    }
    return this.#ordered;
  }

  /** Adds a document to the order, or returns the cycle that contains it, the first last. */
  #visit({ position, moved, isReady }: Visit): readonly Visit[] {
    if (isReady) this.#ordered.push({ position, moved });
    if (isReady || this.#visited.has(position)) return [];
    this.#visited.add(position);
    return [{ position, moved, isReady: true }, ...this.#needed(position).toReversed()];
  }

  /** The later documents that a document needs. */
  #needed(before: number): readonly Visit[] {
    return needsOf(this.#documents[before]!, this.#namespace).flatMap(({ rule, key }) => {
      const position = this.#providers.get(key) ?? before;
      const isLater = position > before && !this.#visited.has(position);
      return isLater ? [{ position, moved: { rule, before }, isReady: false }] : [];
    });
  }
}

type Rule = PlannedMove["rule"];

/** A name that one document provides and others need. */
interface Need {
  readonly rule: Rule;
  readonly key: string;
}

/** The position of the first document that provides each name. */
function providersOf(documents: readonly Value[], namespace: string): ReadonlyMap<string, number> {
  const providers = new Map<string, number>();
  documents.forEach((document, position) => {
    const key = providedBy(document, namespace);
    if (key !== undefined && !providers.has(key)) providers.set(key, position);
  });
  return providers;
}

const CLASS = "Class";
const CLASS_NAME = "ClassName";
const RBAC = "rbac.authorization.k8s.io/";
const ROLES: ReadonlySet<string> = new Set(["ClusterRole", "Role"]);

function providedBy(document: Value, usual: string): string | undefined {
  const { apiVersion, kind, name, namespace, spec } = partsOf(document, usual);
  if (apiVersion === "v1" && kind === "Namespace") return keyOf("namespace", name);
  if (apiVersion === "v1" && kind === "ServiceAccount") return keyOf("serviceAccount", namespace, name);
  if (kind === "CustomResourceDefinition") {
    return keyOf("definition", textIn(spec, "group"), textIn(memberOf(spec, "names"), "kind"));
  }
  if (apiVersion.startsWith(RBAC) && ROLES.has(kind))
    return keyOf("role", kind, kind === "Role" ? namespace : "", name);
  return kind.endsWith(CLASS) && kind.length > CLASS.length ? keyOf("class", kind, name) : undefined;
}

function needsOf(document: Value, usual: string): Need[] {
  const { apiVersion, kind, namespace, spec } = partsOf(document, usual);
  const slash = apiVersion.indexOf("/");
  const needs: Need[] = [
    { rule: "definition", key: keyOf("definition", apiVersion.slice(0, Math.max(slash, 0)), kind) },
    { rule: "namespace", key: keyOf("namespace", namespace) },
  ];
  const roleRef = memberOf(document, "roleRef");
  if (apiVersion.startsWith(RBAC) && isObject(roleRef)) {
    const role = textIn(roleRef, "kind");
    needs.push({ rule: "role", key: keyOf("role", role, role === "Role" ? namespace : "", textIn(roleRef, "name")) });
  }
  for (const { member, name } of namesIn(spec)) {
    if (member === "serviceAccountName")
      needs.push({ rule: "serviceAccount", key: keyOf(member.slice(0, -4), namespace, name) });
    else needs.push({ rule: "class", key: keyOf("class", kindOfClass(member), name) });
  }
  return needs;
}

/** `StorageClass` of `storageClassName`. */
const kindOfClass = (member: string): string => member[0]!.toUpperCase() + member.slice(1, -"Name".length);

/** The members of a spec that name a class or a service account, at any depth. */
function namesIn(spec: Value | undefined): readonly { readonly member: string; readonly name: string }[] {
  const found: { member: string; name: string }[] = [];
  const left: Value[] = spec === undefined ? [] : [spec];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (Array.isArray(value)) left.push(...value);
    else if (isObject(value)) {
      for (const [member, inside] of Object.entries(value)) {
        if (typeof inside !== "string") left.push(inside);
        else if (member.endsWith(CLASS_NAME) || member === "serviceAccountName") found.push({ member, name: inside });
      }
    }
  }
  return found;
}

interface Parts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly spec: Value | undefined;
}

function partsOf(document: Value, usual: string): Parts {
  const metadata = memberOf(document, "metadata");
  return {
    apiVersion: textIn(document, "apiVersion"),
    kind: textIn(document, "kind"),
    name: textIn(metadata, "name"),
    namespace: textIn(metadata, "namespace") || usual,
    spec: memberOf(document, "spec"),
  };
}

/** One text for several; a name has no such character. */
const keyOf = (...parts: readonly string[]): string => parts.join("\0");
