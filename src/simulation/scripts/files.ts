/** The content of volumes: files in memory that live as long as a claim, or as a Pod. */
import { messageOf } from "../../util/error.ts";
import type { VolumeFiles } from "../contract.ts";

/** The size of a volume in characters. */
const MAX_CHARACTERS = 1 << 20;
/** The size of all volumes of a store, in characters with those of the paths. */
const MAX_STORED_CHARACTERS = 256 << 20;
/** The number of files in a volume. */
const MAX_FILES = 10_000;
const MAX_PATH = 1024;

/** The files of one volume, and how many characters they have. */
export class Files {
  readonly texts: Map<string, string>;
  #characters = 0;
  #store: FileStore | undefined;

  constructor(texts: ReadonlyMap<string, string>, store?: FileStore) {
    this.texts = new Map(texts);
    this.#store = store;
    for (const text of texts.values()) this.#characters += text.length;
  }

  /** The characters of paths and texts. */
  get size(): number {
    let paths = 0;
    for (const path of this.texts.keys()) paths += path.length;
    return this.#characters + paths;
  }

  /** @throws Error where there is no room */
  set(path: string, text: string): void {
    const known = this.texts.get(path);
    const more = text.length - (known?.length ?? 0);
    if (path.length > MAX_PATH) throw new Error(`${path.slice(0, 20)}...: File name too long`);
    if (this.#characters + more > MAX_CHARACTERS) throw new Error("it keeps 1 MiB");
    if (known === undefined && this.texts.size >= MAX_FILES) throw new Error(`it keeps ${MAX_FILES} files`);
    this.#store?.grow(more + (known === undefined ? path.length : 0));
    this.#characters += more;
    this.texts.set(path, text);
  }

  delete(path: string): void {
    const known = this.texts.get(path);
    if (known === undefined) return;
    this.texts.delete(path);
    this.#characters -= known.length;
    this.#store?.grow(-known.length - path.length);
  }

  /** Excludes it from the count of the store: a holder may still write, and it is freed with that. */
  leave(): void {
    this.#store?.grow(-this.size);
    this.#store = undefined;
  }
}

/** The files of volumes: those of one owner, such as `claim <uid>` or `pod <uid>`, are removed together. */
export class FileStore {
  readonly #owners: Map<string, Map<string, Files>>;
  #characters = 0;

  constructor(owners: ReadonlyMap<string, ReadonlyMap<string, Files>> = new Map()) {
    const copied = [...owners].map(
      ([owner, volumes]) =>
        [owner, new Map([...volumes].map(([name, { texts }]) => [name, new Files(texts, this)] as const))] as const,
    );
    this.#owners = new Map(copied);
    for (const volumes of this.#owners.values()) for (const files of volumes.values()) this.#characters += files.size;
  }

  /** The files of a volume, which is empty at first. */
  volume(owner: string, name = ""): Files {
    let volumes = this.#owners.get(owner);
    if (!volumes) this.#owners.set(owner, (volumes = new Map()));
    let files = volumes.get(name);
    if (!files) volumes.set(name, (files = new Files(new Map(), this)));
    return files;
  }

  /** Forgets the volumes of an owner. */
  forget(owner: string): void {
    for (const files of this.#owners.get(owner)?.values() ?? []) files.leave();
    this.#owners.delete(owner);
  }

  /** Counts added or removed characters. @throws Error where all volumes together exceed the limit */
  grow(characters: number): void {
    if (characters > 0 && this.#characters + characters > MAX_STORED_CHARACTERS) {
      throw new Error("all simulated volumes keep 256 MiB together");
    }
    this.#characters += characters;
  }

  /** A store with the same content. */
  fork(): FileStore {
    return new FileStore(this.#owners);
  }
}

/** The files of a volume that is only read. */
export const filesFrom = (texts: ReadonlyMap<string, string>): Files => new Files(texts);

/** The input of {@link filesOf}. */
export interface VolumeFacts {
  readonly source: string;
  readonly volume: string;
  readonly name?: string | undefined;
  readonly readOnly: boolean;
  /** The folder of the volume that is mounted. */
  readonly subPath?: string | undefined;
  /** Whether a change was made already: that of a script that is replayed is left out. */
  readonly isKnown?: (() => boolean) | undefined;
}

/** Files of a volume as a container sees them. */
export function filesOf(files: () => Files, { subPath, isKnown, ...facts }: VolumeFacts): VolumeFiles {
  const base = subPath ? `${clean(subPath)}/` : "";
  const pathOf = (path: string): string => base + clean(path);
  return {
    ...facts,
    list: () =>
      [...files().texts.keys()]
        .filter((path) => path.startsWith(base))
        .map((path) => path.slice(base.length))
        .toSorted(),
    read: (path) =>
      files().texts.get(pathOf(path)) ?? (subPath && path === "" ? files().texts.get(clean(subPath)) : undefined),
    write(path, text) {
      if (facts.readOnly) throw new Error(`expected a volume that may be written, ${facts.volume} is only read`);
      if (isKnown?.()) return;
      try {
        files().set(pathOf(path), text);
      } catch (error) {
        throw new Error(`no space left in volume ${facts.volume}: ${messageOf(error)}`, { cause: error });
      }
    },
    delete(path) {
      if (facts.readOnly) throw new Error(`expected a volume that may be written, ${facts.volume} is only read`);
      if (!isKnown?.()) files().delete(pathOf(path));
    },
  };
}

/** A path without `.`, `..` and doubled slashes. */
function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
