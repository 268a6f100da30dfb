/**
 * Runs `keelson audit`: reads logs line by line, so that memory does not grow with their size.
 *
 * @module
 */
import { type Stats, createReadStream } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { type AuditSearch, type ObjectFilter, rotatedLogs, matchesSearch, parseEvent } from "../audit/index.ts";
import { sleep } from "../util/clock.ts";
import { parseDuration } from "../util/duration.ts";
import type { Actions } from "./actions.ts";
import { AUDIT_HEAD, auditLine } from "./audit-lines.ts";
import { printable } from "./colours.ts";
import { CliError } from "./cli-error.ts";
import { counted } from "../util/counted.ts";

/** What to search, and where. */
export interface AuditRequest {
  /** `-` for standard input. */
  readonly file: string | undefined;
  readonly user?: string | undefined;
  readonly object?: string | undefined;
  readonly verb?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly output: "table" | "json";
  readonly follow: boolean;
  /** Stops following the log. */
  readonly signal?: AbortSignal;
}

const POLL_INTERVAL_MS = 300;

/** Searches logs and prints the events. */
export async function runAudit(actions: Actions, request: AuditRequest): Promise<void> {
  const { clock, terminal } = actions;
  const search = searchOf(request, clock.now());
  const file = request.file ?? terminal.env["KEELSON_AUDIT_LOG_PATH"] ?? "";
  if (file === "") throw new CliError("expected the name of an audit log, or KEELSON_AUDIT_LOG_PATH", { usage: true });
  const printer = new Printer(actions, request.output, search);
  try {
    if (file === "-") await printer.all(terminal.input);
    else {
      for (const old of await olderFiles(file, search.since)) await printer.all(contentOf(old));
      await readLog(actions, file, printer, request);
    }
  } catch (error) {
    throw readError(error, file);
  }
  printer.end();
}

class Printer {
  readonly #actions: Actions;
  readonly #output: AuditRequest["output"];
  readonly #search: AuditSearch;
  #invalidLines = 0;
  #hasHead = false;

  constructor(actions: Actions, output: AuditRequest["output"], search: AuditSearch) {
    this.#actions = actions;
    this.#output = output;
    this.#search = search;
  }

  async all(input: NodeJS.ReadableStream): Promise<void> {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) this.line(line);
  }

  line(line: string): void {
    if (line === "") return;
    const event = parseEvent(line);
    if (!event) this.#invalidLines++;
    else if (event.stage !== "RequestReceived" && matchesSearch(event, this.#search)) {
      if (this.#output === "json") this.#actions.print(line);
      else this.#row(printable(auditLine(event)));
    }
  }

  /** Reports the lines that are not events. */
  end(): void {
    if (this.#invalidLines === 0) return;
    this.#actions.terminal.tell(`${counted(this.#invalidLines, "line")} held no event of audit.k8s.io/v1 in JSON\n`);
  }

  #row(row: string): void {
    if (!this.#hasHead) this.#actions.print(AUDIT_HEAD);
    this.#hasHead = true;
    this.#actions.print(row);
  }
}

/** Finds the rotated files that may have events of the search, the oldest first. */
async function olderFiles(file: string, since = -Infinity): Promise<string[]> {
  const directory = dirname(file);
  const found = rotatedLogs(basename(file), await readdir(directory));
  return found.filter(({ at }) => at >= since).map(({ name }) => join(directory, name));
}

function contentOf(file: string): NodeJS.ReadableStream {
  const bytes = createReadStream(file);
  if (!file.endsWith(".gz")) return bytes;
  const plain = createGunzip();
  bytes.on("error", (error) => plain.destroy(error));
  return bytes.pipe(plain);
}

/** Reads the log itself; with --follow also further lines, and the next file after a rotation. */
async function readLog({ clock }: Actions, file: string, printer: Printer, request: AuditRequest): Promise<void> {
  if (!request.follow) return printer.all(contentOf(file));
  const { signal } = request;
  while (!signal?.aborted) {
    await using log = await open(file);
    const lines = new LineReader((line) => printer.line(line));
    const { ino } = await log.stat();
    for (let isOld = false; !signal?.aborted;) {
      while ((await lines.read(log)) > 0);
      if (isOld) break;
      await sleep(clock, POLL_INTERVAL_MS, signal, { holds: true });
      const now = await stat(file).catch(() => undefined);
      isOld = isAnother(now, ino);
    }
  }
}

/** Whether the log was rotated; a file that is missing for a moment will be created. */
const isAnother = (now: Stats | undefined, ino: number): boolean => now !== undefined && now.ino !== ino;

/** Splits the growing content of a file into lines. */
class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #buffer = Buffer.alloc(65_536);
  #rest: Buffer[] = [];
  #at = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Reads the next piece; returns its length in bytes. */
  async read(file: Awaited<ReturnType<typeof open>>): Promise<number> {
    const { bytesRead } = await file.read(this.#buffer, 0, this.#buffer.length, this.#at);
    this.#at += bytesRead;
    let from = 0;
    const piece = this.#buffer.subarray(0, bytesRead);
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      this.#onLine(Buffer.concat([...this.#rest, piece.subarray(from, end)]).toString());
      this.#rest = [];
      from = end + 1;
    }
    if (from < bytesRead) this.#rest.push(Buffer.from(piece.subarray(from)));
    return bytesRead;
  }
}

function searchOf({ user, object, verb, since, until }: AuditRequest, now: number): AuditSearch {
  return {
    user,
    verb,
    object: object === undefined ? undefined : objectOf(object),
    since: timeOf("--since", since, now),
    until: timeOf("--until", until, now),
  };
}

function objectOf(text: string): ObjectFilter {
  const parts = text.split("/");
  const [name = "", kind = "", namespace] = parts.toReversed();
  if (parts.length < 2 || parts.length > 3 || kind === "" || name === "") {
    throw new CliError(`expected --object to be NS/KIND/NAME or KIND/NAME, got ${text}`, { usage: true });
  }
  return { kind: kind.toLowerCase(), name: name === "*" ? undefined : name, namespace };
}

/** Parses a time, or a duration before now. */
function timeOf(flag: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  const at = ago === undefined ? Date.parse(text) : now - ago;
  if (!Number.isNaN(at)) return at;
  throw new CliError(`expected ${flag} to be a time such as 2026-01-31T10:00:00Z, or 1h ago; got ${text}`, {
    usage: true,
  });
}

function readError(error: unknown, file: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? error : new CliError(`expected ${file} to be a log that can be read: ${message}`);
}
