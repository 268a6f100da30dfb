/**
 * The real executable on a disk that it fills itself, and on one that another program fills. `ATTACKERS=10000` runs
 * larger disks.
 */
import assert from "node:assert/strict";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, afterAll, describe, expect, test } from "vitest";
import { type DiskKind, mountDisk } from "../../src/storage/sqlite/testing/disk.ts";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, WatchReader, configMap, run, until } from "../serve/keelson.ts";
import { LONG } from "../../src/util/testing/amount.ts";
import { ATTACKERS } from "./rows.ts";

const isLargest = ATTACKERS > 1000;
const LARGE_DISKS: readonly (readonly [DiskKind, number])[] = [
  [{ type: "ext4", mebibytes: 256 }, 1000],
  [{ type: "ext4", mebibytes: 256 }, 100_000],
  [{ type: "ext4", mebibytes: 256 }, 1_000_000],
  [{ type: "ext4", mebibytes: 1024 }, 100_000],
  [{ type: "ext4", mebibytes: 1024 }, 1_000_000],
];
const DISKS: readonly (readonly [DiskKind, number])[] = [
  [{ type: "tmpfs", mebibytes: 16 }, 1000],
  [{ type: "ext4", mebibytes: 64 }, 1_000_000],
  ...(LONG || isLargest ? [[{ type: "tmpfs", mebibytes: 32 }, 100_000] as const] : []),
  ...(isLargest ? LARGE_DISKS : []),
];
const NAMESPACES = "/api/v1/namespaces";
const DOOMED = `${NAMESPACES}/doomed/configmaps`;
const FINALIZER = "example.com/hold";
const FEW = 8;
/** Bytes of the bodies that are on their way at once. */
const AT_ONCE_BYTES = 4_000_000;
const PAGE_BYTES = 16_000_000;
/** Lists of this shape fit into one string, whatever the objects hold. */
const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** A server on a disk, and what it has acknowledged. */
class Filled {
  /** The version of each object in {@link CONFIG_MAPS} that a client knows to be there. */
  readonly known = new Map<string, string>();
  readonly directory: string;
  readonly size: number;
  keelson!: Keelson;
  client!: Http2Client;
  #count = 0;

  constructor(directory: string, size: number) {
    this.directory = directory;
    this.size = size;
  }

  async start(): Promise<void> {
    this.keelson = await Keelson.serve(["--data-dir", this.directory, "--port", "0", "--dialect", "kubernetes"]);
    this.client = await Http2Client.connect(this.keelson, this.directory);
  }

  async kill(): Promise<void> {
    await this.keelson.stop("SIGKILL");
    this.client.session.destroy();
  }

  /** Creates an object; the code of the answer. */
  async create(size: number = this.size, finalizers?: readonly string[]): Promise<number> {
    const name = `n${this.#count++}`;
    const object = { ...configMap(name, { text: "x".repeat(size) }), metadata: { name, finalizers } };
    const { status, json } = await this.client.send("POST", CONFIG_MAPS, object);
    if (status === 201) this.known.set(name, json.metadata.resourceVersion);
    return status;
  }

  /** Creates objects until one is refused for want of room; no other refusal is right. */
  async fill(size: number): Promise<void> {
    const senders = Math.min(16, Math.ceil(AT_ONCE_BYTES / size));
    const filling = async (): Promise<void> => {
      let status = 201;
      while (status === 201) status = await this.create(size);
      assert.equal(status, 507);
    };
    await Promise.all(Array.from({ length: senders }, filling));
  }

  async remove(name: string): Promise<void> {
    const { status, text } = await this.client.send("DELETE", `${CONFIG_MAPS}/${name}`);
    assert.equal(status, 200, text);
    this.known.delete(name);
  }

  /** Everything acknowledged is there, and nothing else. */
  async compare(): Promise<void> {
    const found = new Map<string, string>();
    let next = "";
    do {
      const limit = Math.ceil(PAGE_BYTES / this.size);
      const { status, json } = await this.client.send("GET", `${CONFIG_MAPS}?limit=${limit}&continue=${next}`);
      assert.equal(status, 200);
      for (const { metadata, data } of json.items) {
        if (/^x+$/.test(data.text ?? "")) found.set(metadata.name, metadata.resourceVersion);
      }
      next = json.metadata.continue ?? "";
    } while (next !== "");
    assert.deepEqual(found, this.known);
  }

  async isFull(): Promise<boolean> {
    const { text } = await this.client.send("GET", "/metrics");
    return text.includes("\nkeelson_store_full 1\n");
  }

  /** How often the log says that the store is full. */
  get told(): number {
    return this.keelson.messages.filter((line) => line.startsWith("ERROR no space is left")).length;
  }
}

