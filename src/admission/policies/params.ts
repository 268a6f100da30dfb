/**
 * The params that a binding gives to its policy (POL-A-6).
 * Params with a name are read by it. The result of a selector is kept and updated by the changes of the resource, so the cost of a request
 * depends on its params and not on the number of stored objects.
 *
 * @module
 */
import { selectorOf } from "../../meta/label-selector.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Followed, Lookup, ObjectName } from "../../schema/lookup.ts";
import { inOrder, whenDone } from "../../util/when-done.ts";
import type { AdmissionRequest } from "../contract.ts";
import { namespaceOf } from "../rules/request.ts";
import { ConfigurationFault, type ParamKind, type ParamRef, type PolicyKinds, type StoredKind } from "./contract.ts";

/** The params of one evaluation; null where the policy is evaluated without any. */
export type Param = ApiObject | null;

/** With more changes, everything is read again. */
const MAX_CHANGES = 5000;

const WITHOUT: readonly Param[] = [null];

/** Finds the params of bindings. */
export class Params {
  readonly #lookup: Lookup;
  readonly #kinds: Pick<PolicyKinds, "storedKind">;
  /** The results of selectors, for as long as the object of their binding exists. */
  readonly #selected = new WeakMap<ParamRef, SelectedNames>();

  constructor(lookup: Lookup, kinds: Pick<PolicyKinds, "storedKind">) {
    this.#lookup = lookup;
    this.#kinds = kinds;
  }

  /** The kind of the params of a policy. Throws {@link ConfigurationFault} where it is not served. */
  kindOf({ apiVersion = "", kind = "" }: ParamKind): StoredKind {
    const found = this.#kinds.storedKind(apiVersion, kind);
    if (found) return found;
    const shown = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw new ConfigurationFault(`failed to find resource referenced by paramKind: '${shown}, Kind=${kind}'`);
  }

  /**
   * The params of a binding for a request, with each of which the policy is evaluated; none where the policy is not evaluated.
   * Throws or rejects with {@link ConfigurationFault}.
   */
  of(
    request: AdmissionRequest,
    kind: StoredKind | undefined,
    ref: ParamRef | undefined,
  ): readonly Param[] | Promise<readonly Param[]> {
    if (!kind || !ref) return WITHOUT;
    const namespace = namespaceFor(request, kind, ref);
    const { lookup } = request;
    if (ref.name !== undefined && ref.name !== "") {
      const found = lookup.get(kind.resource, namespace, ref.name);
      return inVersion(kind, demanded(ref, found ? [found] : []));
    }
    const names = this.#names(lookup, kind, ref, namespace);
    const read = (all: readonly string[]): readonly Param[] | Promise<readonly Param[]> =>
      inVersion(
        kind,
        demanded(
          ref,
          all.flatMap((name) => lookup.get(kind.resource, namespace, name) ?? []),
        ),
      );
    return names instanceof Promise ? names.then(read) : read(names);
  }

  #names(
    lookup: Lookup,
    { resource }: StoredKind,
    ref: ParamRef,
    namespace: string,
  ): readonly string[] | Promise<readonly string[]> {
    if (lookup !== this.#lookup && isPlanned(lookup, resource)) {
      return new SelectedNames(lookup, resource, ref).in(namespace);
    }
    let selected = this.#selected.get(ref);
    if (selected?.resource !== resource) {
      this.#selected.set(ref, (selected = new SelectedNames(this.#lookup, resource, ref)));
    }
    return selected.in(namespace);
  }
}

/** Whether objects of a resource are planned together with the request. */
function isPlanned(lookup: Lookup, resource: string): boolean {
  const followed = lookup.follow(resource);
  return followed.changedSince(followed.mark) === undefined;
}

