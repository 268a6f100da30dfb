/**
 * Checks a store that is not open: every checksum, every index, the counters, the log and the high-water mark. Changes nothing.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../contract.ts";
import { shareDirectory } from "./lock.ts";
import { readMark } from "./mark.ts";
import { checkMark } from "./open.ts";
import { DATABASE_FILE, checkHeader } from "./schema.ts";
import { MAX_MESSAGES, structureInThread } from "./structure.ts";
import { type Survey, currentRows, withSurvey } from "./survey.ts";
import { scanWal } from "./wal.ts";
import { NO_PROGRESS, type Progress } from "../../util/progress.ts";

/** A defect of a store. */
export interface Finding {
  /**
   * `file`: the database cannot be read; `log`: the write-ahead log; `mark`: the database is not the newest one; `structure`: trees
   * and indexes; `counters`; `record`: the current value of a key; `history`: an older value.
   */
  readonly what: "file" | "log" | "mark" | "structure" | "counters" | "record" | "history";
  readonly message: string;
  readonly key?: string;
  readonly revision?: number;
}

/** The result of {@link checkStore}. */
export interface CheckReport {
  readonly directory: string;
  readonly format: number | undefined;
  readonly revision: number | undefined;
  readonly compactedRevision: number | undefined;
  /** Valid current records. */
  readonly records: number;
  /** Valid older versions and deletes. */
  readonly history: number;
  /** Bytes of all valid keys and values. */
  readonly bytes: number;
  /** Why SQLite's check of trees and indexes failed, for lack of space or of a permission; undefined when it was made. */
  readonly structureUnchecked: string | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Checks the store in `directory`.
 *
 * @throws StoreError `failed` when a process has the store open, or there is no store
 */
export async function checkStore(directory: string, progress: Progress = NO_PROGRESS): Promise<CheckReport> {
  const file = join(directory, DATABASE_FILE);
  if (!existsSync(directory))
    throw new StoreError("failed", `Expected a store in ${directory}, found no such directory`);
  const lock = shareDirectory(directory);
  try {
    return await check(directory, file, progress);
  } finally {
    lock.release();
  }
}

async function check(directory: string, file: string, progress: Progress): Promise<CheckReport> {
  const findings: Finding[] = [];
  const nothing = { directory, format: undefined, revision: undefined, compactedRevision: undefined };
  const none = { records: 0, history: 0, bytes: 0, structureUnchecked: undefined };
  const unreadable = failureOf(() => {
    if (!existsSync(file)) throw new StoreError("corrupt", `Expected the database ${file}, found none`);
    checkHeader(file);
  });
  if (unreadable !== undefined) {
    return { ...nothing, ...none, findings: [{ what: "file", message: unreadable }] };
  }
  const wal = scanWal(`${file}-wal`);
  if (wal?.damage !== undefined) findings.push({ what: "log", message: `${file}-wal: ${wal.damage}` });
  progress.begin("checking trees and indexes");
  const { format, messages, unchecked } = await structureInThread(
    file,
    wal === undefined || wal.committed.length === 0,
  );
  findings.push(...messages.slice(0, MAX_MESSAGES).map((message): Finding => ({ what: "structure", message })));
  return withSurvey(
    file,
    wal,
    (survey) => {
      const { counters } = survey;
      if (counters) {
        const older = failureOf(() => checkMark(directory, readMark(directory), counters.revision));
        if (older !== undefined) findings.push({ what: "mark", message: older });
      }
      findings.push(...checkRows(survey), ...checkCounters(survey));
      let bytes = 0;
      for (const row of survey.rows.values()) bytes += row.size;
      const records = currentRows(survey).rows.length;
      return {
        directory,
        format,
        revision: counters?.revision,
        compactedRevision: counters?.compacted,
        records,
        history: survey.rows.size - records,
        bytes,
        structureUnchecked: unchecked,
        findings,
      };
    },
    progress,
  );
}

function checkRows(survey: Survey): Finding[] {
  const findings: Finding[] = [];
  const current = currentRows(survey);
  const named = new Set<number>();
  for (const { key, revision, older } of current.lost) {
    named.add(revision);
    const rest = older === undefined ? "" : `; an older version, of revision ${older}, is whole`;
    const why = survey.damaged.has(revision) ? "its checksum does not fit" : "it is not there";
    findings.push({
      what: "record",
      key,
      revision,
      message: `the record of ${key} at revision ${revision}: ${why}${rest}`,
    });
  }
  for (const [revision, key] of survey.damaged) {
    if (named.has(revision)) continue;
    const message = `an older record of ${key}, at revision ${revision}: its checksum does not fit`;
    findings.push({ what: "history", key, revision, message });
  }
  const { compacted } = survey.counters ?? { compacted: Infinity };
  for (const { key, revision: by, previous } of survey.rows.values()) {
    if (previous === 0 || by <= compacted || survey.rows.has(previous) || survey.damaged.has(previous)) continue;
    const message = `an older record of ${key}, at revision ${previous}: it is not there`;
    findings.push({ what: "history", key, revision: previous, message });
  }
  if (survey.broken > 0) {
    findings.push({ what: "structure", message: `${survey.broken} rows cannot be read` });
  }
  for (const [key, wrong] of survey.misnamed) {
    findings.push({ what: "structure", key, message: `the index has the key ${JSON.stringify(wrong)} for ${key}` });
  }
  for (const [key, { revision, size }] of survey.live) {
    const row = survey.rows.get(revision);
    if (row === undefined || row.size === size) continue;
    findings.push({
      what: "structure",
      key,
      message: `the index says that ${key} has ${size} bytes, found ${row.size}`,
    });
  }
  return findings;
}

function checkCounters({ counters, live, liveIsWhole, rows }: Survey): Finding[] {
  const wrong = (message: string): Finding => ({ what: "counters", message });
  if (counters === undefined) return [wrong("the counters cannot be read")];
  const findings: Finding[] = [];
  if (!liveIsWhole) {
    findings.push(
      wrong(
        `the index should hold ${counters.records} keys with revision sum ${counters.revisionSum}, found ${live.size} keys`,
      ),
    );
  }
  let newest = 0;
  let logBytes = 0;
  for (const { revision, size } of rows.values()) {
    newest = Math.max(newest, revision);
    logBytes += size;
  }
  if (newest > counters.revision) {
    findings.push(wrong(`the newest revision should be ${counters.revision}, found a record of revision ${newest}`));
  }
  let liveBytes = 0;
  for (const { size } of live.values()) liveBytes += size;
  if (liveIsWhole && liveBytes !== counters.liveBytes) {
    findings.push(wrong(`the records should have ${counters.liveBytes} bytes, found ${liveBytes}`));
  }
  if (logBytes !== counters.logBytes) {
    findings.push(
      wrong(`all records with their history should have ${counters.logBytes} bytes, found ${logBytes} whole`),
    );
  }
  return findings;
}

/** The message of the StoreError that `work` throws. */
function failureOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}
