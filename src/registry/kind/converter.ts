/**
 * Converts objects between the versions of a kind.
 *
 * @module
 */
import { FieldErrors } from "../../meta/field-errors.ts";
import { validateAnnotations, validateLabels } from "../../meta/object-meta-rules.ts";
import { ApiError } from "../../meta/status.ts";
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { isObject } from "../../value/value.ts";
import { messageOf } from "../../util/error.ts";

/** Converts objects of one resource between its versions. */
export interface Converter {
  /**
   * The object in the version `to` (an apiVersion); pure. At once where this process converts, a promise where a webhook does, which has a
   * timeout of its own. `replaced`, in that version, is the object that it replaces: members that the version of `object` cannot express
   * are taken from it. Throws, or rejects, with the reason where the conversion fails.
   */
  convert(object: ApiObject, to: string, replaced?: ApiObject): ApiObject | Promise<ApiObject>;
  /** Several objects at once, in their order; present exactly where `convert` waits for a webhook. */
  convertAll?(objects: readonly ApiObject[], to: string): Promise<readonly ApiObject[]>;
}

/** A converter whose results {@link checkedConverter} validates. */
export interface UncheckedConverter {
  convert(object: ApiObject, to: string, replaced?: ApiObject): unknown;
  convertAll?(objects: readonly ApiObject[], to: string): Promise<readonly unknown[]>;
}

/** Converts through the one form that each version can be converted to and from: that of the definition without `storedAs`. */
export function hubConverter(definitionAt: (apiVersion: string) => ResourceDefinition | undefined): Converter {
  return {
    convert(object, to, replaced) {
      if (object.apiVersion === to) return object;
      const from = definitionAt(object.apiVersion);
      if (!from) throw unknownVersion(object, to);
      const [source, target] = [from.storedAs, definitionAt(to)?.storedAs];
      const hub = source ? source.toStored(object, target ? undefined : replaced) : object;
      const converted = target ? target.fromStored(hub) : hub;
      // Versions without conversion rules differ only in their name.
      return converted.apiVersion === to ? converted : { ...converted, apiVersion: to };
    },
  };
}

/**
 * A converter whose results are validated: a result must be the same object in the requested version, and of its metadata only labels and
 * annotations may differ. All other metadata is kept; any other result is an error that names the object. So a broken converter breaks no
 * record.
 */
export function checkedConverter(converter: UncheckedConverter, isKnown: (apiVersion: string) => boolean): Converter {
  const askable = (object: ApiObject, to: string): void => {
    if (!isKnown(object.apiVersion)) throw unknownVersion(object, to);
  };
  const checked: Converter = {
    convert(object, to, replaced) {
      if (object.apiVersion === to) return object;
      askable(object, to);
      try {
        const result = converter.convert(object, to, replaced);
        if (!(result instanceof Promise)) return sameObject(object, to, result);
        return result.then(
          (converted) => sameObject(object, to, converted),
          (error: unknown) => Promise.reject(failed([object], to, error)),
        );
      } catch (error) {
        throw failed([object], to, error);
      }
    },
  };
  const convertAll = converter.convertAll?.bind(converter);
  if (convertAll) {
    checked.convertAll = async (objects, to) => {
      for (const object of objects) askable(object, to);
      let converted: readonly unknown[];
      try {
        converted = await convertAll(objects, to);
        if (converted.length !== objects.length) {
          throw new Error(`expected ${objects.length} converted objects, got ${converted.length}`);
        }
      } catch (error) {
        throw failed(objects, to, error);
      }
      return objects.map((object, i) => sameObject(object, to, converted[i]));
    };
  }
  return checked;
}

/** The result of a converter for an object, if it is that object. */
function sameObject(object: ApiObject, to: string, converted: unknown): ApiObject {
  const refuse = (what: string, got: unknown): never => {
    throw failed([object], to, new Error(`expected ${what}, got ${JSON.stringify(got) ?? "nothing"}`));
  };
  const same = (what: string, expected: unknown, got: unknown): void => {
    if (got !== expected) refuse(`${what} of the converted object to be ${JSON.stringify(expected)}`, got);
  };
  if (!isObject(converted)) return refuse("the converted object to be an object", converted);
  const { apiVersion, kind, metadata } = converted;
  same("apiVersion", to, apiVersion);
  same("kind", object.kind, kind);
  if (!isObject(metadata)) return refuse("metadata of the converted object to be an object", metadata);
  for (const member of ["name", "namespace", "uid"] as const) {
    same(`metadata.${member}`, object.metadata[member], metadata[member]);
  }
  const errors = new FieldErrors();
  const texts = (member: "labels" | "annotations"): Record<string, string> | undefined => {
    const map = metadata[member] ?? undefined;
    if (map === undefined || isTexts(map)) return map;
    return refuse(`metadata.${member} of the converted object to be a map of texts`, map);
  };
  const [labels, annotations] = [texts("labels"), texts("annotations")];
  if (labels) validateLabels(labels, "metadata.labels", errors);
  if (annotations) validateAnnotations(annotations, "metadata.annotations", errors);
  if (errors.any)
    throw failed([object], to, new Error(errors.causes.map((c) => `${c.field}: ${c.message}`).join(", ")));
  const { labels: _, annotations: __, ...kept } = object.metadata;
  return {
    ...converted,
    apiVersion: to,
    kind: object.kind,
    metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) },
  };
}

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === "string");

const placeOf = ({ kind, metadata: { namespace, name } }: ApiObject): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

/** 500 with the reason of the failure: it is no error of the client. */
function failed(objects: readonly ApiObject[], to: string, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const [object] = objects;
  const which = object && objects.length === 1 ? placeOf(object) : `${objects.length} objects`;
  const why = messageOf(cause);
  return new ApiError("InternalError", `the conversion of ${which} to ${to} failed: ${why}`, { cause, unnamed: true });
}

const unknownVersion = (object: ApiObject, to: string): ApiError =>
  failed(
    [object],
    to,
    new Error(`it was written in ${object.apiVersion}, which is none of the versions of its resource now`),
  );
