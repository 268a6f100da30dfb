/**
 * The paths of custom kinds in documents of OpenAPI: they differ only in their names.
 * A definition may have ten thousand versions, and the paths of each version take some 14 kB. So they are written once with marks in place
 * of the names, and with the names of a kind when a document is sent; nothing of it is kept for each kind.
 *
 * @module
 */
import { hash } from "node:crypto";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { WireWriter } from "../../wire/encoding/wire-writer.ts";
import { type FieldSink, putPath } from "./gnostic.ts";
import { familyOf, resourcePaths } from "./openapi-paths.ts";
import type { Json } from "./openapi-schemas.ts";
import { pathItemV2 } from "./openapi-v2.ts";

/** The marks in place of names; each begins with a letter, since operations begin some names with a capital. */
const MARKED = {
  group: "a\u{e000}.\u{e001}",
  version: "b\u{e002}",
  kind: "c\u{e003}",
  listKind: "d\u{e004}",
  plural: "e\u{e005}",
} as const;
const MARKS = /(a\u{e000}\.?\u{e001}|\u{e001}\.a\u{e000}|[a-e][\u{e000}-\u{e005}])/iu;

/** The names of a kind by the marks that stand for them. */
export type Names = Readonly<Record<string, string>>;

/** Whether the paths of a definition are written by a template. */
export const isTemplated = ({ untyped, group }: ResourceDefinition): boolean => untyped === true && group.includes(".");

/** The names of a kind; rules of definitions leave none of them a character that JSON escapes. */
export function namesOf({ group, version, kind, listKind = `${kind}List`, plural }: ResourceDefinition): Names {
  const family = familyOf(group);
  return {
    [MARKED.group]: group,
    "\u{e001}.a\u{e000}": group.split(".").toReversed().join("."),
    "a\u{e000}\u{e001}": family,
    "A\u{e000}\u{e001}": capital(family),
    [MARKED.version]: version,
    [capital(MARKED.version)]: capital(version),
    [MARKED.kind]: kind,
    [capital(MARKED.kind)]: capital(kind),
    [MARKED.listKind]: listKind,
    [MARKED.plural]: plural,
  };
}

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The paths of all custom kinds that have the same verbs and subresources. */
export class PathTemplate {
  /** Changes when anything of the paths but the names changes. */
  readonly digest: string;
  readonly #v3: TextTemplate;
  readonly #items: readonly (readonly [path: string, item: Json])[];
  #v2: TextTemplate | undefined;
  #gnostic: WireTemplate | undefined;

  constructor(definition: ResourceDefinition) {
    const paths = Object.entries(resourcePaths({ ...definition, ...MARKED }));
    const text = membersText(paths);
    this.#v3 = new TextTemplate(text);
    this.#items = paths.map(([path, item]) => [path, pathItemV2(item)]);
    this.digest = hash("sha512", text);
  }

  /** The paths as members of an object, each behind a comma. */
  v3(names: Names): string {
    return this.#v3.fill(names);
  }

  /** The same for OpenAPI v2. */
  v2(names: Names): string {
    this.#v2 ??= new TextTemplate(membersText(this.#items));
    return this.#v2.fill(names);
  }

  /** The same as fields of protobuf. */
  gnostic(names: Names): Buffer {
    this.#gnostic ??= new WireTemplate((out) => {
      for (const item of this.#items.toReversed()) putPath(out, item);
    });
    return this.#gnostic.fill(names);
  }
}

/** Members of an object of JSON, each behind a comma. */
export const membersText = (members: readonly (readonly [name: string, value: unknown])[]): string =>
  members.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join("");

/** One for each set of verbs and subresources; custom kinds have few. */
const templates = new Map<string, PathTemplate>();

/** The template of a definition's paths. */
export function templateOf(definition: ResourceDefinition): PathTemplate {
  const { scope, verbs, patches, deleteReturns, subresources = {} } = definition;
  const below = Object.entries(subresources).map(([name, rules]) => [name, rules.verbs, rules.takes?.kind ?? ""]);
  const shape = JSON.stringify([scope, verbs, patches, deleteReturns, below]);
  let template = templates.get(shape);
  if (!template) templates.set(shape, (template = new PathTemplate(definition)));
  return template;
}

/** A text with marks, split at the marks. */
class TextTemplate {
  readonly #first: string;
  /** Marks, each followed by the text behind it. */
  readonly #rest: readonly string[];

  constructor(text: string) {
    [this.#first = "", ...this.#rest] = text.split(MARKS);
  }

  /** Whether there are no marks. */
  get isPlain(): boolean {
    return this.#rest.length === 0;
  }

  fill(names: Names): string {
    const rest = this.#rest;
    let text = this.#first;
    for (let i = 0; i < rest.length; i += 2) text += names[rest[i]!]! + rest[i + 1]!;
    return text;
  }
}

/** A step of writing: bytes, or a text that depends on names. `lengths` are those of the writer where messages began. */
type Step = Buffer | ((out: WireWriter, names: Names, lengths: number[]) => void);

/** Fields with marks in their texts. Fields without names are written once. */
class WireTemplate implements FieldSink {
  readonly #steps: Step[] = [];
  /** Where messages began that have not ended: the step, and the index in the list of lengths. */
  readonly #begun: number[] = [];
  #lengths = 0;

  constructor(write: (out: FieldSink) => void) {
    write(this);
  }

  fill(names: Names): Buffer {
    const out = new WireWriter(16_384);
    const lengths: number[] = [];
    for (const step of this.#steps) {
      if (typeof step === "function") step(out, names, lengths);
      else out.raw(step);
    }
    return out.finish();
  }

  /** An index in the list of lengths: a message begins. */
  get length(): number {
    const index = this.#lengths++;
    this.#begun.push(this.#steps.length);
    this.#steps.push((out, _, lengths) => (lengths[index] = out.length));
    return index;
  }

  endMessage(number: number, index: number): void {
    const begun = this.#begun.pop()!;
    const content = this.#steps[begun + 1] ?? NOTHING;
    if (this.#steps.length > begun + 2 || typeof content === "function") {
      this.#steps.push((out, _, lengths) => out.endMessage(number, lengths[index]!));
      return;
    }
    this.#steps.length = begun;
    this.#always((out) => {
      const before = out.length;
      out.raw(content);
      out.endMessage(number, before);
    });
  }

  textField(number: number, text: string): void {
    const template = new TextTemplate(text);
    if (template.isPlain) this.#always((out) => out.textField(number, text));
    else this.#steps.push((out, names) => out.textField(number, template.fill(names)));
  }

  integerField(number: number, value: number): void {
    this.#always((out) => out.integerField(number, value));
  }

  raw(bytes: Uint8Array): void {
    this.#always((out) => out.raw(bytes));
  }

  tag(number: number, wire: number): void {
    this.#always((out) => out.tag(number, wire));
  }

  /** Writes it now, in front of the bytes that are already written. */
  #always(write: (out: WireWriter) => void): void {
    const out = new WireWriter();
    const before = this.#steps.at(-1);
    const joins = Buffer.isBuffer(before);
    if (joins) out.raw(before);
    write(out);
    if (joins) this.#steps.pop();
    this.#steps.push(Buffer.from(out.finish()));
  }
}

const NOTHING = Buffer.alloc(0);
