/**
 * SQLite's own check of a database: trees, indexes and free pages.
 *
 * It is one call, which takes about as long as reading the file. The checks of single tables that SQLite offers do not find pages that
 * belong to no table or to two, so the whole runs in a thread, and the caller can show that it runs.
 *
 * @module
 */
import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../util/error.ts";
import { siblingModule } from "../../util/worker-threads.ts";
import { isDamage, isMisunderstood } from "./errors.ts";
import { APPLICATION_ID, FORMAT, unknownTables } from "./schema.ts";

/** The maximum of reported messages of SQLite's check. */
export const MAX_MESSAGES = 1000;

/** The result of {@link checkStructure}. */
export interface Structure {
  readonly format: number | undefined;
  readonly messages: readonly string[];
  /** Why the check failed. */
  readonly unchecked?: string;
}

/**
 * Runs SQLite's check of trees, indexes and free pages. With an empty log it needs no other file; otherwise SQLite creates one,
 * which is removed again.
 */
export function checkStructure(file: string, isLogEmpty: boolean): Structure {
  const hadLog = existsSync(`${file}-wal`);
  let db: DatabaseSync | undefined;
  let format: number | undefined;
  try {
    const url = pathToFileURL(file);
    if (isLogEmpty) url.searchParams.set("immutable", "1");
    db = new DatabaseSync(url, { readOnly: true, timeout: 0 });
    const pragma = (name: string): unknown => db!.prepare(`PRAGMA ${name}`).get()?.[name];
    const messages: string[] = [];
    format = Number(pragma("user_version"));
    if (pragma("application_id") !== APPLICATION_ID) messages.push("the header names another program than Keelson");
    if (format < 1) messages.push(`the header names the format ${format}, there is none below 1`);
    if (format > FORMAT)
      messages.push(`the format is ${format}, newer than ${FORMAT}: check with the Keelson that wrote it`);
    const unknown = format === FORMAT ? unknownTables(db) : undefined;
    if (unknown !== undefined) messages.push(`a table is not defined as we define it: ${unknown}`);
    const found = db
      .prepare(`PRAGMA integrity_check(${MAX_MESSAGES})`)
      .all()
      .map((row) => String(row["integrity_check"]));
    return { format, messages: [...messages, ...found.filter((line) => line !== "ok")] };
  } catch (error) {
    // No space or permission for that file says nothing about the store; the rest is read without it.
    const message = messageOf(error);
    return isDamage(error) || isMisunderstood(error)
      ? { format, messages: [message] }
      : { format, messages: [], unchecked: message };
  } finally {
    db?.close();
    rmSync(`${file}-shm`, { force: true });
    if (!hadLog) rmSync(`${file}-wal`, { force: true });
  }
}

/** What the thread gets. */
export interface StructureInput {
  readonly file: string;
  readonly isLogEmpty: boolean;
}

/** Runs {@link checkStructure} in a thread. */
export async function structureInThread(file: string, isLogEmpty: boolean): Promise<Structure> {
  const workerData: StructureInput = { file, isLogEmpty };
  const url = new URL(siblingModule(import.meta.url, "structure-thread"));
  // Without the flags of this process: some would break the thread.
  const worker = new Worker(url, { workerData, execArgv: [], name: "keelson-check" });
  try {
    return await new Promise<Structure>((resolve, reject) => {
      worker.once("message", resolve).once("error", reject);
      worker.once("exit", () => reject(new Error("expected a result of SQLite's check, the thread has ended")));
    });
  } finally {
    await worker.terminate();
  }
}