/** The namespace of the params; empty for a kind of the cluster. */
function namespaceFor(request: AdmissionRequest, { namespaced }: StoredKind, ref: ParamRef): string {
  const { namespace = "" } = ref;
  if (!namespaced) {
    if (namespace === "") return "";
    throw new ConfigurationFault("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const found = namespace || namespaceOf(request);
  if (found !== "") return found;
  throw new ConfigurationFault(
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  );
}

function demanded(ref: ParamRef, found: readonly ApiObject[]): readonly ApiObject[] {
  if (found.length > 0 || ref.parameterNotFoundAction !== "Deny") return found;
  throw new ConfigurationFault("no params found for policy binding with `Deny` parameterNotFoundAction");
}

function inVersion(kind: StoredKind, objects: readonly ApiObject[]): readonly Param[] | Promise<readonly Param[]> {
  const found: ApiObject[] = [];
  const pending = inOrder(objects, (object) => {
    const converted = kind.inVersion(object);
    if (converted instanceof Promise) return converted.then((one) => void found.push(one));
    found.push(converted);
    return undefined;
  });
  return whenDone(pending, () => found);
}

/** The names of the objects that a selector finds, by namespace; they follow the changes of the resource. */
class SelectedNames {
  readonly resource: string;
  readonly #lookup: Lookup;
  readonly #followed: Followed;
  readonly #isSelected: (object: ApiObject) => boolean;
  readonly #found = new Map<string, Set<string>>();
  /** The names of a namespace in their order, cached until one changes. */
  readonly #sorted = new Map<string, readonly string[]>();
  #mark: number | undefined = undefined;
  #loading: Promise<void> | undefined = undefined;

  constructor(lookup: Lookup, resource: string, { selector = {} }: ParamRef) {
    const compiled = selectorOf(selector);
    this.resource = resource;
    this.#lookup = lookup;
    this.#followed = lookup.follow(resource);
    this.#isSelected = ({ metadata }) => compiled.matches(metadata.labels);
  }

  in(namespace: string): readonly string[] | Promise<readonly string[]> {
    const wait = this.#catchUp();
    return wait ? wait.then(() => this.#namesIn(namespace)) : this.#namesIn(namespace);
  }

  #namesIn(namespace: string): readonly string[] {
    const found = this.#found.get(namespace);
    if (!found) return [];
    let names = this.#sorted.get(namespace);
    if (!names) this.#sorted.set(namespace, (names = [...found].toSorted()));
    return names;
  }

  #catchUp(): Promise<void> | undefined {
    const { mark } = this.#followed;
    if (mark === this.#mark) return undefined;
    const changed = this.#mark === undefined ? undefined : this.#followed.changedSince(this.#mark);
    if (!changed || changed.length > MAX_CHANGES) return (this.#loading ??= this.#load(mark));
    for (const name of changed) this.#apply(name);
    this.#mark = mark;
    return undefined;
  }

  #apply({ namespace, name }: ObjectName): void {
    const object = this.#lookup.get(this.resource, namespace, name);
    if (object && this.#isSelected(object)) this.#add(namespace, name);
    else if (!this.#remove(namespace, name)) return;
    this.#sorted.delete(namespace);
  }

  /** Whether it was there. */
  #remove(namespace: string, name: string): boolean {
    const names = this.#found.get(namespace);
    const wasThere = names?.delete(name) ?? false;
    if (names?.size === 0) this.#found.delete(namespace);
    return wasThere;
  }

  #add(namespace: string, name: string): void {
    const names = this.#found.get(namespace);
    if (names) names.add(name);
    else this.#found.set(namespace, new Set([name]));
  }

  async #load(mark: number): Promise<void> {
    const read = (object: ApiObject): ObjectName | undefined =>
      this.#isSelected(object)
        ? { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" }
        : undefined;
    try {
      const all = await this.#lookup.collect(this.resource, read);
      this.#found.clear();
      this.#sorted.clear();
      for (const { namespace, name } of all) this.#add(namespace, name);
      // Later changes are applied by the next request.
      this.#mark = mark;
    } finally {
      this.#loading = undefined;
    }
  }
}
