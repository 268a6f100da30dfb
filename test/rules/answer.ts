/**
 * An answer of the server, with short ways to what tests ask of it.
 *
 * @module
 */

import type { OutHeaders } from "../../src/server/request/exchange.ts";

/** A JSON object. */
export type Members = Record<string, unknown>;

/** What was answered. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; an empty object when it is no JSON. */
  readonly body: Members;

  constructor(status: number, headers: Headers, text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
    this.body = parse(text);
  }

  /** The value at a path such as `spec.drivers.0.name`; undefined when there is none. */
  at(path: string): unknown {
    return at(this.body, path);
  }

  /** The texts of the Warning headers. */
  get warnings(): string[] {
    const header = this.headers.get("warning") ?? "";
    return [...header.matchAll(/299 \S+ ("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1]!) as string);
  }

  /** The causes of a failure as `Reason field`, sorted. */
  get causes(): string[] {
    const causes = (this.at("details.causes") ?? []) as { reason: string; field?: string }[];
    return causes.map(({ reason, field }) => `${reason} ${field ?? ""}`.trim()).sort();
  }

  /** The fields that the causes of a failure name, sorted, each once. */
  get fields(): string[] {
    const causes = (this.at("details.causes") ?? []) as { field?: string }[];
    return [...new Set(causes.map((cause) => cause.field ?? ""))].sort();
  }

  get resourceVersion(): string {
    return String(this.at("metadata.resourceVersion"));
  }

  get uid(): string {
    return String(this.at("metadata.uid"));
  }

  /** The names of the items of a list. */
  get names(): string[] {
    const items = (this.body["items"] ?? []) as { metadata: { name: string } }[];
    return items.map((item) => item.metadata.name);
  }

  /** Who owns which fields: see {@link ownersOf}. */
  get owners(): Record<string, string[]> {
    return ownersOf(this.body);
  }

  /** The object, without resourceVersion and managedFields, to be sent back. */
  get sendable(): Members {
    const { managedFields: _, resourceVersion: __, ...metadata } = (this.body["metadata"] ?? {}) as Members;
    return { ...this.body, metadata };
  }
}

/** The headers of an answer within the process, as a client of the network has them. */
export function headersOf(told: OutHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(told)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, String(one));
  }
  return headers;
}

/** Fails, with the text of the answer, when its status is another one. */
export function expectStatus(answer: Answer, status: number): void {
  if (answer.status === status) return;
  throw new Error(`expected the status ${status}, got ${answer.status}: ${answer.text.slice(0, 1000)}`);
}

/** The value at a path of names and indexes, joined by dots. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Members)[step];
  }
  return found;
}

function parse(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}

/** One entry of managedFields. */
export interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: string;
  readonly fieldsV1: Members;
  readonly subresource?: string;
}

/** The entries of an object. */
export const entriesOf = (object: unknown): readonly Entry[] => (at(object, "metadata.managedFields") ?? []) as Entry[];

/**
 * The fields that each manager owns, as paths: `{"m1 Apply": ["data.k"], "m2 Update status": ["status.phase"]}`.
 *
 * A container that is owned itself (member `.`) is reported as its path with a slash: `data/`.
 */
export function ownersOf(object: unknown): Record<string, string[]> {
  const owners: Record<string, string[]> = {};
  for (const { manager, operation, subresource, fieldsV1 } of entriesOf(object)) {
    const key = [manager, operation, ...(subresource ? [subresource] : [])].join(" ");
    owners[key] = [...(owners[key] ?? []), ...leaves(fieldsV1, "")].sort();
  }
  return owners;
}

function leaves(tree: Members, path: string): string[] {
  return Object.entries(tree).flatMap(([key, below]) => {
    if (key === ".") return [`${path}/`];
    const name = key.startsWith("f:") ? key.slice(2) : `[${key}]`;
    const here = path && !name.startsWith("[") ? `${path}.${name}` : `${path}${name}`;
    return Object.keys(below as Members).length === 0 ? [here] : leaves(below as Members, here);
  });
}
