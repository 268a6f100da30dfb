import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { createZstdDecompress, gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store, StoredRecord, StoreError } from "../contract.ts";
import { openMemoryStore } from "../memory/store.ts";
import type { BackupHeader, BackupSummary } from "./format.ts";
import { readBackup } from "./read.ts";
import { backupLines, backupStream } from "./write.ts";

const ABOUT = { dialect: "neutral", time: "2026-01-02T03:04:05.000Z" };

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
});
afterEach(() => store.close());

const put = (key: string, value: string | Uint8Array): Promise<number> =>
  store.write({ type: "create", key, value: Buffer.from(value) });

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const piece of pieces) chunks.push(piece);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Uint8Array, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Read {
  readonly summary: BackupSummary;
  readonly header: BackupHeader | undefined;
  readonly records: readonly StoredRecord[];
}

async function read(pieces: AsyncIterable<Uint8Array>): Promise<Read> {
  let header: BackupHeader | undefined;
  const records: StoredRecord[] = [];
  const summary = await readBackup(pieces, {
    begin: (found) => void (header = found),
    record: (record) => void records.push(record),
  });
  return { summary, header, records };
}

/** The code and the message with which reading ends. */
async function refusal(bytes: Uint8Array): Promise<string> {
  try {
    await read(inPieces(bytes));
    return "read";
  } catch (error) {
    const { code, message } = error as StoreError;
    return `${code}: ${message}`;
  }
}

/** Lines as a backup has them, with the checksum of the whole put right. */
function forged(...lines: readonly string[]): Buffer {
  const body = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const sha256 = createHash("sha256").update(body).digest("hex");
  return Buffer.concat([body, Buffer.from(`${JSON.stringify({ end: true, records: 0, sha256 })}\n`)]);
}

const HEADER = { format: "keelson-backup", version: 1, revision: 7, ...ABOUT };

describe("a backup", () => {
  test.each(["zstd", "gzip"] as const)("that is packed with %s has every record as it was", async (compression) => {
    const values = [Buffer.from("{}"), Buffer.alloc(0), Buffer.from([10, 0, 255, 10]), Buffer.alloc(1_500_000, 3)];
    for (const [i, value] of values.entries()) await put(`/core/configmaps/n/${i}\u{1f600}`, value);
    const bytes = await bytesOf(backupStream(store, ABOUT, compression));
    const { summary, header, records } = await read(inPieces(bytes, 1000));
    expect(header).toEqual({ revision: 4, ...ABOUT });
    expect(summary).toEqual({ revision: 4, ...ABOUT, records: 4 });
    expect(records).toEqual((await store.range("")).records);
  });

  test("is of one revision, although writes go on meanwhile; afterwards nothing is held any more", async () => {
    for (let i = 0; i < 500; i++) await put(`k${String(i).padStart(3, "0")}`, "before");
    const lines = backupLines(store, ABOUT);
    const first = await lines.next();
    const { records: before } = await store.range("");
    for (const { key, revision } of before) {
      const write = { key, value: Buffer.from("after"), expected: revision } as const;
      await store.write(Number(key.slice(1)) % 3 === 0 ? { type: "delete", ...write } : { type: "update", ...write });
    }
    await put("k0000", "new");
    await store.compact(store.revision);
    const rest = await bytesOf(lines);
    const { summary, records } = await read(inPieces(Buffer.concat([first.value as Buffer, rest])));
    expect([summary.revision, summary.records]).toEqual([500, 500]);
    expect(records).toEqual(before);
    await store.compact(store.revision);
    expect((await store.stats()).compactedRevision).toBe(store.revision);
  });

  test("that is not taken to its end lets the revision go", async () => {
    for (let i = 0; i < 300; i++) await put(`k${i}`, "x");
    const stream = backupStream(store, ABOUT, "zstd");
    for await (const _ of stream) break;
    await new Promise((resolve) => setImmediate(resolve));
    await put("last", "x");
    await store.compact(store.revision);
    expect((await store.stats()).compactedRevision).toBe(store.revision);
  });

  test("of nothing is a backup, too; without compression it is read as well", async () => {
    const bytes = await bytesOf(backupLines(store, ABOUT));
    expect((await read(inPieces(bytes))).summary).toEqual({ revision: 0, ...ABOUT, records: 0 });
  });

  test("can be read by people: a line about each record before its value", async () => {
    await put("/core/configmaps/n/c", '{"a":1}');
    const lines = gunzipSync(await bytesOf(backupStream(store, ABOUT, "gzip")))
      .toString()
      .split("\n");
    expect(lines[0]).toBe(JSON.stringify({ ...HEADER, revision: 1 }));
    expect(lines[1]).toMatch(/^\{"key":"\/core\/configmaps\/n\/c","revision":1,"bytes":7,"crc32":"[0-9a-f]{8}"\}$/);
    expect(lines[2]).toBe('{"a":1}');
    expect(lines[3]).toMatch(/^\{"end":true,"records":1,"sha256":"[0-9a-f]{64}"\}$/);
  });
});

