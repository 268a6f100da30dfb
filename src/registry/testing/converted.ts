/**
 * A kind in two versions with a converter that a test controls, like one that calls a webhook.
 *
 * @module
 */
import type { ResourceDefinition, ApiObject } from "../../schema/definition.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import type { Resource } from "../contract.ts";
import type { Converter } from "../kind/converter.ts";
import { type TestParts, registryOf, widget } from "./registry.ts";

/** The control of a test over a converter. */
export interface Asked {
  /** The number of its calls, and of the objects in them. */
  calls: number;
  objects: number;
  /** Returns the result for an object; by default a copy with the requested version. */
  convert: (object: ApiObject, to: string) => unknown;
  /** Awaited before each result; by default a pass of the loop. */
  wait: () => Promise<unknown>;
}

/** A converter that calls the functions of a test. */
export function askingConverter(): { readonly asked: Asked; readonly converter: Converter } {
  const asked: Asked = {
    calls: 0,
    objects: 0,
    convert: (object, to) => ({ ...object, apiVersion: to }),
    wait: () => new Promise((resolve) => void setImmediate(resolve)),
  };
  const convertAll = async (objects: readonly ApiObject[], to: string): Promise<readonly ApiObject[]> => {
    asked.calls++;
    asked.objects += objects.length;
    await asked.wait();
    return objects.map((object) => asked.convert(object, to) as ApiObject);
  };
  return { asked, converter: { convert: (object, to) => convertAll([object], to).then(([one]) => one!), convertAll } };
}

/** A registry with widgets in v1, in which they are stored, and v2. */
export async function convertedWidgets(more: Partial<ResourceDefinition> = {}, parts: TestParts = {}) {
  const { asked, converter } = askingConverter();
  const store = parts.store ?? (await openMemoryStore());
  const built = await registryOf([], { ...parts, store });
  const versions = [widget("v1", more), widget("v2", more)];
  await built.kinds.set({ versions, storage: versions[0]!, converter });
  const at = (version: string): Resource => built.kinds.find("example.com", version, "widgets")!;
  return { asked, converter, store, built, versions, v1: at("v1"), v2: at("v2"), at };
}
