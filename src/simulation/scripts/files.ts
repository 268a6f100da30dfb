/** The content of volumes: files in memory that live as long as a claim, or as a Pod. */
import type { VolumeFiles } from "../contract.ts";

/** The size of a volume in characters. */
const MAX_CHARACTERS = 1 << 20;

type Files = Map<string, string>;

/** Files by volume: `claim <uid>`, or `pod <uid> <volume>`. */
export class FileStore {
  readonly #volumes: Map<string, Files>;

  constructor(volumes: ReadonlyMap<string, Files> = new Map()) {
    this.#volumes = new Map([...volumes].map(([name, files]) => [name, new Map(files)]));
  }

  /** The files of a volume, which is empty at first. */
  volume(name: string): Files {
    let files = this.#volumes.get(name);
    if (!files) this.#volumes.set(name, (files = new Map()));
    return files;
  }

  /** Forgets the volumes whose names begin with a text. */
  forget(prefix: string): void {
    for (const name of this.#volumes.keys()) if (name.startsWith(prefix)) this.#volumes.delete(name);
  }

  /** A store with the same content. */
  fork(): FileStore {
    return new FileStore(this.#volumes);
  }
}

/** What {@link filesOf} needs to know. */
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
export function filesOf(files: Files, { subPath, isKnown, ...facts }: VolumeFacts): VolumeFiles {
  const base = subPath ? `${clean(subPath)}/` : "";
  const pathOf = (path: string): string => base + clean(path);
  return {
    ...facts,
    list: () =>
      [...files.keys()]
        .filter((path) => path.startsWith(base))
        .map((path) => path.slice(base.length))
        .toSorted(),
    read: (path) => files.get(pathOf(path)) ?? (subPath && path === "" ? files.get(clean(subPath)) : undefined),
    write(path, text) {
      if (facts.readOnly) throw new Error(`expected a volume that may be written, ${facts.volume} is only read`);
      if (isKnown?.()) return;
      const known = files.get(pathOf(path))?.length ?? 0;
      let sum = text.length - known;
      for (const content of files.values()) sum += content.length;
      if (sum > MAX_CHARACTERS) throw new Error(`no space left in volume ${facts.volume}: it keeps 1 MiB`);
      files.set(pathOf(path), text);
    },
    delete(path) {
      if (facts.readOnly) throw new Error(`expected a volume that may be written, ${facts.volume} is only read`);
      if (!isKnown?.()) files.delete(pathOf(path));
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
