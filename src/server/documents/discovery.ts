/**
 * The discovery documents. What is said of a group and version is made once and kept until that one changes; what is said
 * of all groups is put together from that.
 *
 * @module
 */
import { valueInForm } from "../answer/in-form.ts";
import type { Format } from "../answer/negotiate.ts";
import type { GroupResources, Registry } from "../../registry/contract.ts";
import { ByVersion } from "./by-version.ts";
import {
  aggregated,
  aggregatedVersion,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "./discovery-documents.ts";
import { type HashedDocument, hashed } from "./hashed-document.ts";

/** The discovery documents of a registry. */
export class Discovery {
  readonly #registry: Registry;
  readonly #resources = new ByVersion((group, version) => {
    const list = apiResourceList(group, version);
    return kept((format) => valueInForm(list, format));
  });
  readonly #aggregated = new ByVersion((_group, version) => JSON.stringify(aggregatedVersion(version)));
  /** Documents that tell of more than one group and version, as long as all of them stay as they are. */
  readonly #overviews = new Map<string, HashedDocument>();
  #generation: number | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The groups that are served now. */
  get groups(): readonly GroupResources[] {
    return this.#registry.groups();
  }

  /** `/api` or `/apis`. */
  root(core: boolean, format: Format): HashedDocument {
    return this.#overview(`root ${core}`, format, () => (core ? apiVersions : apiGroupList)(this.groups));
  }

  /** `/api` or `/apis` with everything that is below. */
  aggregated(core: boolean, format: Format): HashedDocument {
    return this.#overview(`aggregated ${core}`, format, () => {
      const groups = this.groups.filter(({ group }) => (group === "") === core);
      return aggregated(groups, (group, version) => this.#aggregated.get(group, version));
    });
  }

  /** `/apis/GROUP`; undefined for a group that is not served. */
  group(name: string, format: Format): HashedDocument | undefined {
    const group = this.#registry.group(name);
    return group && this.#overview(`group ${name}`, format, () => apiGroup(group));
  }

  /** `/apis/GROUP/VERSION`; undefined for a version that is not served. */
  resources(name: string, version: string, format: Format): HashedDocument | undefined {
    const found = this.#registry.group(name)?.versions.find((one) => one.version === version);
    return found && this.#resources.get(name, found)(format);
  }

  /** Whether anything of a group, or of one of its versions, is served. */
  has(name: string, version?: string): boolean {
    if (version === undefined) return this.#registry.hasGroup(name);
    return this.#registry.group(name)?.versions.some((one) => one.version === version) ?? false;
  }

  #overview(id: string, format: Format, make: () => object | string): HashedDocument {
    if (this.#generation !== this.#registry.generation) {
      this.#generation = this.#registry.generation;
      this.#overviews.clear();
    }
    const key = `${id} ${formName(format)}`;
    let document = this.#overviews.get(key);
    if (!document) this.#overviews.set(key, (document = hashed(inForm(make(), format))));
    return document;
  }
}

const formName = ({ media, pretty }: Format): string => `${media} ${pretty}`;

/** A document that is there as a value, or as the text of one. */
function inForm(made: object | string, format: Format): Buffer {
  if (typeof made !== "string") return valueInForm(made, format);
  if (format.media === "json" && !format.pretty) return Buffer.from(`${made}\n`);
  return valueInForm(JSON.parse(made), format);
}

/** A document in each form, made when that is first asked for. */
function kept(make: (format: Format) => Buffer): (format: Format) => HashedDocument {
  const documents = new Map<string, HashedDocument>();
  return (format) => {
    const key = formName(format);
    let document = documents.get(key);
    if (!document) documents.set(key, (document = hashed(make(format))));
    return document;
  };
}
