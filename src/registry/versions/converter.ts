/**
 * From one version of a kind to another.
 *
 * @module
 */
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";

/** Converts objects of one resource between its versions. */
export interface Converter {
  /**
   * The object in the version `to` (an apiVersion); pure. At once where this process knows how, a promise where somebody
   * else is asked. `replaced`, in that version, is the object whose place it takes: members that the version of `object`
   * cannot say are taken from there. Throws, or rejects with, an `ApiError` that names the object.
   */
  convert(object: ApiObject, to: string, replaced?: ApiObject): ApiObject | Promise<ApiObject>;
  /** Several objects at once, in their order, for those who wait for somebody else. */
  convertAll?(objects: readonly ApiObject[], to: string): Promise<readonly ApiObject[]>;
}

/** Converts through the one form to and from which each version knows the way: that of the definition without `storedAs`. */
export function hubConverter(definitionAt: (apiVersion: string) => ResourceDefinition | undefined): Converter {
  const known = (apiVersion: string): ResourceDefinition => {
    const definition = definitionAt(apiVersion);
    if (!definition) throw new Error(`expected a version of the resource that is known, got ${apiVersion}`);
    return definition;
  };
  return {
    convert(object, to, replaced) {
      if (object.apiVersion === to) return object;
      const [source, target] = [known(object.apiVersion).storedAs, known(to).storedAs];
      const hub = source ? source.toStored(object, target ? undefined : replaced) : object;
      const converted = target ? target.fromStored(hub) : hub;
      // Versions that say nothing of each other differ by their name.
      return converted.apiVersion === to ? converted : { ...converted, apiVersion: to };
    },
  };
}
