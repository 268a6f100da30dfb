import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { neutral } from "../../meta/dialect.ts";
import { openPki } from "../../pki/index.ts";
import { ManualClock } from "../../util/clock.ts";
import { renewCertificates, shownCertificates } from "./certificates.ts";
import { DataDirectory } from "../storage/data-directory.ts";

const path = mkdtempSync(join(tmpdir(), "keelson-certificates-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

const DAY = 86_400_000;
const clock = new ManualClock(Date.parse("2026-01-01T00:00:00Z"));

async function directoryWith(name: string): Promise<DataDirectory> {
  const directory = DataDirectory.open(join(path, name), neutral);
  void openPki(directory.pki, { hosts: ["localhost", "old.example.com"], clock }).ca;
  await directory.save();
  return directory;
}

test("shows the certificates of the files, also expired ones", async () => {
  const directory = await directoryWith("shown");
  const found = shownCertificates(directory);
  expect(found.map(({ name, file }) => [name, file])).toEqual([
    ["server", "pki/server.crt"],
    ["admin", "pki/admin.crt"],
    ["ca", "pki/ca.crt"],
  ]);
  expect(found[0]!.hosts).toEqual(["localhost", "old.example.com"]);
  const { renewedFrom, ends } = found[1]!;
  expect(Date.parse(ends) - Date.parse(renewedFrom)).toBe(30 * DAY);
  expect(new X509Certificate(directory.read("pki/admin.crt")!).validToDate.toISOString()).toBe(ends);
});

test("renewed certificates are signed by the same CA; the serving certificate keeps its names and gets more", async () => {
  const directory = await directoryWith("renewed");
  const [server, admin, ca] = shownCertificates(directory);
  clock.advance(100 * DAY);
  await renewCertificates(directory, { renew: ["server"], sans: ["new.example.com"] }, clock);
  const [newServer, sameAdmin, sameCa] = shownCertificates(new DataDirectory(directory.path));
  expect(newServer!.hosts).toEqual(expect.arrayContaining(["localhost", "old.example.com", "new.example.com"]));
  expect(Date.parse(newServer!.ends) - Date.parse(server!.ends)).toBe(100 * DAY);
  expect([sameAdmin, sameCa]).toEqual([admin, ca]);
  const authority = new X509Certificate(directory.read("pki/ca.crt")!);
  expect(new X509Certificate(directory.read("pki/server.crt")!).verify(authority.publicKey)).toBe(true);
});

test("a directory without certificates has none to show or renew", async () => {
  const directory = new DataDirectory(join(path, "empty"));
  expect(() => shownCertificates(directory)).toThrow("start a server there first");
  await expect(renewCertificates(directory, { renew: ["ca"], sans: [] }, clock)).rejects.toThrow(
    "start a server there first",
  );
});