describe("reading a backup refuses", () => {
  test("one that has lost its end, wherever it was cut, and one with something behind it", async () => {
    await put("a", "some value");
    await put("b", "another");
    const whole = await bytesOf(backupLines(store, ABOUT));
    for (let length = 0; length < whole.length; length++) {
      expect(await refusal(whole.subarray(0, length))).toMatch(/^corrupt: /);
    }
    expect(await refusal(Buffer.concat([whole, Buffer.from("\n")]))).toContain("something follows its last line");
    const packed = await bytesOf(backupStream(store, ABOUT, "zstd"));
    // The end of the compression is no loss: what stands before it is whole.
    for (let length = 0; length < packed.length - 16; length++) {
      expect(await refusal(packed.subarray(0, length))).toMatch(/^corrupt: /);
    }
  });

  test("one in which any bit is another one", async () => {
    await put("a", "some value");
    await put("b", "another");
    const all = await Promise.all(
      [backupLines(store, ABOUT), backupStream(store, ABOUT, "gzip"), backupStream(store, ABOUT, "zstd")].map(bytesOf),
    );
    const expected = (await read(inPieces(all[0]!))).records;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all), fc.nat(), fc.nat(7), async (bytes, at, bit) => {
        const damaged = Buffer.from(bytes);
        damaged[at % bytes.length]! ^= 1 << bit;
        const found = await read(inPieces(damaged)).then(
          // A few bits of the compression say nothing: the system that it was made on, a time.
          ({ records }) => isDeepStrictEqual(records, expected),
          ({ code, message }: StoreError) => code === "corrupt" || /use a newer keelson/.test(message),
        );
        expect(found).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, Uint8Array, RegExp]>([
    ["nothing", Buffer.alloc(0), /ends too early/],
    [
      "a file of another program",
      Buffer.from('{"kind":"List"}\n'),
      /Expected a backup of Keelson, found something else/,
    ],
    ["text that is no JSON", Buffer.from("hello\n"), /expected a line of JSON, found "hello"/],
    ["a packed file of another program", gzipSync("hello\n"), /expected a line of JSON/],
    ["a line without end", Buffer.alloc(3 << 20, 65), /a line does not end/],
    ["a newer form", forged(JSON.stringify({ ...HEADER, version: 2 })), /^failed: .*found 2: use a newer keelson/],
    ["a header without a revision", forged(JSON.stringify({ ...HEADER, revision: "7" })), /first line is not complete/],
    ["a header without a time", forged(JSON.stringify({ ...HEADER, time: "soon" })), /first line is not complete/],
    ["a record without a key", forged(JSON.stringify(HEADER), '{"revision":1}'), /expected a line with a key/],
    [
      "a value that no store takes",
      forged(JSON.stringify(HEADER), '{"key":"a","revision":1,"bytes":9e9,"crc32":"0"}'),
      /a has 9000000000 bytes/,
    ],
  ])("%s", async (_what, bytes, message) => {
    expect(await refusal(bytes)).toMatch(message);
  });

  test("one that says another number of records than it has", async () => {
    await put("a", "x");
    const text = (await bytesOf(backupLines(store, ABOUT))).toString();
    expect(await refusal(Buffer.from(text.replace('"records":1', '"records":2')))).toContain(
      "expected 2 records, found 1",
    );
    expect(await refusal(Buffer.from(text.replace(/"sha256":"./, '"sha256":"x')))).toContain("checksum of the whole");
  });
});

test("zstd is what the bytes say they are", async () => {
  const bytes = await bytesOf(backupStream(store, ABOUT, "zstd"));
  const unpacked = await bytesOf(
    (async function* () {
      const unpacker = createZstdDecompress();
      unpacker.end(bytes);
      yield* unpacker as AsyncIterable<Buffer>;
    })(),
  );
  expect(unpacked.subarray(0, 26).toString()).toBe('{"format":"keelson-backup"');
});
