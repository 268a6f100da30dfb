/**
 * The discovery documents. The part of a group and version is made once and kept until that one changes; documents of all groups
 * are put together from these. A document is made in slices, and requests meanwhile wait for the same one.
 *
 * @module
 */
import { createHash, hash } from "node:crypto";
import { indentPieces } from "../response/indent-json.ts";
import type { Format } from "../response/negotiate.ts";
import type { GroupResources, Registry } from "../../registry/contract.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import type { Value } from "../../value/value.ts";
import { encodeYaml } from "../../value/yaml-encode.ts";
import { ByVersion } from "./by-version.ts";
import { type JsonParts, aggregated, aggregatedVersion, apiGroup, apiGroupList, apiResourceList, apiVersions } from "./discovery-documents.ts"; // prettier-ignore
import { type HashedDocument, hashText } from "./document.ts";
import type { Loop } from "../../util/loop.ts";

type Made<T> = T | Promise<T>;

/** The discovery documents of a registry. */
export class Discovery {
  readonly #loop: Loop;
  readonly #registry: Registry;
  readonly #resources = new ByVersion(
    (group, version) => new KeptText(this.#loop, () => apiResourceList(group, version)),
  );
  readonly #aggregated = new ByVersion((_group, version) => [...aggregatedVersion(version)].join(""));
  /** Documents of more than one group and version, until one of these changes. */
  readonly #overviews = new Map<string, KeptText>();
  #generation: number | undefined;

  constructor(registry: Registry, loop: Loop) {
    this.#loop = loop;
    this.#registry = registry;
  }

  /** The groups that are served now. */
  get groups(): readonly GroupResources[] {
    return this.#registry.groups();
  }

  /** `/api` or `/apis`. */
  root(core: boolean, format: Format): Made<HashedDocument> {
    return this.#overview(`root ${core}`, format, () => (core ? apiVersions : apiGroupList)(this.groups));
  }

  /** `/api` or `/apis` with everything that is below. */
  aggregated(core: boolean, format: Format): Made<HashedDocument> {
    return this.#overview(`aggregated ${core}`, format, () => {
      const groups = this.groups.filter(({ group }) => (group === "") === core);
      return aggregated(groups, (group, version) => this.#aggregated.get(group, version));
    });
  }

  /** `/apis/GROUP`; undefined for a group that is not served. */
  group(name: string, format: Format): Made<HashedDocument> | undefined {
    const group = this.#registry.group(name);
    return group && this.#overview(`group ${name}`, format, () => apiGroup(group));
  }

  /** `/apis/GROUP/VERSION`; undefined for a version that is not served. */
  resources(name: string, version: string, format: Format): Made<HashedDocument> | undefined {
    const found = this.#registry.version(name, version);
    return found && this.#resources.get(name, found).in(format);
  }

  /** Whether anything of a group, or of one of its versions, is served. */
  has(name: string, version?: string): boolean {
    return this.#registry.hasGroup(name, version);
  }

  #overview(id: string, format: Format, parts: () => JsonParts): Made<HashedDocument> {
    if (this.#generation !== this.#registry.generation) {
      this.#generation = this.#registry.generation;
      this.#overviews.clear();
    }
    let kept = this.#overviews.get(id);
    if (!kept) this.#overviews.set(id, (kept = new KeptText(this.#loop, parts)));
    return kept.in(format);
  }
}

/** A text of JSON that is made when it is first read, and kept; other forms of it are made for each response. */
class KeptText {
  readonly #loop: Loop;
  readonly #parts: () => JsonParts;
  readonly #forms = new Map<string, HashedDocument>();
  #text: Made<Text> | undefined;

  constructor(loop: Loop, parts: () => JsonParts) {
    this.#loop = loop;
    this.#parts = parts;
  }

  in(format: Format): Made<HashedDocument> {
    const text = (this.#text ??= this.#make());
    return text instanceof Promise ? text.then((made) => this.#form(made, format)) : this.#form(text, format);
  }

  #make(): Made<Text> {
    const made = inSlices(textOf(this.#parts()), this.#loop.slice());
    if (!(made instanceof Promise)) return made;
    return made.then((text) => (this.#text = text));
  }

  #form(text: Text, { media, pretty }: Format): HashedDocument {
    const name = media === "yaml" ? "yaml" : pretty ? "pretty" : "";
    let document = this.#forms.get(name);
    if (!document) this.#forms.set(name, (document = formOf(text, name)));
    return document;
  }
}

/** A text of JSON without the end of its line. */
interface Text {
  readonly pieces: readonly Buffer[];
  readonly length: number;
  readonly hash: string;
}

/** Characters of a piece that is kept. */
const PIECE = 131_072;

function* textOf(parts: JsonParts): Steps<Text> {
  const pieces: Buffer[] = [];
  const sum = createHash("sha512");
  let length = 0;
  let text = "";
  const flush = (): void => {
    const bytes = Buffer.from(text);
    sum.update(bytes);
    pieces.push(bytes);
    length += bytes.length;
    text = "";
  };
  for (const part of parts) {
    text += part;
    if (text.length < PIECE) continue;
    flush();
    yield;
  }
  flush();
  return { pieces, length, hash: hashText(sum) };
}

const LINE_END = Buffer.from("\n");
/** Longer texts stay JSON, which is YAML, too. */
const MAX_YAML_BYTES = 262_144;

function formOf(text: Text, name: string): HashedDocument {
  if (name === "") return { hash: text.hash, pieces: () => [...text.pieces, LINE_END] };
  const form = { hash: hash("sha512", `${name} ${text.hash}`).toUpperCase() };
  if (name === "yaml" && text.length <= MAX_YAML_BYTES) {
    const value = JSON.parse(Buffer.concat(text.pieces).toString()) as Value;
    const bytes = Buffer.from(encodeYaml(value));
    return { ...form, pieces: () => [bytes] };
  }
  return { ...form, pieces: () => indentPieces(stringsOf(text)) };
}

function* stringsOf({ pieces }: Text): Generator<string> {
  for (const piece of pieces) yield piece.toString();
}
