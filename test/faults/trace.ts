/**
 * What a power cut can leave of a directory: made of the trace of all calls (faulty.c) up to some moment.
 *
 * What was flushed is there. Of what was written after the last flush of a file each sector of 512 bytes is there or not,
 * by chance. Names (creating, renaming, removing) become durable in the order in which they happened, at the latest when
 * the directory is flushed: up to some of them, by chance, they are there.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../src/util/clock.ts";

const SECTOR = 512;

/** One call that was carried out. `file` tells files apart, also those that had the same name one after the other. */
export type Call =
  | { readonly is: "write"; readonly file: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly is: "truncate"; readonly file: number; readonly size: number }
  | { readonly is: "sync"; readonly file: number }
  | { readonly is: "name"; readonly file: number; readonly name: string; readonly old: string | undefined }
  | { readonly is: "unname"; readonly name: string }
  /** The directory was flushed. */
  | { readonly is: "syncNames" }
  /** A line of the writer's log. */
  | { readonly is: "ack"; readonly bytes: Buffer };

/** Reads a trace. */
export function readTrace(path: string): Call[] {
  const content = readFileSync(path);
  const calls: Call[] = [];
  /** An inode is used again for another file. */
  const files = new Map<string, number>();
  const names = new Map<number, string>();
  let last = 0;
  const fileOf = (inode: string): number => files.get(inode) ?? -1;
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(10, at);
    const [is = "", inode = "", offset = "", size = "", ...rest] = content.toString("utf8", at, end).split(" ");
    const name = rest.join(" ");
    at = end + 1;
    const bytes = content.subarray(at, at + Number(size));
    if (is === "write" || is === "ack") at += bytes.length;
    const file = fileOf(inode);
    if (is === "ack") calls.push({ is, bytes });
    else if (is === "write") calls.push({ is, file, offset: Number(offset), bytes });
    else if (is === "truncate") calls.push({ is, file, size: Number(offset) });
    else if (is === "sync") calls.push(name === "" ? { is: "syncNames" } : { is, file });
    else if (is === "unlink") calls.push({ is: "unname", name });
    else if (is === "rename") {
      calls.push({ is: "name", file, name, old: names.get(file) });
      names.set(file, name);
    } else {
      files.set(inode, ++last);
      names.set(last, name);
      calls.push({ is: "name", file: last, name, old: undefined });
    }
  }
  return calls;
}

/** The lines of the log that had been written before the call of number `cut`. */
export function logBefore(calls: readonly Call[], cut: number): string {
  const parts = calls.slice(0, cut).flatMap((call) => (call.is === "ack" ? [call.bytes] : []));
  return Buffer.concat(parts).toString();
}

/** Writes into `directory` what a power cut before the call of number `cut` may leave. */
export function writeImage(calls: readonly Call[], cut: number, random: Random, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, file] of namesAt(calls, cut, random)) {
    writeFileSync(join(directory, name), contentAt(calls, cut, file, random));
  }
}

function namesAt(calls: readonly Call[], cut: number, random: Random): Map<string, number> {
  const durable = calls.findLastIndex((call, i) => i < cut && call.is === "syncNames");
  const changes = calls.flatMap((call, i) => (i < cut && (call.is === "name" || call.is === "unname") ? [i] : []));
  const kept = changes.filter((i) => i < durable).length;
  const through = kept + Math.floor(random.next() * (changes.length - kept + 1));
  const names = new Map<string, number>();
  for (const i of changes.slice(0, through)) {
    const call = calls[i]!;
    if (call.is === "unname") names.delete(call.name);
    if (call.is !== "name") continue;
    if (call.old !== undefined) names.delete(call.old);
    names.set(call.name, call.file);
  }
  return names;
}

function contentAt(calls: readonly Call[], cut: number, file: number, random: Random): Buffer {
  const ours = calls.slice(0, cut).filter((call) => "file" in call && call.file === file);
  const flushed = ours.findLastIndex(({ is }) => is === "sync");
  const ends = ours.map((call) => (call.is === "write" ? call.offset + call.bytes.length : 0));
  const content = Buffer.alloc(Math.max(0, ...ends));
  let size = 0;
  // How much of what came after the flush is there differs from one power cut to the next.
  const share = random.next();
  for (const [i, call] of ours.entries()) {
    const kept = (): boolean => i < flushed || random.next() < share;
    if (call.is === "truncate" && kept()) {
      content.fill(0, call.size);
      size = call.size;
    }
    if (call.is !== "write") continue;
    for (let at = 0; at < call.bytes.length;) {
      const place = call.offset + at;
      const end = Math.min(at + SECTOR - (place % SECTOR), call.bytes.length);
      if (kept()) {
        call.bytes.copy(content, place, at, end);
        size = Math.max(size, call.offset + end);
      }
      at = end;
    }
  }
  return content.subarray(0, size);
}