/** Writes a file until nothing more fits on its disk. */
function fillDisk(file: string): void {
  const descriptor = openSync(file, "w");
  try {
    for (let piece = Buffer.alloc(1 << 20, 1); piece.length > 0;) {
      try {
        writeSync(descriptor, piece);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
        piece = piece.subarray(0, piece.length >> 1);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Runs a command of the program that has to succeed. */
async function succeed(...args: string[]): Promise<void> {
  const { code, stderr } = await run(args);
  expect([code, stderr]).toEqual([0, expect.anything()]);
}

/** What is to be there before the disk is full: objects that leave in each of the ways. */
async function prepare(filled: Filled): Promise<string[]> {
  await filled.client.send("POST", NAMESPACES, { metadata: { name: "doomed" } });
  for (let i = 0; i < FEW; i++) {
    const { status } = await filled.client.send("POST", DOOMED, configMap(`d${i}`, { text: "x".repeat(filled.size) }));
    expect(status).toBe(201);
    expect(await filled.create(filled.size, [FINALIZER])).toBe(201);
  }
  const held = [...filled.known.keys()];
  for (let i = 0; i < FEW; i++) expect(await filled.create()).toBe(201);
  return held;
}

/** Fills it, with ever smaller objects; how many of the usual size there are. */
async function fillItself(filled: Filled): Promise<number> {
  const { client, known, size } = filled;
  const version = (await client.send("GET", `${CONFIG_MAPS}?limit=1`)).json.metadata.resourceVersion as string;
  const before = new Set(known.keys());
  const path = `${CONFIG_MAPS}?watch=1&resourceVersion=${version}`;
  const watch = new WatchReader(client.open("GET", path, { accept: METADATA }));
  await filled.fill(size);
  const count = known.size;
  for (const bytes of [100_000, 1000]) if (bytes < size) await filled.fill(bytes);
  const added = (): Set<string> => new Set(watch.events.map(({ object }) => object.metadata.name!));
  const expected = new Set([...known.keys()].filter((name) => !before.has(name)));
  await until(() => added().size >= expected.size);
  expect(added()).toEqual(expected);
  expect(filled.told).toBe(1);
  return count;
}

/** It says that it is full, and is of use all the same. */
async function expectFull(filled: Filled): Promise<void> {
  expect(await filled.create()).toBe(507);
  await filled.compare();
  expect(await filled.isFull()).toBe(true);
  expect((await filled.client.send("GET", "/readyz")).status).toBe(200);
  expect((await filled.client.send("GET", "/readyz?verbose")).text).toMatch(/store-room.*disk is full/);
}

/** What was saved of the full disk is what was on it. */
async function expectSaved(filled: Filled): Promise<void> {
  const file = `${scratch.fresh()}.backup`;
  const restored = scratch.fresh();
  await succeed("backup", file, "--data-dir", filled.directory);
  await succeed("restore", file, restored);
  const other = new Filled(restored, filled.size);
  await other.start();
  for (const [name, version] of filled.known) other.known.set(name, version);
  await other.compare();
  await other.kill();
  rmSync(file);
  rmSync(restored, { recursive: true });
}

/** Deletes everything, in each of the ways. */
async function deleteAll(filled: Filled, held: readonly string[]): Promise<void> {
  const { client, known } = filled;
  for (const name of held) {
    const path = `${CONFIG_MAPS}/${name}`;
    const { status, json } = await client.send("DELETE", path);
    expect([status, json.metadata?.deletionTimestamp]).toEqual([200, expect.any(String)]);
    const type = { "content-type": "application/merge-patch+json" };
    expect((await client.send("PATCH", path, { metadata: { finalizers: null } }, type)).status).toBe(200);
    known.delete(name);
  }
  for (const name of [...known.keys()].slice(0, Math.min(30, known.size / 2))) await filled.remove(name);
  await filled.compare();
  expect((await client.send("DELETE", `${NAMESPACES}/doomed`)).status).toBe(200);
  expect((await client.send("DELETE", CONFIG_MAPS, undefined, { accept: METADATA_LIST })).status).toBe(200);
  known.clear();
  await filled.compare();
  await until(async () => (await client.send("GET", `${NAMESPACES}/doomed`)).status === 404);
}

/** Without a restart. */
async function expectRoomAgain(filled: Filled, count: number): Promise<void> {
  await until(async () => !(await filled.isFull()));
  for (let i = 0; i < count; i++) expect(await filled.create()).toBe(201);
  await filled.compare();
}

/** Plays with a server on a disk, and takes both away again. */
async function onDisk(
  disk: DiskKind,
  size: number,
  context: TestContext,
  play: (filled: Filled, ballast: string) => Promise<void>,
): Promise<void> {
  const path = scratch.fresh();
  const unmount = mountDisk(path, disk);
  if (unmount === undefined) return context.skip("this machine does not let the test mount a file system");
  const filled = new Filled(join(path, "data"), size);
  try {
    await filled.start();
    await play(filled, join(path, "ballast"));
    await filled.kill();
    await succeed("check", filled.directory);
  } finally {
    await filled.kill();
    unmount();
  }
}

describe.each(DISKS)("%o and objects of %d bytes", (disk, size) => {
  const timeout = Math.max(300_000, disk.mebibytes * 2000);

  test("filled by itself: all that makes room works, nothing is lost, and then writes work", { timeout }, (context) =>
    onDisk(disk, size, context, async (filled, ballast) => {
      const held = await prepare(filled);
      const most = await fillItself(filled);
      await expectFull(filled);
      fillDisk(ballast);
      await filled.kill();
      await succeed("check", filled.directory);
      await filled.start();
      await expectFull(filled);
      await expectSaved(filled);
      await deleteAll(filled, held);
      await expectRoomAgain(filled, Math.min(100, Math.floor(most / 2)));
    }),
  );

  test("filled by another program: deletes work, and once there is space again writes do", { timeout }, (context) =>
    onDisk(disk, size, context, async (filled, ballast) => {
      await prepare(filled);
      fillDisk(ballast);
      await filled.fill(size);
      await expectFull(filled);
      await filled.kill();
      await filled.start();
      await expectFull(filled);
      for (const name of [...filled.known.keys()].slice(FEW, FEW + 3)) await filled.remove(name);
      rmSync(ballast);
      await expectRoomAgain(filled, FEW);
    }),
  );
});
