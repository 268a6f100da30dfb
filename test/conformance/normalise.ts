/**
 * Takes out of an answer what no two runs share: uids, times, versions, tokens, names of the run; and brings the names of
 * the dialect to the neutral ones.
 *
 * @module
 */
import { VENDOR_MEMBERS } from "../../src/meta/dialect.ts";
import type { Variables } from "./paths.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const TOKEN = /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** How one server's names map to those of the recordings. */
export class Names {
  readonly #domain: RegExp;
  readonly #toNeutral: ReadonlyMap<string, string>;
  readonly #toServer: ReadonlyMap<string, string>;

  constructor(domain: string) {
    const escaped = domain.replaceAll(".", "\\.");
    // Groups that are the same in every dialect keep their names.
    this.#domain = new RegExp(
      `(?<!\\b(?:meta|apidiscovery|apiextensions|authentication|authorization)\\.)${escaped}`,
      "g",
    );
    const pairs = domain === "k8s.io" ? Object.entries(VENDOR_MEMBERS) : [];
    this.#toServer = new Map(pairs);
    this.#toNeutral = new Map(pairs.map(([neutral, vendor]) => [vendor, neutral]));
  }

  /** A body in the names of the server. */
  toServer(body: unknown): unknown {
    return renameKeys(body, this.#toServer);
  }

  /** A raw body in the names of the server. */
  textToServer(text: string): string {
    return renameText(text, this.#toServer);
  }

  /** A text in the names of the recordings. */
  textToNeutral(text: string): string {
    return renameText(text, this.#toNeutral);
  }

  /** An answer in the names of the recordings, without what changes from run to run. */
  normalise(value: unknown, variables: Variables, key?: string, parent?: Record<string, unknown>): unknown {
    if (typeof value === "string") return this.#text(value, variables, key, parent);
    if (Array.isArray(value)) {
      const list = value.map((x) => this.normalise(x, variables));
      return key === "managedFields" ? list.toSorted(byManager) : list;
    }
    if (typeof value !== "object" || value === null) return value;
    const object = value as Record<string, unknown>;
    const out: Record<string, unknown> = {};
    for (const k of Object.keys(object).toSorted()) {
      if (k === "selfLink") continue;
      out[this.#place(k, variables)] = this.normalise(object[k], variables, k, object);
    }
    return renameKeys(out, this.#toNeutral);
  }

  #text(
    text: string,
    variables: Variables,
    key: string | undefined,
    parent: Record<string, unknown> | undefined,
  ): string {
    if (key === "resourceVersion") return text === "" ? "" : "<rv>";
    if (key === "continue") return text === "" ? "" : "<continue>";
    if (key === "uid") return "<uid>";
    const explains = parent && ("reason" in parent || "field" in parent) && !("lastTransitionTime" in parent);
    if (key === "message" && explains) return "<message>";
    if (TIME.test(text)) return text.includes(".") ? "<microtime>" : "<time>";
    if (TOKEN.test(text)) return "<token>";
    return this.textToNeutral(this.#place(text.replace(UID, "<uid>"), variables));
  }

  #place(text: string, variables: Variables): string {
    return text
      .replaceAll(String(variables["ns"]), "{ns}")
      .replaceAll(String(variables["id"]), "{id}")
      .replace(this.#domain, "{d}");
  }
}

/** Entries are ordered by their times, which depend on where a second ends. */
function byManager(a: unknown, b: unknown): number {
  const text = (x: unknown): string => {
    const entry = (x ?? {}) as Record<string, unknown>;
    return JSON.stringify([entry["manager"], entry["operation"], entry["subresource"], entry]);
  };
  return text(a) < text(b) ? -1 : 1;
}

function renameKeys(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((x) => renameKeys(x, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, x]) => {
      const owned = key.startsWith("f:");
      const to = names.get(owned ? key.slice(2) : key);
      return [to === undefined ? key : (owned ? "f:" : "") + to, renameKeys(x, names)];
    }),
  );
}

function renameText(text: string, names: ReadonlyMap<string, string>): string {
  let out = text;
  for (const [from, to] of names) out = out.replaceAll(from, to);
  return out;
}
