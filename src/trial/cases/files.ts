/**
 * The documents of test files, by their paths.
 *
 * @module
 */
import { posix } from "node:path";
import { documentsOf, objectsOf } from "../../value/documents.ts";
import { isObject } from "../../value/value.ts";
import type { SourceValue } from "../documents.ts";
import { TestFileError } from "./members.ts";

/** A file with its text. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** The files of a path: itself, or all YAML and JSON files of a folder and below; none where the path does not exist. */
export type FindFiles = (path: string) => readonly TestFile[];

/** A document and the file that has it. */
export interface FileDocument extends SourceValue {
  readonly file: string;
}

/** Reads files once. */
export class TestFiles {
  readonly #find: FindFiles;
  readonly #texts = new Map<string, string>();
  readonly #documents = new Map<string, readonly FileDocument[]>();

  constructor(find: FindFiles) {
    this.#find = find;
  }

  /** The text of a file that was read. */
  textOf(file: string): string {
    return this.#texts.get(file) ?? "";
  }

  /** The documents of a path. Throws {@link TestFileError} where it does not exist. */
  at(path: string): readonly FileDocument[] {
    const files = this.#find(posix.normalize(path));
    if (files.length === 0) throw new TestFileError(`expected a file, or a folder with files, at ${path}`);
    return files.flatMap((file) => this.#read(file));
  }

  /** The documents of a path that is relative to the folder of a file. */
  beside(file: string, path: string): readonly FileDocument[] {
    return this.at(posix.isAbsolute(path) ? path : posix.join(posix.dirname(file), path));
  }

  #read({ path, text }: TestFile): readonly FileDocument[] {
    let documents = this.#documents.get(path);
    if (!documents) {
      this.#texts.set(path, text);
      documents = documentsOf(text, path)
        .flatMap(({ value, from }) => objectsOf(value, from))
        .map((found) => ({ ...found, file: path }));
      this.#documents.set(path, documents);
    }
    return documents;
  }
}

/** A reference to objects. */
export interface Reference {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The documents that match a reference. */
export function referred<T extends SourceValue>(
  documents: readonly T[],
  { kind, namespace, name }: Reference,
): readonly T[] {
  return documents.filter(({ value }) => {
    if (!isObject(value)) return false;
    const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
    return (
      (kind === undefined || value["kind"] === kind) &&
      (name === undefined || metadata["name"] === name) &&
      (namespace === undefined || (metadata["namespace"] ?? "default") === namespace)
    );
  });
}
