/** Scenes with volumes in memory. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../util/clock.ts";
import { StillMounted } from "../../mounts/remove-tree.ts";
import { machineMounter } from "../../mounts/machine-mounter.ts";
import { writeVolume } from "../atomic-writer.ts";
import { putInMemory, removeVolume } from "../in-memory.ts";
import { makeVolumeDirectory } from "../volume-directory.ts";
import { systemFiles } from "../writer-files.ts";

const mounter = machineMounter();
const TMPFS = 0x01021994;
const payload = new Map([["a", { bytes: Buffer.from("A"), mode: 0o400 }]]);

/** A volume is on its own tmpfs with the mode for that, also at the next reconcile. */
export async function liesInMemory(directory: string): Promise<void> {
  const path = join(directory, "pods", "u", "volume");
  for (const group of [undefined, 2000]) {
    for (let look = 0; look < 2; look++) {
      await putInMemory(mounter, path, systemFiles);
      makeVolumeDirectory(path, { group });
      assert.equal(await writeVolume(path, payload, { clock: systemClock, group }), look === 0);
    }
    assert.equal((await mounter.mounts(path)).length, 1);
    assert.equal(statfsSync(path).type, TMPFS);
    assert.notEqual(statSync(path).dev, statSync(directory).dev);
    assert.equal((statSync(path).mode & 0o7777).toString(8), group === undefined ? "1777" : "3777");
    assert.equal(readFileSync(join(path, "a"), "utf8"), "A");
    await removeVolume(mounter, path);
    await removeVolume(mounter, path);
    assert.equal(existsSync(path), false);
  }
}

/** Files behind a mount that stays are not removed. */
export async function staysMounted(directory: string): Promise<void> {
  const path = join(directory, "volume");
  await putInMemory(mounter, path, systemFiles);
  mkdirSync(join(path, "below"));
  await mounter.mount({ type: "tmpfs", source: "tmpfs", path: join(path, "below") });
  writeFileSync(join(path, "below", "file"), "kept");
  await assert.rejects(removeVolume(mounter, path));
  assert.equal(readFileSync(join(path, "below", "file"), "utf8"), "kept");
  const stuck = { ...mounter, unmount: () => Promise.resolve() };
  await assert.rejects(removeVolume(stuck, path), StillMounted);
  assert.equal(readFileSync(join(path, "below", "file"), "utf8"), "kept");
}
