/**
 * Makes the fixture of the present form of the embedded store: one that was closed, one that ended in the middle, and a
 * backup. Run it once for every new format, before the first release with it; those of older formats stay as they are.
 *
 *     node tools/store-fixture.ts test/fixtures/store/format-N
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupStream } from "../src/storage/backup/write.ts";
import { openSqliteStore } from "../src/storage/sqlite/store.ts";
import { ManualClock } from "../src/util/clock.ts";

const target = process.argv[2];
if (target === undefined) throw new Error("expected the directory of the fixture");
const FILES = ["keelson.db", "keelson.db-wal", "created", "revision"];

const directory = mkdtempSync(join(tmpdir(), "keelson-fixture-"));
const clock = new ManualClock(Date.parse("2026-01-02T03:04:05.678Z"));
const store = await openSqliteStore({ directory, clock });
const bytes = (text: string): Buffer => Buffer.from(text);
const first = await store.write({ type: "create", key: "/core/configmaps/default/a", value: bytes("a 1") });
clock.advance(1000);
await store.write({ type: "create", key: "/core/configmaps/default/\u{1f600}", value: Buffer.alloc(5000, 0xee) });
const b = await store.write({ type: "create", key: "/core/configmaps/default/b", value: bytes("b 1") });
await store.write({ type: "update", key: "/core/configmaps/default/a", value: bytes("a 2"), expected: first });
await store.write({ type: "delete", key: "/core/configmaps/default/b", value: bytes("b last"), expected: b });
await store.compact(1);

const copy = (name: string, files: readonly string[]): void => {
  mkdirSync(join(target, name), { recursive: true });
  for (const file of files) copyFileSync(join(directory, file), join(target, name, file));
};
copy("open", FILES);
const pieces: Uint8Array[] = [];
const about = { dialect: "neutral", time: new Date(clock.now()).toISOString() };
for await (const piece of backupStream(store, about, "zstd")) pieces.push(piece as Buffer);
writeFileSync(join(target, "backup"), Buffer.concat(pieces));
await store.close();
copy(
  "closed",
  FILES.filter((file) => file !== "keelson.db-wal"),
);
rmSync(directory, { recursive: true });
