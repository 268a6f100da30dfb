/**
 * Loads modules with a mutant in one of them: that module, and all that import it, are loaded again; the others are shared.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Mutant, mutated } from "./mutant.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const QUERY = "?mutant=";
/** What a module imports when it runs; types are gone by then. */
const IMPORTS = /^(?:import|export)(?! type\b)[^;]*?from "(\.[^"]+)";|\bimport\("(\.[^"]+)"\)/gm;

/** Imports an entry as it is with a mutant. Each one is imported once. */
export class MutantLoader implements Disposable {
  readonly #entry: string;
  /** The modules that import a module, by URL. */
  readonly #importers = new Map<string, string[]>();
  readonly #loaded: { readonly mutant: Mutant; readonly url: string; readonly anew: ReadonlySet<string> }[] = [];
  readonly #hooks: { deregister(): void };

  /** @param entry the URL of a module in `test/explore/mutants/` */
  constructor(entry: URL) {
    this.#entry = entry.href;
    const files = globSync(["src/**/*.ts", "test/explore/mutants/*.ts"], { cwd: ROOT });
    for (const file of files) this.#read(pathToFileURL(`${ROOT}${file}`).href);
    this.#hooks = registerHooks({
      resolve: (name, context, next) => {
        const resolved = next(name, context);
        const [, number] = context.parentURL?.split(QUERY) ?? [];
        const isAnew = number !== undefined && this.#loaded[Number(number)]?.anew.has(resolved.url) === true;
        return isAnew ? { ...resolved, url: `${resolved.url}${QUERY}${number}` } : resolved;
      },
      load: (url, context, next) => {
        const loaded = next(url, context);
        const [bare, number] = url.split(QUERY);
        const one = number === undefined ? undefined : this.#loaded[Number(number)];
        return one && one.url === bare
          ? { ...loaded, source: mutated(readFileSync(new URL(one.url), "utf8"), one.mutant) }
          : loaded;
      },
    });
  }

  /** @throws Error where the entry does not import the file of the mutant */
  async import(mutant: Mutant): Promise<unknown> {
    const url = pathToFileURL(`${ROOT}${mutant.file}`).href;
    const anew = new Set([url]);
    for (const one of anew) for (const importer of this.#importers.get(one) ?? []) anew.add(importer);
    if (!anew.has(this.#entry)) throw new Error(`expected ${this.#entry} to import ${mutant.file}, it does not`);
    const number = this.#loaded.push({ mutant, url, anew }) - 1;
    return import(`${this.#entry}${QUERY}${number}`);
  }

  [Symbol.dispose](): void {
    this.#hooks.deregister();
  }

  #read(url: string): void {
    for (const [, still, dynamic] of readFileSync(new URL(url), "utf8").matchAll(IMPORTS)) {
      const imported = new URL((still ?? dynamic)!, url).href;
      const importers = this.#importers.get(imported);
      if (importers) importers.push(url);
      else this.#importers.set(imported, [url]);
    }
  }
}
