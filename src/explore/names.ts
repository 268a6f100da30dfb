/**
 * Normal names: the same object has the same name in all runs of a scenario.
 *
 * The server generates a name from a prefix (`generateName`), and programs make names of such names and of uids. What was generated is
 * written as `*`: `web-x8k2p` is `web-*`, `web-x8k2p-config` is `web-*-config`, `pvc-<uid>` is `pvc-*`.
 *
 * @module
 */
import type { StoredObject } from "./contract/state.ts";
import type { ObjectRef, Trace } from "./contract/trace.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const NAME_CHARACTERS = /[-a-z0-9.]+/gi;

/** The members of an object that show whether the server generated its name. */
interface NamedObject {
  readonly metadata: Pick<StoredObject["metadata"], "name" | "generateName">;
}

/** Whether a text ends or a part of a name ends at an index. */
const isBoundary = (text: string, index: number): boolean =>
  index === text.length || text[index] === "-" || text[index] === ".";

/** The names that a server generated in one run. Made of a trace, or filled while a run is played. */
export class NormalNames {
  /** The normal form of each generated name. */
  readonly #generated = new Map<string, string>();
  #longest = 0;
  readonly #known = new Map<string, string>();

  /** The names of all objects that a trace stored. */
  static of(trace: Trace): NormalNames {
    const names = new NormalNames();
    for (const entry of trace) if (entry.type === "change") names.learn(entry.after);
    return names;
  }

  /** Remembers the name of an object if the server generated it. */
  learn({ metadata: { name, generateName } }: NamedObject): void {
    if (!generateName || this.#generated.has(name) || !name.startsWith(generateName)) return;
    this.#generated.set(name, `${this.#replaced(generateName)}*`);
    this.#longest = Math.max(this.#longest, name.length);
    this.#known.clear();
  }

  /** Returns the normal form of a name; the name itself where no part of it was generated. */
  name(name: string): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const normal = this.#replaced(name);
    this.#known.set(name, normal);
    return normal;
  }

  /** Returns a text with the normal forms of all names and uids in it. */
  text(text: string): string {
    return text.replace(NAME_CHARACTERS, (name) => this.name(name));
  }

  /** Returns a reference with normal names. */
  ref<R extends ObjectRef>(ref: R): R {
    const { name, namespace } = ref;
    return {
      ...ref,
      ...(name !== undefined && { name: this.name(name) }),
      ...(namespace !== undefined && { namespace: this.name(namespace) }),
    };
  }

  /** Replaces uids and generated names that are complete parts of a text; the longest one first. */
  #replaced(name: string): string {
    const text = name.replace(UUID, "*");
    if (this.#generated.size === 0) return text;
    let result = "";
    let copied = 0;
    for (let start = 0; start < text.length; start++) {
      if (start > 0 && !isBoundary(text, start - 1)) continue;
      let end = Math.min(text.length, start + this.#longest);
      while (end > start && !(isBoundary(text, end) && this.#generated.has(text.slice(start, end)))) end--;
      if (end === start) continue;
      result += text.slice(copied, start) + this.#generated.get(text.slice(start, end));
      copied = end;
      start = end;
    }
    return result + text.slice(copied);
  }
}

/** The name of a kind for people: `ConfigMap`, `Deployment.apps`. */
export const kindText = ({ group, kind }: Pick<ObjectRef, "group" | "kind">): string =>
  group === "" || group === "csi" ? kind : `${kind}.${group}`;

/** An object for people: `ConfigMap default/a-config`; a kind where the name is missing. */
export const objectText = (ref: ObjectRef): string => {
  const name = ref.name === undefined ? [] : [ref.name];
  const path = (ref.namespace === undefined ? name : [ref.namespace, ...name]).join("/");
  return path === "" ? kindText(ref) : `${kindText(ref)} ${path}`;
};
