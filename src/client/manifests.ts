/** Reads manifests from files, folders, texts of several documents, objects and lists. */
import { readdirSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { fileKind, readTextFile } from "../util/read-text-file.ts";
import { documentsOf, objectsOf } from "../value/documents.ts";
import { type Value, isObject } from "../value/value.ts";

/** An object of a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

/** A manifest and its origin for messages: `fixtures/web.yaml, document 2`. */
export interface FoundManifest {
  readonly manifest: Manifest;
  readonly from: string;
}

const EXTENSIONS: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);
/** Files of kustomize, which are no manifests. */
const NO_MANIFESTS = /^kustomiz(ation|econfig)\.ya?ml$/i;

/** The largest file of manifests; the definitions of a large operator have a tenth of it. */
const MAX_BYTES = 64 << 20;

/** A text has a line break or begins with a brace; otherwise it is a path. */
const TEXT = /\n|^\s*\{/;

/**
 * Returns the objects of a source in their order: an object, a file, a folder with all below it by name, or a text.
 * Lists become their items; empty documents are left out.
 *
 * @throws Error that names the file and the document of an invalid manifest
 */
export function readManifests(source: string | Manifest): readonly FoundManifest[] {
  if (typeof source !== "string") return itemsOf(source as unknown as Value, "what is applied");
  return readTexts(source).flatMap(({ text, from }) => manifestsOf(text, from));
}

/**
 * Returns the texts of a source, each with its name in errors: a file, a folder with all files below it by name, or a text.
 *
 * @throws Error for a missing file, and for one that is neither a regular file nor a folder, such as a pipe or a device
 */
export function readTexts(source: string): readonly { readonly text: string; readonly from: string }[] {
  if (TEXT.test(source)) return [{ text: source, from: "the text" }];
  const found = statSync(source, { throwIfNoEntry: false });
  if (!found)
    throw new Error(`expected a file, a folder or a text of several lines, found nothing at ${resolve(source)}`);
  const files = filesOf(source);
  if (files.length === 0) throw new Error(`expected ${[...EXTENSIONS].join(", ")} files in ${source}, found none`);
  return files.map((file) => ({ text: readTextFile(file, MAX_BYTES), from: file }));
}

function filesOf(path: string): string[] {
  const found = statSync(path);
  if (!found.isDirectory() && !found.isFile())
    throw new Error(
      `expected a file or a folder at ${resolve(path)}, found ${fileKind(found)}: write it to a file first`,
    );
  if (found.isFile()) return [path];
  const inside = readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return inside.flatMap((entry) => {
    const file = join(path, entry.name);
    if (entry.isDirectory()) return filesOf(file);
    return EXTENSIONS.has(extname(entry.name)) && !NO_MANIFESTS.test(basename(file)) ? [file] : [];
  });
}

const manifestsOf = (text: string, file: string): FoundManifest[] =>
  documentsOf(text, file).flatMap(({ value, from }) => itemsOf(value, from));

const itemsOf = (value: Value, from: string): FoundManifest[] =>
  objectsOf(value, from).map((found) => ({ manifest: checked(found.value, found.from), from: found.from }));

function checked(value: Value, from: string): Manifest {
  if (!isObject(value)) throw new Error(`expected ${from} to be an object, got ${JSON.stringify(value)?.slice(0, 50)}`);
  const { apiVersion, kind, metadata } = value;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  for (const [member, text] of Object.entries({ apiVersion, kind, "metadata.name": name })) {
    if (typeof text === "string" && text !== "") continue;
    const got = text === undefined ? "nothing" : JSON.stringify(text);
    throw new Error(`expected ${from} to have a text as ${member}, got ${got}`);
  }
  return value as unknown as Manifest;
}
