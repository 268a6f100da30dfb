/**
 * Decoders of plain JSON from files, which trust nothing: each member is checked, unknown members are refused, and an error names the
 * member: `plan[0].at.actor: expected a text, found 3`.
 *
 * @module
 */
import { suggestion } from "../util/nearest.ts";
import { isObject, type Value } from "../value/value.ts";

/** Returns a value in its type. @throws StrictError that names the member at `path` */
export type Decoder<T> = (value: Value | undefined, path: string) => T;

type Decoded<D> = D extends Decoder<infer T> ? T : never;
type Decoders = Readonly<Record<string, Decoder<unknown>>>;

/** Reports the invalid member, and what was expected and found. */
export class StrictError extends Error {
  override readonly name = "StrictError";
}

const MAX_FOUND_LENGTH = 60;

/** Throws for a value that is not as expected. */
export function refuse(path: string, expected: string, found: Value | undefined): never {
  const text = found === undefined ? "nothing" : JSON.stringify(found);
  const shown = text.length > MAX_FOUND_LENGTH ? `${text.slice(0, MAX_FOUND_LENGTH)}…` : text;
  throw new StrictError(`${path === "" ? "" : `${path}: `}expected ${expected}, found ${shown}`);
}

const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** A text, which may be empty. */
export const text: Decoder<string> = (value, path) =>
  typeof value === "string" ? value : refuse(path, "a text", value);

/** A text with at least one character. */
export const word: Decoder<string> = (value, path) =>
  typeof value === "string" && value !== "" ? value : refuse(path, "a text that is not empty", value);

/** A whole number from another one on that a double holds. */
export const wholeFrom =
  (least: number): Decoder<number> =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least
      ? (value as number)
      : refuse(path, `a whole number from ${least}`, value);

/** A whole number from 0 that a double holds. */
export const count: Decoder<number> = wholeFrom(0);

/** One of some texts. */
export const oneOf =
  <T extends string>(...texts: readonly T[]): Decoder<T> =>
  (value, path) =>
    texts.find((one) => one === value) ?? refuse(path, `one of ${texts.join(", ")}`, value);

/** A list of at most `most` items. */
export const listOf =
  <T>(item: Decoder<T>, most: number): Decoder<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) return refuse(path, "a list", value);
    if (value.length > most) throw new StrictError(`${path}: expected at most ${most} items, found ${value.length}`);
    return value.map((one, i) => item(one, `${path}[${i}]`));
  };

/** An object with required members and optional ones; it has no others. */
export const record =
  <Required extends Decoders, Optional extends Decoders>(
    required: Required,
    optional: Optional,
  ): Decoder<
    { readonly [K in keyof Required]: Decoded<Required[K]> } & { readonly [K in keyof Optional]?: Decoded<Optional[K]> }
  > =>
  (value, path) => {
    if (!isObject(value)) return refuse(path, "an object", value);
    const known = { ...required, ...optional };
    const decoded = Object.entries(value).map(([name, member]) => {
      const decode = Object.hasOwn(known, name) ? known[name] : undefined;
      if (decode) return [name, decode(member, below(path, name))];
      const hint = suggestion(name, Object.keys(known)) || `; known are ${Object.keys(known).join(", ")}`;
      throw new StrictError(`${below(path, JSON.stringify(name).slice(1, -1))}: unknown member${hint}`);
    });
    const missing = Object.keys(required).find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) required[missing]!(undefined, below(path, missing));
    return Object.fromEntries(decoded) as never;
  };

/** An object whose member `type` selects the decoder for all of it. */
export const tagged =
  <T extends string, D extends Readonly<Record<T, Decoder<unknown>>>>(decoders: D): Decoder<Decoded<D[keyof D]>> =>
  (value, path) => {
    if (!isObject(value)) return refuse(path, "an object", value);
    const type = oneOf(...Object.keys(decoders))(value["type"], below(path, "type"));
    return decoders[type as keyof D](value, path) as Decoded<D[keyof D]>;
  };
