import type { Slice } from "../../util/loop.ts";
import type { Entry, Owner, WriterFiles } from "./writer-files.ts";
import { DATA, NEXT, isWriteName } from "./write-name.ts";

/** A volume with its content, and the desired links to it. */
export interface DesiredLinks {
  readonly files: WriterFiles;
  readonly directory: string;
  /** The directory of the last write. */
  readonly current: string;
  /** The first elements of all paths. */
  readonly names: ReadonlySet<string>;
  readonly owner: Owner | undefined;
  readonly turns: Slice;
}

/** Creates missing links, then removes links of removed names, then leftovers of earlier writes (PROJ-51, PROJ-54). */
export async function updateLinks({ files, directory, current, names, owner, turns }: DesiredLinks): Promise<void> {
  const at = (name: string): string => `${directory}/${name}`;
  const entries = files.list(directory);
  const types = new Map(entries.map(({ name, type }) => [name, type]));
  for (const name of names) {
    putLink(files, at(name), name, types.get(name), owner);
    await turns.pause();
  }
  for (const { name, type } of entries) {
    const isOurs =
      type === "link" && !name.startsWith("..") && !names.has(name) && files.target(at(name)) === targetOf(name);
    if (isOurs || (type === "link" && name === NEXT)) files.removeLink(at(name));
    await turns.pause();
  }
  for (const { name, type } of entries) {
    if (type !== "directory" || !isWriteName(name) || name === current) continue;
    files.removeTree(at(name));
    await turns.pause();
  }
}

const targetOf = (name: string): string => `${DATA}/${name}`;

/** @param found what exists at the path */
function putLink(
  files: WriterFiles,
  path: string,
  name: string,
  found: Entry["type"] | undefined,
  owner: Owner | undefined,
): void {
  if (found === "link" && files.target(path) === targetOf(name)) return;
  if (found !== undefined && found !== "link") {
    throw new Error(`expected nothing but a link to ${targetOf(name)} at ${path}, found a ${found}`);
  }
  if (found === "link") files.removeLink(path);
  files.makeLink(path, targetOf(name), owner);
}
