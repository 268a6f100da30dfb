/**
 * Reads the members of a document by their types, and records which were read.
 *
 * @module
 */
import { type Value, type ValueObject, isObject } from "../../value/value.ts";

/** A document that cannot be read; the message has the file and the member. */
export class TestFileError extends Error {
  override readonly name = "TestFileError";
}

/** See the head of this file. */
export class Members {
  readonly from: string;
  readonly path: string;
  readonly #value: ValueObject;
  readonly #read = new Set<string>();

  /** Throws {@link TestFileError} for a value that is no object. */
  constructor(value: Value | undefined, from: string, path: string) {
    if (!isObject(value)) throw new TestFileError(`expected ${pathIn(path, "")} of ${from} to be an object`);
    this.from = from;
    this.path = path;
    this.#value = value;
  }

  /** Whether a member exists. */
  has(name: string): boolean {
    return Object.hasOwn(this.#value, name) && this.#value[name] !== null;
  }

  /** Any value; undefined for a missing member. */
  value(name: string): Value | undefined {
    this.#read.add(name);
    return this.has(name) ? this.#value[name] : undefined;
  }

  text(name: string): string | undefined {
    return this.#typed(name, "a text", (value): value is string => typeof value === "string");
  }

  flag(name: string): boolean | undefined {
    return this.#typed(name, "true or false", (value): value is boolean => typeof value === "boolean");
  }

  list(name: string): readonly Value[] {
    return this.#typed(name, "a list", (value): value is Value[] => Array.isArray(value)) ?? [];
  }

  texts(name: string): readonly string[] {
    return this.list(name).map((value, i) => {
      if (typeof value === "string") return value;
      throw this.error(`${name}[${i}]`, "to be a text");
    });
  }

  /** A map of texts; undefined where it is missing. */
  textMap(name: string): Readonly<Record<string, string>> | undefined {
    const map = this.value(name);
    if (map === undefined) return undefined;
    if (isObject(map) && Object.values(map).every((value) => typeof value === "string")) {
      return map as Record<string, string>;
    }
    throw this.error(name, "to be a map of texts");
  }

  /** One of several texts. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const found = this.text(name);
    if (found === undefined || choices.includes(found as T)) return found as T | undefined;
    throw this.error(name, `to be one of ${choices.join(", ")}, got ${JSON.stringify(found)}`);
  }

  object(name: string): Members | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : new Members(value, this.from, pathIn(this.path, name));
  }

  /** The members of each item of a list. */
  objects(name: string): readonly Members[] {
    return this.list(name).map((value, i) => new Members(value, this.from, `${pathIn(this.path, name)}[${i}]`));
  }

  /** Throws {@link TestFileError} for the first member that was not read. */
  end(): void {
    const unknown = Object.keys(this.#value).find((name) => !this.#read.has(name));
    if (unknown !== undefined) throw this.error(unknown, "not to be there: it cannot be read here");
  }

  /** An error with the path of a member. */
  error(name: string, what: string): TestFileError {
    return new TestFileError(`expected ${pathIn(this.path, name)} of ${this.from} ${what}`);
  }

  #typed<T extends Value>(name: string, what: string, fits: (value: Value) => value is T): T | undefined {
    const value = this.value(name);
    if (value === undefined || fits(value)) return value;
    throw this.error(name, `to be ${what}`);
  }
}

const pathIn = (path: string, name: string): string =>
  path === "" ? name || "the document" : name === "" ? path : `${path}.${name}`;
