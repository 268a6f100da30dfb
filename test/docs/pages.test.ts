/**
 * Pages that begin with a server that was just started are played: what they say a command prints, it prints.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.ts";
import { Keelson } from "../serve/keelson.ts";
import { asSaid, run, unfold } from "./played.ts";

const root = new URL("../../", import.meta.url).pathname;
/** As the pages start it, but for the port. */
const SERVER = ["--dialect", "kubernetes", "--data-dir", "data"];
const kubectl = findKubectls().at(-1);

describe.skipIf(kubectl === undefined).each(["README.md", "docs/tutorial.md", "docs/guides/admission.md"])(
  "%s",
  (page) => {
    test("prints what it says", { timeout: 180_000 }, async () => {
      const folder = mkdtempSync(join(tmpdir(), "keelson-page-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const bin = join(folder, ".bin");
      mkdirSync(bin);
      symlinkSync(kubectl!, join(bin, "kubectl"));
      writeFileSync(join(bin, "keelson"), `#!/bin/sh\nexec ${process.execPath} ${root}bin/keelson.js "$@"\n`, {
        mode: 0o755,
      });
      const server = await Keelson.serve([...SERVER, "--port", "0"], { cwd: folder });
      onTestFinished(async () => void (await server.stop()));
      const env = {
        PATH: [bin, process.env["PATH"]].join(delimiter),
        HOME: folder,
        KUBECONFIG: join(folder, "data/admin.kubeconfig"),
      };
      const played = unfold(readFileSync(join(root, page), "utf8"), folder);
      expect(played.length).toBeGreaterThan(5);
      for (const { command, says } of played) {
        const printed = await run(command, folder, env);
        expect(`$ ${command}\n${asSaid(says, printed)}`).toBe(`$ ${command}\n${says}`);
      }
    });
  },
);
